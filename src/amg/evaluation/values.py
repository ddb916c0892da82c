"""Values of a controller's nodes: nobody deviates, or one agent deviates.

For each agent i, backwards over the nodes:

* **value** V[n]: the expectation of r + V[successor] under the node's law;
* **informed deviator** U[n] = max_a E[r(a, σ) + U[successor]]: agent i knows the node when it
  chooses. This is the recursion in the proof of the confidence lemma. No deviation earns more;
* **Markov deviation**: agent i knows only (t, s) and takes the action that is best on average over
  the nodes of (t, s). A best response earns at least as much.

Rewards are normalised to [0, 1], as in learning: the unit of pay then costs a gap no digits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from amg.evaluation.controller import Controller
from amg.game.model import Game, Tables
from amg.kernels.sums import BLOCK, two_sum


class Case(NamedTuple):
    """A game and a controller of it, as the kernels see them."""

    game: Tables
    transition: NDArray[np.float64]  # [T, S, D, S]
    controller: Controller
    others: NDArray[np.float64]  # [rows, N, D] P(row, σ), whatever the agent itself does


def new_case(game: Game, controller: Controller) -> Case:
    """Return the arrays that the kernels need."""
    return Case(game.tables, game.transition, controller, controller.law.sum(axis=2))


@njit(cache=True, inline="always")  # a call would count references to every array of the case
def _outcome(
    case: Case, following: NDArray[np.float64], node: int, row: int, i: int, a: int, d: int
) -> float:
    """Return r_i + E[following[successor]] if agent i plays a and the others' efforts sum to d."""
    game, controller = case.game, case.controller
    t, s = controller.step[node], controller.state[node]
    outcome = game.reward[t, s, i, a, d]
    if t + 1 < len(game.n_states):
        total = d + game.effort[t, s, i, a]
        for after in range(game.n_states[t + 1]):
            p = case.transition[t, s, total, after]
            if p > 0.0:
                outcome += p * following[controller.successor[row, after], i]
    return outcome


@njit(cache=True)
def _action_value(case: Case, following: NDArray[np.float64], node: int, i: int, a: int) -> float:
    """Return Σ_rows Σ_σ P(row, σ) (r + E following[successor]) for action a of a deviator."""
    total, long = 0.0, 0.0
    first = case.controller.first_row[node]
    for row in range(first, case.controller.first_row[node + 1]):
        for d in range(case.others.shape[2]):
            w = case.others[row, i, d]
            if w > 0.0:
                total += w * _outcome(case, following, node, row, i, a, d)
        if (row - first) % BLOCK == BLOCK - 1:
            long, total = two_sum(long, total)
    return long + total


@njit(cache=True, nogil=True)
def policy_values(case: Case) -> NDArray[np.float64]:
    """Return V[n, i] = Σ_rows Σ_{a,σ} law(a, σ) (r + E V[successor]).

    A node may have very many rows, one for every few visits of a long stage. So their sum is
    compensated (sums.py).
    """
    controller, n_actions = case.controller, case.game.n_actions
    _, N, _, D = controller.law.shape
    value, long = np.zeros((len(controller.step), N)), np.zeros(N)
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
                            value[node, i] += w * _outcome(case, value, node, row, i, a, d)
            if (row - first) % BLOCK == BLOCK - 1:
                for i in range(N):
                    long[i], value[node, i] = two_sum(long[i], value[node, i])
        for i in range(N):
            value[node, i] += long[i]
    return value


@njit(cache=True, nogil=True)
def informed_values(case: Case) -> NDArray[np.float64]:
    """Return U[n, i], the largest action value of a deviator who knows the node."""
    controller, n_actions = case.controller, case.game.n_actions
    informed = np.zeros((len(controller.step), n_actions.shape[2]))
    for node in range(len(informed) - 1, -1, -1):
        t, s = controller.step[node], controller.state[node]
        for i in range(informed.shape[1]):
            best = -np.inf
            for a in range(n_actions[t, s, i]):
                best = max(best, _action_value(case, informed, node, i, a))
            informed[node, i] = best
    return informed


@njit(cache=True, nogil=True)
def reach_probabilities(case: Case, start: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probability of visiting each node, from that of starting there."""
    game, controller = case.game, case.controller
    D, reached = game.reward.shape[4], start.copy()
    for node in range(len(reached)):
        t, s = controller.step[node], controller.state[node]
        if t + 1 == len(game.n_states):
            break
        for row in range(controller.first_row[node], controller.first_row[node + 1]):
            for a in range(game.n_actions[t, s, 0]):  # every agent's law gives the same total
                e = game.effort[t, s, 0, a]
                for d in range(D - e):
                    w = reached[node] * controller.law[row, 0, a, d]
                    if w > 0.0:
                        for after in range(game.n_states[t + 1]):
                            p = case.transition[t, s, d + e, after]
                            reached[controller.successor[row, after]] += w * p
    return reached


@njit(cache=True, nogil=True)
def markov_values(case: Case, reached: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what one Markov deviation earns from each node, [nodes, N].

    In each (t, s) it takes the action with the largest value on average over the nodes, weighted
    by the probability of reaching them.
    """
    controller, n_actions = case.controller, case.game.n_actions
    T, S, N = n_actions.shape
    markov = np.zeros((len(reached), N))
    for t in range(T - 1, -1, -1):
        for s in range(S):
            nodes = range(controller.base[t, s], controller.base[t, s] + controller.size[t, s])
            for i in range(N):
                best, most = 0, -np.inf
                for a in range(n_actions[t, s, i]):
                    average = 0.0
                    for node in nodes:
                        average += reached[node] * _action_value(case, markov, node, i, a)
                    if average > most:
                        best, most = a, average
                for node in nodes:
                    markov[node, i] = _action_value(case, markov, node, i, best)
    return markov
