"""α-weighted averages: the exact evaluation of incremental V-learning, kept while it learns.

The policy that it puts out plays at (t, s), visited n times so far, as in visit i with weight α_n^i
(evaluation/online.py). Since α_n^i = (1 − α_n) α_{n−1}^i for i < n, averages with these weights
obey recursions. At the n-th visit of (t, s), with the policies π before its update and the tables
of step t + 1 as they stood when the episode began:

    val_i  ← (1 − α_n) val_i  + α_n E_π[ r_i + Σ_s' p(s') val_i(t+1, s') ],
    q_i(a) ← (1 − α_n) q_i(a) + α_n E_π₋ᵢ[ r_i(a, σ) + Σ_s' p(s') U_i(t+1, s') ],
    U_i = max_a q_i(a).

val is the policy's value from (t, s) on, and U what a deviator earns who knows the draws. In a
state that was never visited all agents play uniformly, to the end of the episode.

A deviator who sees only the history needs, for T = 2, the α-weighted laws of what it can see:

    law_i[σ] of P₋ᵢ(σ),    following_i[σ, s', a'] of P₋ᵢ(σ) q_i(2, s', a').

For T > 2 the same recursion as for val gives what one Markov deviation `follow` earns.

The first episode is drawn uniformly. So the tables of the first step are added up over episodes, as
they stand before each. They change only at visits, and their sums are brought up to date there.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from amg.evaluation.online import OnlineCertificate, online_shapes
from amg.game.model import Game, Tables
from amg.kernels.laws import Tree, add_laws, new_tree
from amg.kernels.sums import Floats, Ints, two_sum


class Averages(NamedTuple):
    """What is averaged, normalised, and the sums over episodes of what is at the first step."""

    value: Floats  # [T + 1, S, N] val
    action: Floats  # [T, S, N, A] q
    informed: Floats  # [T + 1, S, N] U
    deviation: Floats  # [T + 1, S, N] what the Markov deviation earns
    follow: Ints  # [T, S, N] its action
    law: Floats  # [S, N, D] of the first step; T ≤ 2
    following: Floats  # [S, N, D, S, A] T = 2
    episodes: Ints  # [S] that are in the sums of a first state
    sums: Floats  # [S, W] recent sums over episodes (kernels/sums.py) of all tables of the state
    totals: Floats  # [S, W] their totals
    others: Floats  # [N, D] scratch: P₋ᵢ(σ) of the visit at hand
    joint: Floats  # [N, A, D] scratch
    queue: Floats  # [N, A, 1] scratch
    tree: Tree  # scratch


def new_averages(game: Game, follow: Ints | None = None) -> Averages:
    """Return the averages before the first episode: those of uniform play everywhere.

    `follow` is the Markov deviation to evaluate, by default that of the first actions.
    """
    T, S, N, A, D = game.reward.shape
    D_law, D_next = D if T <= 2 else 0, D if T == 2 else 0
    width = N * (2 + (T > 2)) + N * D_law + N * D_next * S * A
    averages = Averages(
        value=np.zeros((T + 1, S, N)),
        action=np.zeros((T, S, N, A)),
        informed=np.zeros((T + 1, S, N)),
        deviation=np.zeros((T + 1, S, N)),
        follow=np.zeros((T, S, N), dtype=np.int64) if follow is None else follow,
        law=np.zeros((S, N, D_law)),
        following=np.zeros((S, N, D_next, S, A)),
        episodes=np.zeros(S, dtype=np.int64),
        sums=np.zeros((S, width)),
        totals=np.zeros((S, width)),
        others=np.zeros((N, D)),
        joint=np.zeros((N, A, D)),
        queue=np.zeros((N, A, 1)),
        tree=new_tree(N, D) if N > 2 else new_tree(1, 1),
    )
    policy = game.uniform_policy()
    for t, s in np.argwhere(game.exists)[::-1]:
        add_visit(averages, game.tables, game.transition, policy, t, s, 1.0)
    return averages


@njit(cache=True, forceinline=True)
def add_visit(
    averages: Averages, game: Tables, transition: Floats, policy: Floats, t: int, s: int,
    alpha: float,
) -> None:  # fmt: skip
    """Take a visit of (t, s) into its averages, with weight α."""
    value, action, informed = averages.value, averages.action, averages.informed
    deviation, follow, others = averages.deviation, averages.follow, averages.others
    T, _, N, _, D = game.reward.shape
    n_after = game.n_states[t + 1] if t + 1 < T else 0
    set_others(averages, game, policy, t, s)
    for i in range(N):
        best, mean = -np.inf, 0.0
        for a in range(game.n_actions[t, s, i]):
            e, v, u, w = game.effort[t, s, i, a], 0.0, 0.0, 0.0
            for d in range(D - e):
                p = others[i, d]
                if p > 0.0:
                    v_next = u_next = w_next = game.reward[t, s, i, a, d]
                    for after in range(n_after):
                        chance = transition[t, s, d + e, after]
                        v_next += chance * value[t + 1, after, i]
                        u_next += chance * informed[t + 1, after, i]
                        if T > 2:
                            w_next += chance * deviation[t + 1, after, i]
                    v += p * v_next
                    u += p * u_next
                    w += p * w_next
            mean += policy[t, s, i, a] * v
            action[t, s, i, a] = (1.0 - alpha) * action[t, s, i, a] + alpha * u
            best = max(best, action[t, s, i, a])
            if T > 2 and a == follow[t, s, i]:
                deviation[t, s, i] = (1.0 - alpha) * deviation[t, s, i] + alpha * w
        value[t, s, i] = (1.0 - alpha) * value[t, s, i] + alpha * mean
        informed[t, s, i] = best
    if t == 0 and T <= 2:
        add_laws_seen(averages, game, s, alpha)


@njit(cache=True, forceinline=True)
def set_others(averages: Averages, game: Tables, policy: Floats, t: int, s: int) -> None:
    """Set others[i, σ] to the law of the others' sum at (t, s)."""
    others, joint, queue, effort = averages.others, averages.joint, averages.queue, game.effort
    N, A, D = joint.shape
    for i in range(N):
        for d in range(D):
            others[i, d] = 0.0
    if N == 1:
        others[0, 0] = 1.0
    elif N == 2:
        for i in range(2):
            for a in range(game.n_actions[t, s, i]):
                others[1 - i, effort[t, s, i, a]] += policy[t, s, i, a]
    elif N == 3:
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            for a in range(game.n_actions[t, s, j]):
                for b in range(game.n_actions[t, s, k]):
                    p = policy[t, s, j, a] * policy[t, s, k, b]
                    others[i, effort[t, s, j, a] + effort[t, s, k, b]] += p
    else:
        for i in range(N):
            for a in range(A):
                queue[i, a, 0] = policy[t, s, i, a]
                for d in range(D):
                    joint[i, a, d] = 0.0
        add_laws(joint, queue, 1, effort[t, s], game.n_actions[t, s], averages.tree)
        for i in range(N):
            for a in range(game.n_actions[t, s, i]):
                for d in range(D):
                    others[i, d] += joint[i, a, d]


