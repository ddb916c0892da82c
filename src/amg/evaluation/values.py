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

Kernels take arrays out of their named tuples once, before the loops: numba counts references each
time.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from amg.evaluation.controller import Controller
from amg.game.model import Tables
from amg.kernels.sums import BLOCK, Floats, Ints, two_sum


class Case(NamedTuple):
    """A game and a controller of it, as the kernels see them."""

    game: Tables
    transition: Floats  # [T, S, D, S]
    controller: Controller
    others: Floats  # [rows, N, D] P(row, σ), the law summed over the own action


@njit(cache=True, inline="always")
def _outcome(
    reward: Floats, transition: Floats, successor: Ints, following: Floats,
    t: int, s: int, row: int, i: int, a: int, d: int, total: int, n_after: int,
) -> float:  # fmt: skip
    """Return r_i + E[following[successor]] if agent i plays a and the others' efforts sum to d."""
    outcome = reward[t, s, i, a, d]
    for after in range(n_after):
        p = transition[t, s, total, after]
        if p > 0.0:
            outcome += p * following[successor[row, after], i]
    return outcome


@njit(cache=True, nogil=True)
def policy_values(case: Case) -> Floats:
    """Return V[n, i] = Σ_rows Σ_{a,σ} law(a, σ) (r + E V[successor])."""
    game, transition, controller, _ = case
    n_actions, effort, reward = game.n_actions, game.effort, game.reward
    step, state, first_row = controller.step, controller.state, controller.first_row
    successor, law, n_after = controller.successor, controller.law, _next_states(game)
    _, N, _, D = law.shape
    value, long = np.zeros((len(step), N)), np.zeros(N)
    for node in range(len(value) - 1, -1, -1):
        t, s, first = step[node], state[node], first_row[node]
        long[:] = 0.0
        for row in range(first, first_row[node + 1]):
            for i in range(N):
                total = value[node, i]
                for a in range(n_actions[t, s, i]):
                    e = effort[t, s, i, a]
                    for d in range(D):
                        w = law[row, i, a, d]
                        if w > 0.0:
                            total += w * _outcome(
                                reward, transition, successor, value,
                                t, s, row, i, a, d, d + e, n_after[t],
                            )  # fmt: skip
                value[node, i] = total
            if (row - first) % BLOCK == BLOCK - 1:
                for i in range(N):
                    long[i], value[node, i] = two_sum(long[i], value[node, i])
        for i in range(N):
            value[node, i] += long[i]
    return value


@njit(cache=True)
def _next_states(game: Tables) -> Ints:
    """Return the number of states of the next step, 0 after the last one, as [T]."""
    return np.append(game.n_states[1:], 0)


@njit(cache=True)
def _action_value(case: Case, following: Floats, n_after: int, node: int, i: int, a: int) -> float:
    """Return Σ_rows Σ_σ P(row, σ) (r + E following[successor]) for action a of a deviator."""
    game, transition, controller, others = case
    reward, successor, first_row = game.reward, controller.successor, controller.first_row
    t, s, first = controller.step[node], controller.state[node], first_row[node]
    e = game.effort[t, s, i, a]
    total, long = 0.0, 0.0
    for row in range(first, first_row[node + 1]):
        for d in range(others.shape[2]):
            w = others[row, i, d]
            if w > 0.0:
                total += w * _outcome(
                    reward, transition, successor, following, t, s, row, i, a, d, d + e, n_after
                )
        if (row - first) % BLOCK == BLOCK - 1:
            long, total = two_sum(long, total)
    return long + total


@njit(cache=True, nogil=True)
def deviation_values(case: Case, group: Ints, weight: Floats) -> Floats:
    """Return what a deviation earns from each node, [nodes, N].

    Group g is made of the nodes group[g] … group[g+1] − 1, all of one (t, s). The deviator knows
    the group, not the node. It takes the action with the largest weighted average over the group.
    """
    controller, n_actions, n_after = case.controller, case.game.n_actions, _next_states(case.game)
    value = np.zeros((len(controller.step), n_actions.shape[2]))
    for g in range(len(group) - 2, -1, -1):
        nodes = range(group[g], group[g + 1])
        t, s = controller.step[group[g]], controller.state[group[g]]
        for i in range(value.shape[1]):
            best, most = 0, -np.inf
            for a in range(n_actions[t, s, i]):
                average = 0.0
                for node in nodes:
                    average += weight[node] * _action_value(case, value, n_after[t], node, i, a)
                if average > most:
                    best, most = a, average
            for node in nodes:
                value[node, i] = _action_value(case, value, n_after[t], node, i, best)
    return value


def informed_values(case: Case) -> Floats:
    """Return U[n, i]: the deviator knows the node."""
    nodes = len(case.controller.step)
    return deviation_values(case, np.arange(nodes + 1), np.ones(nodes))


def markov_values(case: Case) -> Floats:
    """Return what the Markov deviation earns from each node; nodes weigh what reaches them."""
    controller = case.controller
    group = np.append(controller.base[controller.size > 0], len(controller.step))
    return deviation_values(case, group, reach_probabilities(case))


@njit(cache=True, nogil=True)
def reach_probabilities(case: Case) -> Floats:
    """Return the probability of visiting each node."""
    game, transition, controller, _ = case
    n_states, n_actions, effort = game.n_states, game.n_actions, game.effort
    step, state, first_row = controller.step, controller.state, controller.first_row
    successor, law = controller.successor, controller.law
    D, reached = game.reward.shape[4], controller.start.copy()
    for node in range(len(reached)):
        t, s = step[node], state[node]
        if t + 1 == len(n_states):
            break
        for row in range(first_row[node], first_row[node + 1]):
            for a in range(n_actions[t, s, 0]):  # every agent's law gives the same total
                e = effort[t, s, 0, a]
                for d in range(D - e):
                    w = reached[node] * law[row, 0, a, d]
                    if w > 0.0:
                        for after in range(n_states[t + 1]):
                            reached[successor[row, after]] += w * transition[t, s, d + e, after]
    return reached
