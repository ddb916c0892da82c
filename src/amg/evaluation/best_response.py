"""The best response to a controller: a search over what a deviator can have seen.

The deviator, agent i, sees states, its own actions and the others' sums, but not the node. It
carries a belief α over the nodes of the present (t, s), not normalised. After it has seen the
others' sum σ and the next state s', the belief is

    α'(m') = Σ_m α(m) Σ_rows P(row, σ | m) 1[successor in s' is m'].

The factor p(s' | s, e(a) + σ) is the same for all m. So the best continuation is homogeneous in α'
and does not depend on the own action, and the tree branches over (σ, s') only:

    B(t, s, α) = max_a Σ_σ ( |α_σ| r(s, a, σ) + Σ_s' p(s' | s, e(a) + σ) B(t+1, s', α'_{σ,s'}) ).

The deviator knows the initial state. So there is one search from each, with its own first belief.

The tree is searched as deep as a budget of histories allows. Where it is cut, the informed deviator
bounds what follows from above, and one Markov deviation bounds it from below (values.py).
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from amg.evaluation.values import Case
from amg.game.model import Game
from amg.kernels.sums import BLOCK, two_sum

BUDGET = 1_000_000  # histories that the search for one agent's best response may visit
ENTRIES = 100_000  # entries of laws per history; with more, fewer histories are searched


class Search(NamedTuple):
    """The search for one agent's best response; working memory has one row per step."""

    case: Case
    agent: int
    depth: int  # steps that are searched
    bounds: NDArray[np.float64]  # [nodes, N, 2] of what follows where the tree is cut
    belief: NDArray[np.float64]  # [T, nodes of a (t, s)] α
    rest: NDArray[np.float64]  # [T, nodes of a (t, s)] rounding error of α (sums.py)
    mass: NDArray[np.float64]  # [T, D] |α_σ|
    long: NDArray[np.float64]  # [T, D] the compensated part of |α_σ| while it is summed (sums.py)
    following: NDArray[np.float64]  # [T, D, S, 2] B after σ and s', lower and upper bound


def best_response(
    game: Game, case: Case, bounds: NDArray[np.float64], i: int, budget: int
) -> tuple[list[tuple[float, float]], bool, int]:
    """Return bounds of agent i's best response from each initial state s: B(1, s, start | s).

    Also whether they are exact, and how many histories were searched from all initial states.
    """
    T, D, controller = game.T, game.D, case.controller
    rows = np.diff(controller.first_row[[*controller.base.ravel(), -1]]).max()  # of one (t, s)
    budget = budget * ENTRIES // max(ENTRIES, int(rows) * game.N * D)
    depth, histories = _search_depth(game, i, budget)
    belief, mass = np.zeros((T, controller.size.max())), np.zeros((T, D))
    following = np.zeros((T, D, game.S, 2))
    search = Search(case, i, depth, bounds, belief, belief.copy(), mass, mass.copy(), following)
    found = []
    for s in np.flatnonzero(game.initial).tolist():
        first, size = controller.base[0, s], controller.size[0, s]
        belief[0, :size] = controller.start[first : first + size] / game.initial[s]
        found.append(_search(search, 0, s))
    return found, depth == T, histories


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


@njit(cache=True, nogil=True)
def _search(search: Search, t: int, s: int) -> tuple[float, float]:
    """Return bounds of B(t, s, α) for the belief α in `search.belief[t]`."""
    game, transition, controller, _ = search.case
    i, bounds, belief = search.agent, search.bounds, search.belief[t]
    mass, following, reward = search.mass[t], search.following[t], game.reward
    n_after = game.n_states[t + 1] if t + 1 < len(game.n_states) else 0
    low, high = 0.0, 0.0
    if t == search.depth:
        low_rest, high_rest = 0.0, 0.0
        base = controller.base[t, s]
        for m in range(controller.size[t, s]):
            low, low_rest = two_sum(low, low_rest + belief[m] * bounds[base + m, i, 0])
            high, high_rest = two_sum(high, high_rest + belief[m] * bounds[base + m, i, 1])
        return low, high
    _sum_masses(search, t, s)
    for d in range(len(mass)):
        if mass[d] > 0.0:
            for after in range(n_after):
                _update_belief(search, t, s, d, after)
                following[d, after, 0], following[d, after, 1] = _search(search, t + 1, after)
    low, high = -np.inf, -np.inf
    for a in range(game.n_actions[t, s, i]):
        e = game.effort[t, s, i, a]
        pay, later_low, later_high = 0.0, 0.0, 0.0
        for d in range(len(mass) - e):
            if mass[d] > 0.0:
                pay += mass[d] * reward[t, s, i, a, d]
                for after in range(n_after):
                    p = transition[t, s, d + e, after]
                    later_low += p * following[d, after, 0]
                    later_high += p * following[d, after, 1]
        low, high = max(low, pay + later_low), max(high, pay + later_high)
    return low, high


@njit(cache=True)
def _sum_masses(search: Search, t: int, s: int) -> None:
    """Set mass[t, σ] to Σ_m α(m) P(σ | m)."""
    controller, i, others = search.case.controller, search.agent, search.case.others
    belief, mass, long = search.belief[t], search.mass[t], search.long[t]
    base, first_row = controller.base[t, s], controller.first_row
    mass[:] = long[:] = 0.0
    for m in range(controller.size[t, s]):
        if belief[m] > 0.0:
            for row in range(first_row[base + m], first_row[base + m + 1]):
                for d in range(len(mass)):
                    mass[d] += belief[m] * others[row, i, d]
                if (row - first_row[base]) % BLOCK == BLOCK - 1:
                    for d in range(len(mass)):
                        long[d], mass[d] = two_sum(long[d], mass[d])
    mass += long


@njit(cache=True)
def _update_belief(search: Search, t: int, s: int, d: int, after: int) -> None:
    """Set belief[t + 1] to the belief over the nodes of s' = `after`, given the others' sum d."""
    controller, i, others = search.case.controller, search.agent, search.case.others
    belief, new, rest = search.belief[t], search.belief[t + 1], search.rest[t + 1]
    base, first_row, successor = controller.base[t, s], controller.first_row, controller.successor
    following, size = controller.base[t + 1, after], controller.size[t + 1, after]
    new[:size] = rest[:size] = 0.0
    for m in range(controller.size[t, s]):
        if belief[m] > 0.0:
            for row in range(first_row[base + m], first_row[base + m + 1]):
                m_next = successor[row, after] - following
                term = belief[m] * others[row, i, d] + rest[m_next]
                new[m_next], rest[m_next] = two_sum(new[m_next], term)