@njit(cache=True, forceinline=True)
def add_laws_seen(averages: Averages, game: Tables, s: int, alpha: float) -> None:
    """Take the laws of what a deviator can see after a visit of the first step, with weight α."""
    law, following, others = averages.law, averages.following, averages.others
    action = averages.action
    _, N, D = law.shape
    T, A = action.shape[0], action.shape[3]
    for i in range(N):
        for d in range(D):
            p = others[i, d]
            law[s, i, d] = (1.0 - alpha) * law[s, i, d] + alpha * p
            for after in range(game.n_states[1] if T == 2 else 0):
                for a in range(A):
                    x = following[s, i, d, after, a]
                    x = (1.0 - alpha) * x + alpha * (p * action[1, after, i, a])
                    following[s, i, d, after, a] = x


@njit(cache=True, forceinline=True)
def add_episodes(averages: Averages, s: int, until: int) -> None:
    """Add the tables of first state s, as they are, for all episodes up to `until`."""
    sums, law, following = averages.sums, averages.law, averages.following
    count = float(until - averages.episodes[s])
    averages.episodes[s] = until
    N, D, T, A = law.shape[1], law.shape[2], len(averages.action), averages.action.shape[3]
    j = 2 * N
    for i in range(N):
        sums[s, i] += count * averages.value[0, s, i]
        sums[s, N + i] += count * averages.informed[0, s, i]
    for i in range(N):
        for d in range(D):
            sums[s, j] += count * law[s, i, d]
            j += 1
    for i in range(N):
        for d in range(following.shape[2]):
            for after in range(following.shape[3]):
                for a in range(A):
                    sums[s, j] += count * following[s, i, d, after, a]
                    j += 1
    for i in range(N if T > 2 else 0):
        sums[s, j + i] += count * averages.deviation[0, s, i]


@njit(cache=True, forceinline=True)
def compensate_averages(averages: Averages) -> None:
    """Move the recent sums to the totals, so that no precision is lost."""
    sums, totals = averages.sums, averages.totals
    for s in range(sums.shape[0]):
        for j in range(sums.shape[1]):
            totals[s, j], sums[s, j] = two_sum(totals[s, j], sums[s, j])


def online_certificate(game: Game, averages: Averages, episodes: int) -> OnlineCertificate:
    """Return the means over so many episodes; with 1, the tables of the first step as they are."""
    for s in range(game.S):
        add_episodes(averages, s, episodes)
    return split(game, ((averages.sums + averages.totals) / episodes)[game.initial > 0])


def split(game: Game, rows: Floats) -> OnlineCertificate:
    """Return the certificate whose arrays stand one after another in the rows."""
    parts, j = {}, 0
    for name, shape in online_shapes(game).items():
        size = math.prod(shape[1:])
        parts[name] = rows[:, j : j + size].reshape(shape)
        j += size
    return OnlineCertificate(game, **parts)
