"""Exact evaluation of a controller: its value, and what agents could gain by deviating.

For each agent i:

* **value** V[n] of a node: the expectation of r + V[successor] under the node's law;
* **informed deviator** U[n] = max_a E[r(a, σ) + U[successor]]: chooses knowing the node. This is
  the recursion in the proof of the confidence lemma and bounds every deviation;
* **best response** as the paper defines it: the deviator sees only the history. It carries a belief
  α over the nodes of the present (t, s), unnormalised, and after seeing the others' sum σ and s',

      α'(m') = Σ_m α(m) Σ_rows P(row, σ | m) 1[successor in s' is m'],

  while p(s' | s, e(a) + σ) is a factor common to all m. So the best continuation is homogeneous in
  α', does not depend on the own action, and the tree branches over (σ, s') only:

      B(t, s, α) = max_a Σ_σ ( |α_σ| r(s, a, σ) + Σ_s' p(s' | s, e(a) + σ) B(t+1, s', α'_{σ,s'}) ).

Rewards are normalised to [0, 1] for all this, as in learning, so that no unit of pay, however small
or large or far from 0, costs digits of a gap; what is reported is in the game's raw units again.

The tree is searched to the depth that a budget of histories allows; where it is cut, the informed
deviator bounds what follows from above and one Markov deviation from below.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from amg.certification.controller import Controller
from amg.game import Game, Tables
from amg.sums import BLOCK, fold

BUDGET = 1_000_000  # histories an agent's best response may search
ENTRIES = (
    100_000  # of all agents' laws that a history may add up; where it is more, fewer histories
)


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What a controller is worth and what deviating from it would gain, per agent, raw units."""

    value: NDArray[np.float64]  # [N]
    best_response: NDArray[np.float64]  # [N] or, where the search was cut, its upper bound
    best_response_low: NDArray[np.float64]  # [N] equal to best_response where it is exact
    informed: NDArray[np.float64]  # [N]
    # ε_i = best response − value; may be negative, a deviator gives up the correlation
    gap: NDArray[np.float64]  # [N]
    gap_low: NDArray[np.float64]  # [N] lower end of the bracket; equal to `gap` where it is exact
    informed_gap: NDArray[np.float64]  # [N] ε_i against the informed deviator
    exact: NDArray[np.bool_]  # [N] the whole tree of histories was searched
    histories: NDArray[np.int64]  # [N] of the tree, as far as it was searched
    node_value: NDArray[np.float64]  # [nodes, N] V, normalised
    node_informed: NDArray[np.float64]  # [nodes, N] U, normalised


class Case(NamedTuple):
    """What is evaluated: a game and a controller of it."""

    game: Tables
    transition: NDArray[np.float64]  # [T, S, D, S]
    controller: Controller
    others: NDArray[np.float64]  # [rows, N, D] P(row, σ), whatever the agent itself does


def evaluate(game: Game, controller: Controller, budget: int = BUDGET) -> Evaluation:
    """Value, informed deviator and best response of every agent."""
    case = Case(game.tables, game.transition, controller, controller.law.sum(axis=2))
    start = _start_weights(game, controller)
    value, informed, markov = (np.zeros((len(start), game.N)) for _ in range(3))
    _value(case, value)
    _informed(case, informed)
    _markov(case, _reached(case, start.copy()), markov)
    depth, histories = np.zeros((2, game.N), dtype=np.int64)
    bounds = np.zeros((game.N, 2))
    scratch = _search_scratch(game, controller)
    budget = _within_reach(game, controller, budget)
    for i in range(game.N):
        depth[i], histories[i] = _affordable(game, i, budget)
        for s in np.flatnonzero(game.initial).tolist():
            first, size = controller.base[0, s], controller.size[0, s]
            scratch.belief[0, :size] = start[first : first + size]
            bounds[i] += _search(case, informed, markov, 0, s, i, depth[i], scratch)
    worth, (low, high), best = _mean(start, value), bounds.T, _mean(start, informed)
    floor = game.T * game.reward_range[0]
    return Evaluation(
        value=floor + game.scale * worth,
        best_response=floor + game.scale * high,
        best_response_low=floor + game.scale * low,
        informed=floor + game.scale * best,
        gap=game.scale * (high - worth),
        gap_low=game.scale * (low - worth),
        informed_gap=game.scale * (best - worth),
        exact=depth == game.T,
        histories=histories,
        node_value=value,
        node_informed=informed,
    )


def _mean(start: NDArray[np.float64], of_nodes: NDArray[np.float64]) -> NDArray[np.float64]:
    """[N] the mean over the nodes in which play starts."""
    first = np.flatnonzero(start)
    terms = start[first, None] * of_nodes[first]
    return np.array([math.fsum(column) for column in terms.T])


