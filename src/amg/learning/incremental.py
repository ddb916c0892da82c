"""Incremental V-learning (Jin, Liu, Wang and Yu 2021; Song, Mei and Bai 2021).

At the n-th visit of (t, s), with α_n = (T+1)/(T+n), agent i updates by its own reward r alone:

    Ṽ ← (1 − α_n) Ṽ + α_n (r + V(t+1, s') + β_n),    V ← min(Ṽ, T − t + 1),
    β_n = c √(T³ A_i ι / n).

Its policy at (t, s) comes from a bandit with losses ℓ = (T − r − V(t+1, s'))/T. The i-th of n
visits has the weight w_i ∝ α_n^i. Losses add up in units of the last weight:

    L̂(a) ← (w_{n−1}/w_n) L̂(a) + 1[a taken] ℓ / (π(a) + γ_n),    w_{n−1}/w_n = (n − 1)/(T + n − 1).

* `exponential`: π ∝ exp(−η L̂) with η_n = γ_n = √(T log A / (A n)), the papers' bandit;
* `tsallis`: Tsallis-INF as in Algorithm 1, with γ = 0 and η_n = 2 √(T/n), since about n/T visits
  count.

The policy that it puts out is evaluated while it learns (averages.py).
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.random import Generator

from amg.game.model import Game, Tables
from amg.kernels.sums import BLOCK, Floats, Ints
from amg.learning.averages import Averages, add_episodes, add_visit, compensate_averages
from amg.learning.episode import Returns, draw, draw_action, record_episode
from amg.learning.exponential import exponential_bandit, exponential_rate
from amg.learning.tsallis import newton


class Rules(NamedTuple):
    """The parameters, in the form that the kernel takes."""

    bonus: Floats  # [N] β_n √n
    tsallis: bool  # the bandit; exponential weights otherwise
    rate: float  # multiplier of η


class Memory(NamedTuple):
    """What the agents remember."""

    episode: Ints  # [1] episodes done
    passes: Ints  # [1] times that all episodes were done before
    visits: Ints  # [T, S] n
    v_tilde: Floats  # [T, S, N] Ṽ
    v: Floats  # [T + 1, S, N] V
    loss: Floats  # [T, S, N, A] L̂
    policy: Floats  # [T, S, N, A]
    path: Ints  # [T, 1 + N] state and actions of the last episode


def new_memory(game: Game) -> Memory:
    """Return the memory before the first episode."""
    T, S, N, A = game.effort.shape
    steps_left = np.arange(T, -1, -1.0)[:, None, None]
    return Memory(
        episode=np.zeros(1, dtype=np.int64),
        passes=np.zeros(1, dtype=np.int64),
        visits=np.zeros((T, S), dtype=np.int64),
        v_tilde=np.zeros((T, S, N)),
        v=np.broadcast_to(steps_left, (T + 1, S, N)).copy(),
        loss=np.zeros((T, S, N, A)),
        policy=game.uniform_policy(),
        path=np.zeros((T, 1 + N), dtype=np.int64),
    )


@njit(cache=True)
def learn(
    game: Tables, transition: Floats, rules: Rules, memory: Memory, averages: Averages,
    returns: Returns, rng: Generator, until: int,
) -> None:  # fmt: skip
    """Play and learn up to episode `until`."""
    T, _, N, _, _ = game.reward.shape
    policy, loss, v, v_tilde, path = (
        memory.policy, memory.loss, memory.v, memory.v_tilde, memory.path,
    )  # fmt: skip
    for k in range(memory.episode[0], until):
        s = draw(rng, game.initial_cdf)
        add_episodes(averages, s, k + 1)
        for t in range(T):
            n = memory.visits[t, s] + 1
            memory.visits[t, s] = n
            alpha, weight, total, after = (T + 1) / (T + n), (n - 1) / (T + n - 1), 0, 0
            path[t, 0] = s
            for i in range(N):
                a = draw_action(rng, policy, t, s, i, game.n_actions[t, s, i])
                path[t, 1 + i] = a
                total += game.effort[t, s, i, a]
            if t + 1 < T:
                u = rng.random()
                while u >= game.transition_cdf[t, s, total, after]:
                    after += 1
            add_visit(averages, game, transition, policy, t, s, alpha)
            root = math.sqrt(n)
            for i in range(N):
                a, A = path[t, 1 + i], game.n_actions[t, s, i]
                others = total - game.effort[t, s, i, a]
                returns.pending[0, i] += game.raw_reward[t, s, i, a, others]
                earned = game.reward[t, s, i, a, others] + v[t + 1, after, i]
                new = (1.0 - alpha) * v_tilde[t, s, i] + alpha * (earned + rules.bonus[i] / root)
                v_tilde[t, s, i] = new
                v[t, s, i] = min(new, float(T - t))
                for b in range(A):
                    loss[t, s, i, b] *= weight
                lost = (T - earned) / T
                if rules.tsallis:
                    loss[t, s, i, a] += lost / policy[t, s, i, a]
                    newton(loss, 2.0 * rules.rate * math.sqrt(T / n), policy, t, s, i, A)
                else:
                    eta = rules.rate * exponential_rate(A, n / T)
                    exponential_bandit(loss, lost, eta, policy, t, s, i, a, A)
            s = after
        memory.episode[0] = k + 1
        record_episode(returns, k + 1)
        if (k + 1) & (BLOCK - 1) == 0:
            compensate_averages(averages)
