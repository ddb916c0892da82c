"""Exact evaluation of a controller: its value, and what agents could gain by deviating.

All in the game's raw units, for each agent i:

* **value** V[n] of a node: the expectation of r + V[successor] under the node's law;
* **informed deviator** U[n] = max_a E[r(a, σ) + U[successor]]: chooses knowing the node. This is
  the recursion in the proof of the confidence lemma and bounds every deviation;
* **best response** as the paper defines it: the deviator sees only the history. It carries a belief
  α over the nodes of the present (t, s), unnormalised, and after seeing the others' sum σ and s',

      α'(m') = Σ_m α(m) Σ_rows P(row, σ | m) 1[successor in s' is m'],

  while p(s' | s, e(a) + σ) is a factor common to all m. So the best continuation is homogeneous in
  α', does not depend on the own action, and the tree branches over (σ, s') only:

      B(t, s, α) = max_a Σ_σ ( |α_σ| r(s, a, σ) + Σ_s' p(s' | s, e(a) + σ) B(t+1, s', α'_{σ,s'}) ).

The tree is searched to the depth that a budget of histories allows; where it is cut, the informed
deviator bounds what follows from above and one Markov deviation from below.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from amg.certification.controller import Controller
from amg.game import Game, Tables

BUDGET = 1_000_000  # histories an agent's best response may search


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What a controller is worth and what deviating from it would gain, per agent, raw units."""

    value: NDArray[np.float64]  # [N]
    best_response: NDArray[np.float64]  # [N] or, where the search was cut, its upper bound
    best_response_low: NDArray[np.float64]  # [N] equal to best_response where it is exact
    informed: NDArray[np.float64]  # [N]
    exact: NDArray[np.bool_]  # [N] the whole tree of histories was searched
    histories: NDArray[np.int64]  # [N] of the tree, as far as it was searched
    node_value: NDArray[np.float64]  # [nodes, N] V
    node_informed: NDArray[np.float64]  # [nodes, N] U

    @property
    def gap(self) -> NDArray[np.float64]:
        """ε_i = best response − value; may be negative, a deviator gives up the correlation."""
        return self.best_response - self.value

    @property
    def gap_low(self) -> NDArray[np.float64]:
        """Lower end of the bracket on ε_i; equal to `gap` where the best response is exact."""
        return self.best_response_low - self.value

    @property
    def informed_gap(self) -> NDArray[np.float64]:
        """ε_i against the informed deviator."""
        return self.informed - self.value


def evaluate(game: Game, controller: Controller, budget: int = BUDGET) -> Evaluation:
    """Value, informed deviator and best response of every agent."""
    tables, nodes, N = game.tables, len(controller.start), game.N
    others = controller.law.sum(axis=2)  # [rows, N, D] P(row, σ), whatever the agent itself does
    value, informed, markov = (np.zeros((nodes, N)) for _ in range(3))
    _values(tables, game.transition, controller, value)
    reached = _reached(game, controller)
    _deviators(tables, game.transition, controller, others, reached, informed, markov)
    depth, histories = np.zeros(N, dtype=np.int64), np.zeros(N, dtype=np.int64)
    bounds = np.zeros((N, 2))
    scratch = _search_scratch(game, controller)
    for i in range(N):
        depth[i], histories[i] = _affordable(game, i, budget)
        for s in np.flatnonzero(game.initial).tolist():
            first, size = controller.base[0, s], controller.size[0, s]
            scratch[0][0, :size] = controller.start[first : first + size]
            low, high = _search(
                tables, game.transition, controller, others, informed, markov,
                0, s, i, depth[i], *scratch,
            )  # fmt: skip
            bounds[i] += game.initial[s] * np.array([low, high])
    at_start = _start_weights(game, controller)
    return Evaluation(
        value=at_start @ value,
        best_response=bounds[:, 1],
        best_response_low=bounds[:, 0],
        informed=at_start @ informed,
        exact=depth == game.T,
        histories=histories,
        node_value=value,
        node_informed=informed,
    )


def _start_weights(game: Game, controller: Controller) -> NDArray[np.float64]:
    """Probability that play starts in each node."""
    weights = np.zeros(len(controller.start))
    for s in np.flatnonzero(game.initial):
        rows = slice(controller.base[0, s], controller.base[0, s] + controller.size[0, s])
        weights[rows] = game.initial[s] * controller.start[rows]
    return weights