def _start_weights(game: Game, controller: Controller) -> NDArray[np.float64]:
    """Probability that play starts in each node."""
    weights = np.zeros(len(controller.start))
    for s in np.flatnonzero(game.initial):
        rows = slice(controller.base[0, s], controller.base[0, s] + controller.size[0, s])
        weights[rows] = game.initial[s] * controller.start[rows]
    return weights


def _within_reach(game: Game, controller: Controller, budget: int) -> int:
    """The budget, cut where each history has so many rows that all of them would take days.

    No run of an honest length comes near; a file of a few megabytes can be made that does.
    """
    rows = np.diff(controller.first_row[[*controller.base.ravel(), -1]]).max()
    return budget * ENTRIES // max(ENTRIES, int(rows) * game.N * game.D)


def _affordable(game: Game, i: int, budget: int) -> tuple[int, int]:
    """How many steps deep agent i's tree of histories may be searched, and its size then."""
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
def _reached(case: Case, reached: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probability that play visits each node when nobody deviates, from that of starting there."""
    game, controller = case.game, case.controller
    D = game.reward.shape[4]
    for node in range(len(reached)):
        t, s = controller.step[node], controller.state[node]
        if t + 1 == len(game.n_states):
            break
        for row in range(controller.first_row[node], controller.first_row[node + 1]):
            for a in range(game.n_actions[t, s, 0]):  # agent 1's law, as good as any
                e = game.effort[t, s, 0, a]
                for d in range(D - e):
                    w = reached[node] * controller.law[row, 0, a, d]
                    if w > 0.0:
                        for after in range(game.n_states[t + 1]):
                            p = case.transition[t, s, d + e, after]
                            reached[controller.successor[row, after]] += w * p
    return reached


@njit(cache=True, inline="always")  # a call would count references to every array of the case
def _worth(
    case: Case, ahead: NDArray[np.float64], node: int, row: int, i: int, a: int, d: int
) -> float:
    """r_i + E[ahead of the successor] when agent i plays a and the others' efforts sum to d."""
    game, controller = case.game, case.controller
    t, s = controller.step[node], controller.state[node]
    worth = game.reward[t, s, i, a, d]
    if t + 1 < len(game.n_states):
        total = d + game.effort[t, s, i, a]
        for after in range(game.n_states[t + 1]):
            p = case.transition[t, s, total, after]
            if p > 0.0:
                worth += p * ahead[controller.successor[row, after], i]
    return worth


@njit(cache=True, nogil=True)
def _value(case: Case, value: NDArray[np.float64]) -> None:
    """V[n, i] = Σ_rows Σ_{a,σ} law(a, σ) (r + E V[successor]), backwards over the nodes.

    A long stage before one that stalls has a row for every few visits: their sums are folded.
    """
    controller, n_actions = case.controller, case.game.n_actions
    _, N, _, D = controller.law.shape
    long = np.zeros(N)
    for node in range(len(value) - 1, -1, -1):
        t, s = controller.step[node], controller.state[node]
        first = controller.first_row[node]
        long[:] = 0.0
        for row in range(first, controller.first_row[node + 1]):
            for i in range(N):
                for a in range(n_actions[t, s, i]):
                    for d in range(D):
                        w = controller.law[row, i, a, d]
                        if w > 0.0:
                            value[node, i] += w * _worth(case, value, node, row, i, a, d)
            if (row - first) % BLOCK == BLOCK - 1:
                for i in range(N):
                    long[i], value[node, i] = fold(long[i], value[node, i])
        for i in range(N):
            value[node, i] += long[i]


@njit(cache=True)
def _gain(case: Case, ahead: NDArray[np.float64], node: int, i: int, a: int) -> float:
    """Σ_rows Σ_σ P(row, σ) (r + E ahead[successor]): action a to a deviator in this node."""
    gain, long = 0.0, 0.0
    first = case.controller.first_row[node]
    for row in range(first, case.controller.first_row[node + 1]):
        for d in range(case.others.shape[2]):
            w = case.others[row, i, d]
            if w > 0.0:
                gain += w * _worth(case, ahead, node, row, i, a, d)
        if (row - first) % BLOCK == BLOCK - 1:
            long, gain = fold(long, gain)
    return long + gain


@njit(cache=True, nogil=True)
def _informed(case: Case, informed: NDArray[np.float64]) -> None:
    """U[n, i] = max_a of the gain, backwards over the nodes."""
    controller, n_actions = case.controller, case.game.n_actions
    for node in range(len(informed) - 1, -1, -1):
        t, s = controller.step[node], controller.state[node]
        for i in range(informed.shape[1]):
            best = -np.inf
            for a in range(n_actions[t, s, i]):
                best = max(best, _gain(case, informed, node, i, a))
            informed[node, i] = best


@njit(cache=True, nogil=True)
def _markov(case: Case, reached: NDArray[np.float64], markov: NDArray[np.float64]) -> None:
    """The value of one Markov deviation: in each (t, s) the action that gains most on average over
    the nodes as play reaches them."""
    controller, n_actions = case.controller, case.game.n_actions
    T, S, N = n_actions.shape
    for t in range(T - 1, -1, -1):
        for s in range(S):
            nodes = range(controller.base[t, s], controller.base[t, s] + controller.size[t, s])
            for i in range(N):
                best, most = 0, -np.inf
                for a in range(n_actions[t, s, i]):
                    average = 0.0
                    for node in nodes:
                        average += reached[node] * _gain(case, markov, node, i, a)
                    if average > most:
                        best, most = a, average
                for node in nodes:
                    markov[node, i] = _gain(case, markov, node, i, best)


class SearchScratch(NamedTuple):
    """Working memory of the search, a row for each step."""

    belief: NDArray[np.float64]  # [T, nodes of a (t, s)] α
    rest: NDArray[np.float64]  # [T, nodes of a (t, s)] what rounding takes from α (sums.py)
    mass: NDArray[np.float64]  # [T, D] |α_σ|
    long: NDArray[np.float64]  # [T, D] the same while it is summed, the long part (sums.py)
    ahead: NDArray[np.float64]  # [T, D, S, 2] what follows σ and s', from below and from above


def _search_scratch(game: Game, controller: Controller) -> SearchScratch:
    T, S, D, nodes = game.T, game.S, game.D, controller.size.max()
    return SearchScratch(
        belief=np.zeros((T, nodes)),
        rest=np.zeros((T, nodes)),
        mass=np.zeros((T, D)),
        long=np.zeros((T, D)),
        ahead=np.zeros((T, D, S, 2)),
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
    scratch: SearchScratch,
) -> tuple[float, float]:
    """B(t, s, α) for the belief α in `scratch.belief[t]`, as a bracket."""
    game, controller = case.game, case.controller
    belief, mass, ahead = scratch.belief, scratch.mass, scratch.ahead
    T, D = len(game.n_states), mass.shape[1]
    first, size = controller.base[t, s], controller.size[t, s]
    low, high = 0.0, 0.0
    if t == depth:
        low_rest, high_rest = 0.0, 0.0
        for m in range(size):
            low, low_rest = fold(low, low_rest + belief[t, m] * markov[first + m, i])
            high, high_rest = fold(high, high_rest + belief[t, m] * informed[first + m, i])
        return low, high
    _weigh(case, t, s, i, scratch)
    if t + 1 < T:
        for d in range(D):
            if mass[t, d] > 0.0:
                for after in range(game.n_states[t + 1]):
                    _observe(case, t, s, i, d, after, scratch)
                    low, high = _search(case, informed, markov, t + 1, after, i, depth, scratch)
                    ahead[t, d, after, 0], ahead[t, d, after, 1] = low, high
    low, high = -np.inf, -np.inf
    for a in range(game.n_actions[t, s, i]):
        e = game.effort[t, s, i, a]
        pay, gain_low, gain_high = 0.0, 0.0, 0.0
        for d in range(D - e):
            if mass[t, d] > 0.0:
                pay += mass[t, d] * game.reward[t, s, i, a, d]
                if t + 1 < T:
                    for after in range(game.n_states[t + 1]):
                        p = case.transition[t, s, d + e, after]
                        gain_low += p * ahead[t, d, after, 0]
                        gain_high += p * ahead[t, d, after, 1]
        low, high = max(low, pay + gain_low), max(high, pay + gain_high)
    return low, high


@njit(cache=True)
def _weigh(case: Case, t: int, s: int, i: int, scratch: SearchScratch) -> None:
    """mass[t, σ] ← Σ_m α(m) P(σ | m)."""
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
                        long[t, d], mass[t, d] = fold(long[t, d], mass[t, d])
    for d in range(D):
        mass[t, d] += long[t, d]


@njit(cache=True)
def _observe(
    case: Case, t: int, s: int, i: int, d: int, after: int, scratch: SearchScratch
) -> None:
    """belief[t + 1] ← the belief over the nodes of s' = `after`, having seen the others' sum d."""
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
                belief[t + 1, m_next], rest[t + 1, m_next] = fold(belief[t + 1, m_next], term)
