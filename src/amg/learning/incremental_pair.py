"""Incremental V-learning for two agents with two actions each and T ≤ 2: ten times as fast.

It does what `incremental.learn` does, with constant sizes. Read that first. Arrays are taken out of
their named tuples before the loop, because numba counts references there. For the same reason the
parts take arrays and are inlined.
"""

import math
from typing import Any

import numpy as np
from numba import njit
from numpy.random import Generator

from amg.game.model import Game, Tables
from amg.kernels.sums import BLOCK, Floats, Ints
from amg.learning.averages import Averages, compensate_averages
from amg.learning.episode import Returns, draw, record_episode
from amg.learning.exponential import exponential_rate
from amg.learning.incremental import Memory, Rules
from amg.learning.tsallis import two_actions

FAST: dict[str, Any] = {"cache": True, "error_model": "numpy"}


def is_pair(game: Game) -> bool:
    """Return whether the kernel takes this game; the efforts of two actions must differ."""
    two = game.N == 2 and bool((game.n_actions[game.exists] == 2).all())
    return game.T <= 2 and two and bool((np.diff(game.effort)[game.exists] != 0).all())


@njit(**FAST)
def learn_pair(
    game: Tables, transition: Floats, rules: Rules, memory: Memory, averages: Averages,
    returns: Returns, rng: Generator, until: int,
) -> None:  # fmt: skip
    """Play and learn up to episode `until`."""
    T, S = memory.visits.shape
    policy, loss, v, v_tilde = memory.policy, memory.loss, memory.v, memory.v_tilde
    visits, path, pending = memory.visits, memory.path, returns.pending
    reward, raw, effort, cdf = game.reward, game.raw_reward, game.effort, game.transition_cdf
    value, action, informed = averages.value, averages.action, averages.informed
    sums, counted = averages.sums, averages.episodes
    law, following = averages.law, averages.following
    laws, followings = law.reshape((S, -1)), following.reshape((S, -1))
    bonus, tsallis = rules.bonus, rules.tsallis
    first_eta = rules.rate * (2.0 * math.sqrt(T) if tsallis else exponential_rate(2, 1 / T))
    for k in range(memory.episode[0], until):
        s = draw(rng, game.initial_cdf)
        add_first(sums, value, informed, laws, followings, s, float(k + 1 - counted[s]))
        counted[s] = k + 1
        for t in range(T):
            n = visits[t, s] + 1
            visits[t, s] = n
            alpha, n_after, after = (T + 1) / (T + n), 0, 0
            path[t, 0] = s
            a0 = 0 if rng.random() < policy[t, s, 0, 0] else 1
            a1 = 0 if rng.random() < policy[t, s, 1, 0] else 1
            path[t, 1], path[t, 2] = a0, a1
            total = effort[t, s, 0, a0] + effort[t, s, 1, a1]
            if t + 1 < T:
                n_after, u = game.n_states[t + 1], rng.random()
                while u >= cdf[t, s, total, after]:
                    after += 1
            average(
                reward, transition, effort, policy, value, action, informed, t, s, n_after, alpha
            )
            if t == 0:
                see(effort, policy, action, law, following, s, n_after, alpha)
            root = math.sqrt(1.0 / n)
            eta = first_eta * root
            for i in range(2):
                a = a0 if i == 0 else a1
                others = total - effort[t, s, i, a]
                pending[0, i] += raw[t, s, i, a, others]
                earned = reward[t, s, i, a, others] + v[t + 1, after, i]
                new = (1.0 - alpha) * v_tilde[t, s, i] + alpha * (earned + bonus[i] * root)
                v_tilde[t, s, i], v[t, s, i] = new, min(new, float(T - t))
                weight, lost = (n - 1) / (T + n - 1), (T - earned) / T
                decide(loss, policy, t, s, i, a, weight, lost, eta, tsallis)
            s = after
        memory.episode[0] = k + 1
        record_episode(returns, k + 1)
        if (k + 1) & (BLOCK - 1) == 0:
            compensate_averages(averages)


