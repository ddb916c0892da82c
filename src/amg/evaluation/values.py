"""Values of a controller's nodes: nobody deviates, or one agent deviates.

For each agent i, backwards over the nodes:

* **value** V[n]: the expectation of r + V[successor] under the node's law;
* **informed deviator** U[n] = max_a E[r(a, σ) + U[successor]]: agent i knows the node when it
  chooses. This is the recursion in the proof of the confidence lemma. No deviation earns more;
* **Markov deviation**: agent i knows only (t, s) and takes the action that is best on average over
  the nodes of (t, s). A best response earns at least as much.

Rewards are normalised to [0, 1], as in learning: the unit of pay then costs a gap no digits. A node
may have very many rows, one for every few visits of a long stage. So sums over rows are compensated
(sums.py).
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from amg.evaluation.controller import Controller
from amg.game.model import Tables
from amg.kernels.sums import BLOCK, two_sum


class Case(NamedTuple):
    """A game and a controller of it, as the kernels see them."""

    game: Tables
    transition: NDArray[np.float64]  # [T, S, D, S]
    controller: Controller
    others: NDArray[np.float64]  # [rows, N, D] P(row, σ), the law summed over the own action


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


@njit(cache=True, nogil=True)
def policy_values(case: Case) -> NDArray[np.float64]:
    """Return V[n, i] = Σ_rows Σ_{a,σ} law(a, σ) (r + E V[successor])."""
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
        value[node] += long
    return value


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
def deviation_values(
    case: Case, group: NDArray[np.int64], weight: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return what a deviation earns from each node, [nodes, N].

    Group g is made of the nodes group[g] … group[g+1] − 1, all of one (t, s). The deviator knows
    the group, not the node. It takes the action with the largest weighted average over the group.
    """
    controller, n_actions = case.controller, case.game.n_actions
    value = np.zeros((len(controller.step), n_actions.shape[2]))
    for g in range(len(group) - 2, -1, -1):
        nodes = range(group[g], group[g + 1])
        t, s = controller.step[group[g]], controller.state[group[g]]
        for i in range(value.shape[1]):
            best, most = 0, -np.inf
            for a in range(n_actions[t, s, i]):
                average = 0.0
                for node in nodes:
                    average += weight[node] * _action_value(case, value, node, i, a)
                if average > most:
                    best, most = a, average
            for node in nodes:
                value[node, i] = _action_value(case, value, node, i, best)
    return value


def informed_values(case: Case) -> NDArray[np.float64]:
    """Return U[n, i]: the deviator knows the node."""
    nodes = len(case.controller.step)
    return deviation_values(case, np.arange(nodes + 1), np.ones(nodes))


def markov_values(case: Case) -> NDArray[np.float64]:
    """Return what the Markov deviation earns from each node; nodes weigh what reaches them."""
    controller = case.controller
    group = np.append(controller.base[controller.size > 0], len(controller.step))
    return deviation_values(case, group, reach_probabilities(case))


@njit(cache=True, nogil=True)
def reach_probabilities(case: Case) -> NDArray[np.float64]:
    """Return the probability of visiting each node."""
    game, controller = case.game, case.controller
    D, reached = game.reward.shape[4], controller.start.copy()
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
