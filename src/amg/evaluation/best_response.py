"""The best response to a controller: a search over what a deviator can have seen.

The deviator, agent i, sees states, its own actions and the others' sums, but not the node. It
carries a belief α over the nodes of the present (t, s), not normalised. After it has seen the
others' sum σ and the next state s', the belief is

    α'(m') = Σ_m α(m) Σ_rows P(row, σ | m) 1[successor in s' is m'].

The factor p(s' | s, e(a) + σ) is the same for all m. So the best continuation is homogeneous in α'
and does not depend on the own action, and the tree branches over (σ, s') only:

    B(t, s, α) = max_a Σ_σ ( |α_σ| r(s, a, σ) + Σ_s' p(s' | s, e(a) + σ) B(t+1, s', α'_{σ,s'}) ).

The tree is searched as deep as a budget of histories allows. Where it is cut, the informed deviator
bounds what follows from above, and one Markov deviation bounds it from below (values.py).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from amg.evaluation.controller import Controller
from amg.evaluation.values import Case
from amg.game.model import Game
from amg.kernels.sums import BLOCK, two_sum

BUDGET = 1_000_000  # histories that the search for one agent's best response may visit
ENTRIES = 100_000  # entries of laws per history; with more of them fewer histories are searched


class BestResponses(NamedTuple):
    """What deviations earn, normalised, and how far the search went."""

    low: NDArray[np.float64]  # [N]
    high: NDArray[np.float64]  # [N] equal to `low` where the search is complete
    complete: NDArray[np.bool_]  # [N]
    histories: NDArray[np.int64]  # [N]


def best_responses(
    game: Game,
    case: Case,
    start: NDArray[np.float64],
    informed: NDArray[np.float64],
    markov: NDArray[np.float64],
    budget: int,
) -> BestResponses:
    """Return the best response of each agent, or bounds where the budget does not suffice."""
    controller = case.controller
    depth, histories = np.zeros((2, game.N), dtype=np.int64)
    bounds = np.zeros((game.N, 2))
    scratch = _new_scratch(game, controller)
    budget = _affordable_budget(game, controller, budget)
    for i in range(game.N):
        depth[i], histories[i] = _search_depth(game, i, budget)
        for s in np.flatnonzero(game.initial).tolist():
            first, size = controller.base[0, s], controller.size[0, s]
            scratch.belief[0, :size] = start[first : first + size]
            bounds[i] += _search(case, informed, markov, 0, s, i, depth[i], scratch)
    return BestResponses(bounds[:, 0], bounds[:, 1], depth == game.T, histories)


def _affordable_budget(game: Game, controller: Controller, budget: int) -> int:
    """Return the budget, reduced if one history has so many rows that the search would take days.

    Only a crafted file reaches this limit.
    """
    rows = np.diff(controller.first_row[[*controller.base.ravel(), -1]]).max()
    return budget * ENTRIES // max(ENTRIES, int(rows) * game.N * game.D)


def _search_depth(game: Game, i: int, budget: int) -> tuple[int, int]:
    """Return how many steps of agent i's tree fit into the budget, and their histories."""
    branches = game.reachable[0][:, :, i].sum(axis=2)  # [T, S] sums of the others
    for depth in range(game.T, 0, -1):
        below = np.zeros(game.S)
        for t in range(depth - 1, -1, -1):
            successors = 0.0 if t + 1 == depth else below[: len(game.states[t + 1])].sum()
            below = np.minimum(1.0 + branches[t] * successors, budget + 1.0)  # not up to infinity
        histories = float(below[game.initial > 0].sum())
        if histories <= budget:
            return depth, int(histories)
    return 0, 0


class Scratch(NamedTuple):
    """Working memory of the search, one row per step."""

    belief: NDArray[np.float64]  # [T, nodes of a (t, s)] α
    rest: NDArray[np.float64]  # [T, nodes of a (t, s)] rounding error of α (sums.py)
    mass: NDArray[np.float64]  # [T, D] |α_σ|
    long: NDArray[np.float64]  # [T, D] the compensated part of |α_σ| while it is summed (sums.py)
    following: NDArray[np.float64]  # [T, D, S, 2] B after σ and s', lower and upper bound