def _affordable(game: Game, i: int, budget: int) -> tuple[int, int]:
    """How many steps deep agent i's tree of histories may be searched, and its size then."""
    branches = game.reachable[0][:, :, i].sum(axis=2)  # [T, S] sums of the others
    for depth in range(game.T, 0, -1):
        below = np.zeros(game.S)
        for t in range(depth - 1, -1, -1):
            successors = 0.0 if t + 1 == depth else below[: len(game.states[t + 1])].sum()
            below = 1.0 + branches[t] * successors
        histories = float(below[game.initial > 0].sum())
        if histories <= budget:
            return depth, int(histories)
    return 0, 0


def _reached(game: Game, controller: Controller) -> NDArray[np.float64]:
    """Probability that play visits each node when nobody deviates."""
    reached = _start_weights(game, controller)
    _flow(game.tables, game.transition, controller, reached)
    return reached


@njit(cache=True)
def _flow(
    game: Tables, transition: NDArray[np.float64], controller: Controller,
    reached: NDArray[np.float64],
) -> None:  # fmt: skip
    T, _, N, _, D = game.reward.shape
    for t in range(T - 1):
        for s in range(game.n_states[t]):
            first = controller.base[t, s]
            for node in range(first, first + controller.size[t, s]):
                for row in range(controller.first_row[node], controller.first_row[node + 1]):
                    for a in range(game.n_actions[t, s, 0]):  # agent 1's law, as good as any
                        e = game.effort[t, s, 0, a]
                        for d in range(D - e):
                            w = reached[node] * controller.law[row, 0, a, d]
                            if w > 0.0:
                                for after in range(game.n_states[t + 1]):
                                    p = transition[t, s, d + e, after]
                                    reached[controller.successor[row, after]] += w * p


@njit(cache=True)
def _ahead(
    game: Tables, transition: NDArray[np.float64], controller: Controller,
    value: NDArray[np.float64], t: int, s: int, i: int, row: int, total: int,
) -> float:  # fmt: skip
    """E[value of the successor node | row, total]: what agent i may expect after this step."""
    expected = 0.0
    if t + 1 < len(game.n_states):
        for after in range(game.n_states[t + 1]):
            p = transition[t, s, total, after]
            if p > 0.0:
                expected += p * value[controller.successor[row, after], i]
    return expected


@njit(cache=True)
def _values(
    game: Tables, transition: NDArray[np.float64], controller: Controller,
    value: NDArray[np.float64],
) -> None:  # fmt: skip
    """V[n, i] of every node, backwards."""
    T, _, N, _, D = game.reward.shape
    for t in range(T - 1, -1, -1):
        for s in range(game.n_states[t]):
            first = controller.base[t, s]
            for node in range(first, first + controller.size[t, s]):
                for row in range(controller.first_row[node], controller.first_row[node + 1]):
                    for i in range(N):
                        for a in range(game.n_actions[t, s, i]):
                            e = game.effort[t, s, i, a]
                            for d in range(D - e):
                                w = controller.law[row, i, a, d]
                                if w > 0.0:
                                    value[node, i] += w * (
                                        game.raw_reward[t, s, i, a, d]
                                        + _ahead(
                                            game, transition, controller, value, t, s, i, row, d + e
                                        )
                                    )


@njit(cache=True)
def _deviators(
    game: Tables, transition: NDArray[np.float64], controller: Controller,
    others: NDArray[np.float64], reached: NDArray[np.float64],
    informed: NDArray[np.float64], markov: NDArray[np.float64],
) -> None:  # fmt: skip
    """U[n, i], and the value of one Markov deviation: in each (t, s) the action that is best on
    average over the nodes as play reaches them."""
    T, _, N, A, D = game.reward.shape
    gain = np.zeros((A, 2))
    for t in range(T - 1, -1, -1):
        for s in range(game.n_states[t]):
            first, size = controller.base[t, s], controller.size[t, s]
            fallback = np.zeros((size, A))
            for i in range(N):
                n = game.n_actions[t, s, i]
                average = np.zeros(A)
                for node in range(first, first + size):
                    gain[:, :] = 0.0
                    for row in range(controller.first_row[node], controller.first_row[node + 1]):
                        for a in range(n):
                            e = game.effort[t, s, i, a]
                            for d in range(D - e):
                                w = others[row, i, d]
                                if w > 0.0:
                                    r = game.raw_reward[t, s, i, a, d]
                                    gain[a, 0] += w * (
                                        r
                                        + _ahead(
                                            game,
                                            transition,
                                            controller,
                                            informed,
                                            t,
                                            s,
                                            i,
                                            row,
                                            d + e,
                                        )
                                    )
                                    gain[a, 1] += w * (r + _ahead(
                                        game, transition, controller, markov,
                                        t, s, i, row, d + e,
                                    ))  # fmt: skip
                    informed[node, i] = gain[:n, 0].max()
                    for a in range(n):
                        fallback[node - first, a] = gain[a, 1]
                        average[a] += reached[node] * gain[a, 1]
                best = np.argmax(average[:n])
                for m in range(size):
                    markov[first + m, i] = fallback[m, best]


