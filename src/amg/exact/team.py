"""The team optimum: the most that the agents can earn together.

    W^t(s) = max_a Σ_i r_i^t(s, a_i, Σ_{j≠i} e_j) + Σ_{s'} p^t(s' | s, Σ_j e_j) W^{t+1}(s').

There are A^N joint actions, but for a fixed total d the sum separates over the agents: agent i adds
r_i(s, a_i, d − e(a_i)), however the others make up the rest of d. What remains is a knapsack that
must be filled to exactly d, solved over (agent, partial sum). All d together take O(N · D² · A),
even if no two agents are alike. Markov policies suffice, since this is one decision maker's MDP.
"""

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from amg.exact.stage import backward, by_total, play
from amg.game.model import Game
from amg.kernels.sums import times


@dataclass(frozen=True)
class TeamOptimum:
    """A joint Markov policy that maximises the sum over agents, and what it pays."""

    average: float  # per agent, expected total reward from the start
    per_agent: NDArray[np.float64]  # [N] shares under this policy; others may divide it differently
    actions: NDArray[np.int64]  # [T, S, N] an optimal joint action, −1 in padded states
    total: NDArray[np.float64]  # [T+1, S] W^t(s), summed over agents


def team_optimum(game: Game) -> TeamOptimum:
    """Return the joint Markov policy with the largest expected total reward of all agents."""
    total = np.zeros((game.T + 1, game.S))
    actions = np.full((game.T, game.S, game.N), -1, dtype=np.int64)
    for t, s in backward(game):
        effort = game.effort[t, s]
        score = by_total(effort, game.reward[t, s])
        promised = times(game.transition[t, s], total[t + 1])
        total[t, s], actions[t, s] = best_joint_action(effort, score, promised)
    return TeamOptimum(
        average=float(times(game.initial, total[0])) / game.N,
        per_agent=times(game.initial, play(game, actions)[0]),
        actions=actions,
        total=total,
    )


@njit(cache=True, nogil=True)
def best_joint_action(
    effort: NDArray[np.int64], score: NDArray[np.float64], following: NDArray[np.float64]
) -> tuple[float, NDArray[np.int64]]:
    """Return max_a Σ_i score_i(a_i, d) + following(d) over joint actions a, d = Σ_j e(a_j), and a.

    best[k] is the most that the agents so far can score with efforts adding up to k, and
    choice[i, k] the action of agent i that achieves it. A score of −∞ forbids an action; if no
    joint action is allowed, the value is −∞.
    """
    N, A, D = score.shape
    choice = np.empty((N, D), dtype=np.int64)
    actions = np.full(N, -1)
    value = -np.inf
    for d in range(D):
        best = np.full(d + 1, -np.inf)
        best[0] = 0.0
        for i in range(N):
            grown = np.full(d + 1, -np.inf)
            for a in range(A):
                e = effort[i, a]
                if e < 0:
                    continue
                for k in range(d + 1 - e):
                    if best[k] + score[i, a, d] > grown[k + e]:
                        grown[k + e] = best[k] + score[i, a, d]
                        choice[i, k + e] = a
            best = grown
        if best[d] + following[d] > value:
            value = best[d] + following[d]
            left = d
            for i in range(N - 1, -1, -1):
                actions[i] = choice[i, left]
                left -= effort[i, actions[i]]
    return value, actions