def _new_scratch(game: Game, controller: Controller) -> Scratch:
    T, S, D, nodes = game.T, game.S, game.D, controller.size.max()
    return Scratch(
        belief=np.zeros((T, nodes)),
        rest=np.zeros((T, nodes)),
        mass=np.zeros((T, D)),
        long=np.zeros((T, D)),
        following=np.zeros((T, D, S, 2)),
    )


@njit(cache=True, nogil=True)
def _search(
    case: Case,
    informed: NDArray[np.float64],
    markov: NDArray[np.float64],
    t: int,
    s: int,
    i: int,
    depth: int,
    scratch: Scratch,
) -> tuple[float, float]:
    """Return bounds of B(t, s, α) for the belief α in `scratch.belief[t]`."""
    game, controller = case.game, case.controller
    belief, mass, following = scratch.belief, scratch.mass, scratch.following
    T, D = len(game.n_states), mass.shape[1]
    first, size = controller.base[t, s], controller.size[t, s]
    low, high = 0.0, 0.0
    if t == depth:
        low_rest, high_rest = 0.0, 0.0
        for m in range(size):
            low, low_rest = two_sum(low, low_rest + belief[t, m] * markov[first + m, i])
            high, high_rest = two_sum(high, high_rest + belief[t, m] * informed[first + m, i])
        return low, high
    _sum_masses(case, t, s, i, scratch)
    if t + 1 < T:
        for d in range(D):
            if mass[t, d] > 0.0:
                for after in range(game.n_states[t + 1]):
                    _update_belief(case, t, s, i, d, after, scratch)
                    low, high = _search(case, informed, markov, t + 1, after, i, depth, scratch)
                    following[t, d, after, 0], following[t, d, after, 1] = low, high
    low, high = -np.inf, -np.inf
    for a in range(game.n_actions[t, s, i]):
        e = game.effort[t, s, i, a]
        pay, later_low, later_high = 0.0, 0.0, 0.0
        for d in range(D - e):
            if mass[t, d] > 0.0:
                pay += mass[t, d] * game.reward[t, s, i, a, d]
                if t + 1 < T:
                    for after in range(game.n_states[t + 1]):
                        p = case.transition[t, s, d + e, after]
                        later_low += p * following[t, d, after, 0]
                        later_high += p * following[t, d, after, 1]
        low, high = max(low, pay + later_low), max(high, pay + later_high)
    return low, high


@njit(cache=True)
def _sum_masses(case: Case, t: int, s: int, i: int, scratch: Scratch) -> None:
    """Set mass[t, σ] to Σ_m α(m) P(σ | m)."""
    controller, mass, long = case.controller, scratch.mass, scratch.long
    D, first = mass.shape[1], controller.first_row[controller.base[t, s]]
    for d in range(D):
        mass[t, d] = long[t, d] = 0.0
    for m in range(controller.size[t, s]):
        node, alpha = controller.base[t, s] + m, scratch.belief[t, m]
        if alpha > 0.0:
            for row in range(controller.first_row[node], controller.first_row[node + 1]):
                for d in range(D):
                    mass[t, d] += alpha * case.others[row, i, d]
                if (row - first) % BLOCK == BLOCK - 1:
                    for d in range(D):
                        long[t, d], mass[t, d] = two_sum(long[t, d], mass[t, d])
    for d in range(D):
        mass[t, d] += long[t, d]


@njit(cache=True)
def _update_belief(
    case: Case, t: int, s: int, i: int, d: int, after: int, scratch: Scratch
) -> None:
    """Set belief[t + 1] to the belief over the nodes of s' = `after`, given the others' sum d."""
    controller, belief, rest = case.controller, scratch.belief, scratch.rest
    following = controller.base[t + 1, after]
    for m in range(controller.size[t + 1, after]):
        belief[t + 1, m] = rest[t + 1, m] = 0.0
    for m in range(controller.size[t, s]):
        node = controller.base[t, s] + m
        if belief[t, m] > 0.0:
            for row in range(controller.first_row[node], controller.first_row[node + 1]):
                m_next = controller.successor[row, after] - following
                term = belief[t, m] * case.others[row, i, d] + rest[t + 1, m_next]
                belief[t + 1, m_next], rest[t + 1, m_next] = two_sum(belief[t + 1, m_next], term)