def _search_scratch(game: Game, controller: Controller) -> tuple[NDArray[np.float64], ...]:
    """Belief [T, nodes], mass [T, D] and continuation [T, D, S, 2] of the search, a row a level."""
    T, S, D = game.T, game.S, game.D
    return np.zeros((T, controller.size.max())), np.zeros((T, D)), np.zeros((T, D, S, 2))


@njit(cache=True)
def _search(
    game: Tables, transition: NDArray[np.float64], controller: Controller,
    others: NDArray[np.float64], informed: NDArray[np.float64], markov: NDArray[np.float64],
    t: int, s: int, i: int, depth: int,
    belief: NDArray[np.float64], mass: NDArray[np.float64], ahead: NDArray[np.float64],
) -> tuple[float, float]:  # fmt: skip
    """B(t, s, α) for the belief α in `belief[t]`, as a bracket."""
    T, _, _, _, D = game.reward.shape
    first, size = controller.base[t, s], controller.size[t, s]
    low, high = 0.0, 0.0
    if t == depth:
        for m in range(size):
            low += belief[t, m] * markov[first + m, i]
            high += belief[t, m] * informed[first + m, i]
        return low, high
    for d in range(D):
        mass[t, d] = 0.0
    for m in range(size):
        if belief[t, m] > 0.0:
            for row in range(controller.first_row[first + m], controller.first_row[first + m + 1]):
                for d in range(D):
                    mass[t, d] += belief[t, m] * others[row, i, d]
    if t + 1 < T:
        for d in range(D):
            if mass[t, d] > 0.0:
                for after in range(game.n_states[t + 1]):
                    _observe(controller, others, t, s, i, d, after, belief)
                    low, high = _search(
                        game, transition, controller, others, informed, markov,
                        t + 1, after, i, depth, belief, mass, ahead,
                    )  # fmt: skip
                    ahead[t, d, after, 0], ahead[t, d, after, 1] = low, high
    low, high = -np.inf, -np.inf
    for a in range(game.n_actions[t, s, i]):
        e = game.effort[t, s, i, a]
        gain_low, gain_high = 0.0, 0.0
        for d in range(D - e):
            if mass[t, d] > 0.0:
                gain_low += mass[t, d] * game.raw_reward[t, s, i, a, d]
                gain_high += mass[t, d] * game.raw_reward[t, s, i, a, d]
                if t + 1 < T:
                    for after in range(game.n_states[t + 1]):
                        p = transition[t, s, d + e, after]
                        gain_low += p * ahead[t, d, after, 0]
                        gain_high += p * ahead[t, d, after, 1]
        low, high = max(low, gain_low), max(high, gain_high)
    return low, high


@njit(cache=True)
def _observe(
    controller: Controller, others: NDArray[np.float64],
    t: int, s: int, i: int, d: int, after: int, belief: NDArray[np.float64],
) -> None:  # fmt: skip
    """belief[t + 1] ← the belief over the nodes of s' = `after`, having seen the others' sum d."""
    first, following = controller.base[t, s], controller.base[t + 1, after]
    for m in range(controller.size[t + 1, after]):
        belief[t + 1, m] = 0.0
    for m in range(controller.size[t, s]):
        if belief[t, m] > 0.0:
            for row in range(controller.first_row[first + m], controller.first_row[first + m + 1]):
                m_next = controller.successor[row, after] - following
                belief[t + 1, m_next] += belief[t, m] * others[row, i, d]
