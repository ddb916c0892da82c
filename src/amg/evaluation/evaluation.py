"""Exact evaluation of a controller: its value, and what each agent could gain by deviating.

---
The confidence lemma, measured: V̲ ≤ V and U ≤ V̄ at every node of the certified policy.

The lemma says that, with probability 1 − p, this holds for the best response against π̄^{t,k}. Its
proof bounds the informed deviator U, so V̄ is compared with U. Nodes without a completed stage are
left out: their bounds are 0 and T − t + 1, which hold by definition.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from amg.base.errors import PolicyError
from amg.evaluation.best_response import BUDGET, best_responses
from amg.evaluation.certificate import Certificate
from amg.evaluation.controller import Controller
from amg.evaluation.values import (
    informed_values,
    markov_values,
    new_case,
    policy_values,
    reach_probabilities,
)
from amg.game.model import Game


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Value, best response and gaps of every agent, in the game's own units of reward.

    Attributes
    ----------
    value : array [N]
        Expected return if nobody deviates.
    best_response : array [N]
        The most that a deviation earns. A deviator sees the states, its own actions and the sums of
        the others' efforts. If the search was cut short (see `exact`), this is an upper bound.
    best_response_low : array [N]
        Lower bound of the best response; equal to `best_response` where that is exact.
    informed : array [N]
        The most that a deviator earns who also knows what the policy has drawn.
    gap, gap_low : array [N]
        ε_i = best response − value, from `best_response` and `best_response_low`. It may be
        negative, because a deviator gives up the correlation.
    informed_gap : array [N]
        informed − value, never smaller than the gap.
    exact : array [N] of bool
        Whether the whole tree of histories was searched.
    histories : array [N] of int
        Histories searched.
    node_value, node_informed : array [nodes, N]
        Value and informed deviator of every node of the controller, normalised to rewards in
        [0, 1].
    """

    value: NDArray[np.float64]
    best_response: NDArray[np.float64]
    best_response_low: NDArray[np.float64]
    informed: NDArray[np.float64]
    gap: NDArray[np.float64]
    gap_low: NDArray[np.float64]
    informed_gap: NDArray[np.float64]
    exact: NDArray[np.bool_]
    histories: NDArray[np.int64]
    node_value: NDArray[np.float64] = field(repr=False)
    node_informed: NDArray[np.float64] = field(repr=False)


def evaluate_controller(game: Game, controller: Controller, budget: int = BUDGET) -> Evaluation:
    """Return value, informed deviator and best response of every agent.

    Parameters
    ----------
    game : Game
    controller : Controller
        A controller of this game; one of another game is refused with a PolicyError.
    budget : int
        Histories that the search for one agent's best response may visit.
    """
    _check_controller(game, controller)
    case = new_case(game, controller)
    start = _start_weights(game, controller)
    values, informed_of_nodes = policy_values(case), informed_values(case)
    markov = markov_values(case, reach_probabilities(case, start))
    best = best_responses(game, case, start, informed_of_nodes, markov, budget)
    value, informed = _mean(start, values), _mean(start, informed_of_nodes)
    floor = game.T * game.reward_range[0]
    return Evaluation(
        value=floor + game.scale * value,
        best_response=floor + game.scale * best.high,
        best_response_low=floor + game.scale * best.low,
        informed=floor + game.scale * informed,
        gap=game.scale * (best.high - value),
        gap_low=game.scale * (best.low - value),
        informed_gap=game.scale * (informed - value),
        exact=best.complete,
        histories=best.histories,
        node_value=values,
        node_informed=informed_of_nodes,
    )


def _check_controller(game: Game, controller: Controller) -> None:
    """Refuse a controller with which the kernels would leave their arrays or skip a NaN."""
    T, S, N, A, D = game.reward.shape
    fits = (
        controller.base.shape == controller.size.shape == (T, S)
        and controller.law.shape[1:] == (N, A, D)
        and controller.successor.shape == (len(controller.law), S)
        and ((controller.size > 0) == game.exists).all()
    )
    if not fits:
        raise PolicyError(
            f"the controller belongs to another game than {game.name!r}, which has {T} steps, "
            f"{S} states, {N} agents, {A} actions and sums up to {D - 1}"
        )
    if not (np.isfinite(controller.law).all() and np.isfinite(controller.start).all()):
        raise PolicyError("the controller has probabilities that are not finite")
    for t, s in np.argwhere(game.exists).tolist():
        first = controller.base[t, s]
        rows = slice(
            controller.first_row[first], controller.first_row[first + controller.size[t, s]]
        )
        possible = game.reachable[0][t, s][:, None, :] & (game.effort[t, s] >= 0)[..., None]
        if controller.law[rows][:, ~possible].any():
            raise PolicyError(
                f"the controller belongs to another game than {game.name!r}: {game.where(t, s)}: "
                f"it has actions or sums of efforts that are impossible there"
            )


def _start_weights(game: Game, controller: Controller) -> NDArray[np.float64]:
    """Return the probability that play starts in each node."""
    weights = np.zeros(len(controller.start))
    for s in np.flatnonzero(game.initial):
        rows = slice(controller.base[0, s], controller.base[0, s] + controller.size[0, s])
        weights[rows] = game.initial[s] * controller.start[rows]
    return weights


def _mean(start: NDArray[np.float64], of_nodes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean over the nodes in which play starts, [N]."""
    first = np.flatnonzero(start)
    terms = start[first, None] * of_nodes[first]
    return np.array([math.fsum(column) for column in terms.T])


# ===== evaluation/confidence

ROUNDING = 1e-12  # normalised units


@dataclass(frozen=True, eq=False)
class Confidence:
    """One row for each completed stage, in the order of the certificate; normalised units."""

    value: NDArray[np.float64]  # [stages, N] V after the stage
    informed: NDArray[np.float64]  # [stages, N] U
    lower_holds: NDArray[np.bool_]  # [stages, N] V̲ ≤ V
    upper_holds: NDArray[np.bool_]  # [stages, N] U ≤ V̄

    @property
    def coverage(self) -> tuple[float, float]:
        """The shares of nodes and agents at which the lower and the upper bound hold."""
        if not self.lower_holds.size:
            return 1.0, 1.0
        return float(self.lower_holds.mean()), float(self.upper_holds.mean())

    @property
    def holds(self) -> bool:
        """Whether both bounds hold everywhere."""
        return bool(self.lower_holds.all() and self.upper_holds.all())


def check_confidence(
    certificate: Certificate, controller: Controller, evaluation: Evaluation
) -> Confidence:
    """Compare V̄ and V̲ of training with the exact values of the same nodes."""
    t, s = certificate.stage_key[:, 0], certificate.stage_key[:, 1]
    m = np.arange(len(t)) - certificate.stage_row(t, s, np.zeros_like(t)) + 1
    node = controller.base[t, s] + m
    value, informed = evaluation.node_value[node], evaluation.node_informed[node]
    return Confidence(
        value=value,
        informed=informed,
        lower_holds=certificate.stage_v_low <= value + ROUNDING,
        upper_holds=informed <= certificate.stage_v_bar + ROUNDING,
    )