@njit(forceinline=True, **FAST)
def add_first(
    sums: Floats, value: Floats, informed: Floats, laws: Floats, followings: Floats, s: int,
    count: float,
) -> None:  # fmt: skip
    """Add the tables of first state s to the sums over episodes, as `add_episodes`."""
    n = laws.shape[1]
    for i in range(2):
        sums[s, i] += count * value[0, s, i]
        sums[s, 2 + i] += count * informed[0, s, i]
    for j in range(n):
        sums[s, 4 + j] += count * laws[s, j]
    for j in range(followings.shape[1]):
        sums[s, 4 + n + j] += count * followings[s, j]


@njit(forceinline=True, **FAST)
def average(
    reward: Floats, transition: Floats, effort: Ints, policy: Floats, value: Floats,
    action: Floats, informed: Floats, t: int, s: int, n_after: int, alpha: float,
) -> None:  # fmt: skip
    """Take the visit into its averages, as `add_visit`."""
    mean0 = mean1 = q00 = q01 = q10 = q11 = 0.0
    p0, p1 = policy[t, s, 0, 0], policy[t, s, 1, 0]
    for a in range(2):
        for b in range(2):
            w0, w1 = p0 if a == 0 else 1.0 - p0, p1 if b == 0 else 1.0 - p1
            e0, e1 = effort[t, s, 0, a], effort[t, s, 1, b]
            x0 = y0 = reward[t, s, 0, a, e1]
            x1 = y1 = reward[t, s, 1, b, e0]
            for c in range(n_after):
                chance = transition[t, s, e0 + e1, c]
                x0 += chance * value[t + 1, c, 0]
                x1 += chance * value[t + 1, c, 1]
                y0 += chance * informed[t + 1, c, 0]
                y1 += chance * informed[t + 1, c, 1]
            mean0 += w0 * w1 * x0
            mean1 += w0 * w1 * x1
            if a == 0:
                q00 += w1 * y0
            else:
                q01 += w1 * y0
            if b == 0:
                q10 += w0 * y1
            else:
                q11 += w0 * y1
    keep = 1.0 - alpha
    q00, q01 = keep * action[t, s, 0, 0] + alpha * q00, keep * action[t, s, 0, 1] + alpha * q01
    q10, q11 = keep * action[t, s, 1, 0] + alpha * q10, keep * action[t, s, 1, 1] + alpha * q11
    action[t, s, 0, 0], action[t, s, 0, 1] = q00, q01
    action[t, s, 1, 0], action[t, s, 1, 1] = q10, q11
    informed[t, s, 0], informed[t, s, 1] = max(q00, q01), max(q10, q11)
    value[t, s, 0] = keep * value[t, s, 0] + alpha * mean0
    value[t, s, 1] = keep * value[t, s, 1] + alpha * mean1


@njit(forceinline=True, **FAST)
def see(
    effort: Ints, policy: Floats, action: Floats, law: Floats, following: Floats, s: int,
    n_after: int, alpha: float,
) -> None:  # fmt: skip
    """Take the laws of what a deviator can see into their averages, as `add_laws_seen`."""
    for i in range(2):
        for b in range(2):
            d, w = effort[0, s, 1 - i, b], alpha * policy[0, s, 1 - i, b]
            law[s, i, d] = (1.0 - alpha) * law[s, i, d] + w
            for c in range(n_after):
                for a in range(2):
                    x = (1.0 - alpha) * following[s, i, d, c, a]
                    following[s, i, d, c, a] = x + w * action[1, c, i, a]


@njit(forceinline=True, **FAST)
def decide(
    loss: Floats, policy: Floats, t: int, s: int, i: int, a: int, weight: float, lost: float,
    eta: float, tsallis: bool,
) -> None:  # fmt: skip
    """Update L̂ of agent i with the loss of action a, and set its policy."""
    other = 1 - a
    x = weight * loss[t, s, i, a] + lost / (policy[t, s, i, a] + (0.0 if tsallis else eta))
    y = weight * loss[t, s, i, other]
    if tsallis:
        worse = two_actions(abs(x - y), eta)
        p = worse if x > y else 1.0 - worse
        q = 1.0 - worse if x > y else worse
    else:
        p = 1.0 / (1.0 + math.exp(eta * (x - y)))
        q = 1.0 - p
    loss[t, s, i, a], loss[t, s, i, other] = x, y
    policy[t, s, i, a], policy[t, s, i, other] = p, q
