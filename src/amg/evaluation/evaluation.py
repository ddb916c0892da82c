"""Exact evaluation of a controller: value, best response and gap of every agent.

    gap_i = ε_i = best_response_i − value_i,    max_i ε_i ≤ 0 for a coarse correlated equilibrium.

For the certified policy of a run, the node values also show whether the confidence lemma holds.
"""

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from amg.evaluation.best_response import BUDGET, best_response
from amg.evaluation.certificate import Certificate
from amg.evaluation.controller import Controller
from amg.evaluation.values import Case, informed_values, markov_values, policy_values
from amg.game.model import Game

ROUNDING = 1e-12  # normalised units, when bounds of the confidence lemma are compared


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
    """Evaluate a controller of this game; `budget` limits the search for each best response."""
    case = Case(game.tables, game.transition, controller, controller.law.sum(axis=2))
    node_value, node_informed = policy_values(case), informed_values(case)
    value, informed = _at_start(controller, node_value), _at_start(controller, node_informed)
    bounds = np.stack([markov_values(case), node_informed], axis=2)
    best = [best_response(game, case, bounds, i, budget) for i in range(game.N)]
    low, high, exact, histories = map(np.array, zip(*best, strict=True))
    floor = game.T * game.reward_range[0]
    return Evaluation(
        value=floor + game.scale * value,
        best_response=floor + game.scale * high,
        best_response_low=floor + game.scale * low,
        informed=floor + game.scale * informed,
        gap=game.scale * (high - value),
        gap_low=game.scale * (low - value),
        informed_gap=game.scale * (informed - value),
        exact=exact,
        histories=histories,
        node_value=node_value,
        node_informed=node_informed,
    )


def _at_start(controller: Controller, of_nodes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean over the nodes in which play starts, [N]."""
    first = np.flatnonzero(controller.start)
    terms = controller.start[first, None] * of_nodes[first]
    return np.array([math.fsum(column) for column in terms.T])


@dataclass(frozen=True, eq=False)
class Confidence:
    """The confidence lemma, one row for each completed stage of a certificate; normalised units."""

    value: NDArray[np.float64]  # [stages, N] V after the stage
    informed: NDArray[np.float64]  # [stages, N] U
    holds: bool  # whether V̲ ≤ V and U ≤ V̄ everywhere
    lower: float | None  # share of stages and agents with V̲ ≤ V, among those with V̲ > 0
    upper: float | None  # the same of U ≤ V̄, among those with V̄ < T − t + 1
    tested: float  # share of bounds that say something: V̲ > 0 or V̄ < T − t + 1


def check_confidence(
    certificate: Certificate, controller: Controller, evaluation: Evaluation
) -> Confidence:
    """Compare V̄ and V̲ of training with the exact values of the same nodes: V̲ ≤ V and U ≤ V̄.

    The lemma says that, with probability 1 − p, V̄ bounds the best response against π̄^{t,k}. Its
    proof bounds the informed deviator U, so V̄ is compared with U. Nodes without a completed stage
    are left out: their bounds are 0 and T − t + 1, which hold by definition. So do the same numbers
    after a stage, where the bonus is still large. They are not counted in shares.
    """
    t, s = certificate.stage_key[:, :2].T
    stage = np.arange(len(t)) - certificate.first_stage[t, s]
    node = controller.base[t, s] + stage + 1
    value, informed = evaluation.node_value[node], evaluation.node_informed[node]
    v_low, v_bar = certificate.stage_v_low, certificate.stage_v_bar
    lower, upper = v_low <= value + ROUNDING, informed <= v_bar + ROUNDING
    says = v_low > 0, v_bar < (certificate.game.T - t)[:, None]
    return Confidence(
        value,
        informed,
        holds=bool(lower.all() and upper.all()),
        lower=_share(lower[says[0]]),
        upper=_share(upper[says[1]]),
        tested=_share(np.stack(says)) or 0.0,
    )


def _share(holds: NDArray[np.bool_]) -> float | None:
    """Return the share of True; None if there is nothing."""
    return float(holds.mean()) if holds.size else None
