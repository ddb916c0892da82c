"""Exact evaluation of a controller: value, best response and gap of every agent.

    ε_i(s) = best_response_i(s) − value_i(s)    if play starts in s,
    gap_i = max ε_i(s) over initial states s,   max_i gap_i ≤ 0 for a coarse correlated equilibrium.

The paper asks for an equilibrium at every initial state. Here these are the states with ρ(s) > 0,
where ρ is the law of the first state. The deviator knows in which of them it is. The policy's own
draw does not depend on it.

For the certified policy of a run, the node values also show whether the confidence lemma holds.
"""

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from amg.evaluation.best_response import BUDGET, best_response
from amg.evaluation.certificate import Certificate
from amg.evaluation.controller import Controller, check_controller
from amg.evaluation.online import OnlineCertificate
from amg.evaluation.values import Case, informed_values, markov_values, policy_values
from amg.game.model import Game
from amg.kernels.sums import Floats, Ints

ROUNDING = 1e-12  # normalised units, when bounds of the confidence lemma are compared


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Value, best response and gaps of every agent, in the game's own units of reward.

    Attributes
    ----------
    value : array [N]
        Expected return if nobody deviates; the average over the law ρ of the first state.
    best_response : array [N]
        The most that a deviation earns; the average over ρ. A deviator sees the states, its own
        actions and the sums of the others' efforts. If the search was cut short (see `exact`), this
        is an upper bound.
    best_response_low : array [N]
        Lower bound of the best response; equal to `best_response` where that is exact.
    informed : array [N]
        The most that a deviator earns who also knows what the policy has drawn; averaged over ρ.
    gap, gap_low : array [N]
        The largest ε_i(s) = best response − value over the initial states s with ρ(s) > 0, and its
        lower bound. It may be negative, because a deviator gives up the correlation.
    informed_gap : array [N]
        The largest informed − value over the initial states, never smaller than the gap.
    mean_gap : array [N]
        Σ_s ρ(s) ε_i(s) = `best_response` − `value`, never larger than the gap. The same number if
        the start is certain.
    exact : array [N] of bool
        Whether the best response is exact: the whole tree of histories was searched, or the policy
        is Markov, so that histories tell a deviator nothing.
    histories : array [N] of int
        Histories searched, from all initial states.
    initial_states : tuple of str
        Names of the states with ρ(s) > 0.
    value_by_initial_state, best_response_by_initial_state : array [initial states, N]
        Both if play starts in that state.
    gap_by_initial_state, informed_gap_by_initial_state : array [initial states, N]
        ε_i(s), and the same for the informed deviator.
    node_value, node_informed : array [nodes, N]
        Value and informed deviator of every node of the controller, normalised to rewards in
        [0, 1]. None are known of a policy that was evaluated while it was learned.
    """

    value: NDArray[np.float64]
    best_response: NDArray[np.float64]
    best_response_low: NDArray[np.float64]
    informed: NDArray[np.float64]
    gap: NDArray[np.float64]
    gap_low: NDArray[np.float64]
    informed_gap: NDArray[np.float64]
    mean_gap: NDArray[np.float64]
    exact: NDArray[np.bool_]
    histories: NDArray[np.int64]
    initial_states: tuple[str, ...]
    value_by_initial_state: NDArray[np.float64]
    best_response_by_initial_state: NDArray[np.float64]
    gap_by_initial_state: NDArray[np.float64]
    informed_gap_by_initial_state: NDArray[np.float64]
    node_value: NDArray[np.float64] = field(repr=False)
    node_informed: NDArray[np.float64] = field(repr=False)


def evaluate_controller(game: Game, controller: Controller, budget: int = BUDGET) -> Evaluation:
    """Evaluate a controller of this game; `budget` limits the search for each best response."""
    check_controller(game, controller)
    case = Case(game.tables, game.transition, controller, controller.law.sum(axis=2))
    node_value, node_informed = policy_values(case), informed_values(case)
    value, informed = (_from_starts(game, controller, v) for v in (node_value, node_informed))
    # With one node for each state the past tells a deviator nothing: what it earns is exact.
    markov = controller.size.max() == 1
    lower = node_informed if markov else markov_values(case)
    bounds = np.stack([lower, node_informed], axis=2)
    best = [best_response(game, case, bounds, i, budget) for i in range(game.N)]
    found, exact, histories = map(np.array, zip(*best, strict=True))
    low, high = found.transpose(2, 1, 0)  # from [N, initial states, 2]
    return _evaluation(
        game, value, (low, high), informed, exact | markov, histories, (node_value, node_informed)
    )


def evaluate_online(certificate: OnlineCertificate) -> Evaluation:
    """Evaluate a policy from what was kept of it while it was learned."""
    game = certificate.game
    exact, none = np.full(game.N, game.T <= 2), np.zeros(game.N, dtype=np.int64)
    return _evaluation(
        game, certificate.value, certificate.best_response(), certificate.informed, exact, none,
        (np.zeros((0, game.N)), np.zeros((0, game.N))),
    )  # fmt: skip


def _evaluation(
    game: Game, value: Floats, best_response: tuple[Floats, Floats], informed: Floats,
    exact: NDArray[np.bool_], histories: Ints, nodes: tuple[Floats, Floats],
) -> Evaluation:  # fmt: skip
    """Return the evaluation, given normalised values [initial states, N] and those of nodes."""
    low, high = best_response
    mean_value, mean_high = _mean(game, value), _mean(game, high)
    floor = game.T * game.reward_range[0]
    gap, informed_gap = game.scale * (high - value), game.scale * (informed - value)
    return Evaluation(
        value=floor + game.scale * mean_value,
        best_response=floor + game.scale * mean_high,
        best_response_low=floor + game.scale * _mean(game, low),
        informed=floor + game.scale * _mean(game, informed),
        gap=gap.max(axis=0),
        gap_low=(game.scale * (low - value)).max(axis=0),
        informed_gap=informed_gap.max(axis=0),
        mean_gap=game.scale * (mean_high - mean_value),
        exact=exact,
        histories=histories,
        initial_states=tuple(game.states[0][s] for s in np.flatnonzero(game.initial)),
        value_by_initial_state=floor + game.scale * value,
        best_response_by_initial_state=floor + game.scale * high,
        gap_by_initial_state=gap,
        informed_gap_by_initial_state=informed_gap,
        node_value=nodes[0],
        node_informed=nodes[1],
    )


def _from_starts(
    game: Game, controller: Controller, of_nodes: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return Σ_m P(m | s) of_nodes(1, s, m) for each initial state s, as [initial states, N]."""
    means = []
    for s in np.flatnonzero(game.initial).tolist():
        nodes = slice(controller.base[0, s], controller.base[0, s] + controller.size[0, s])
        share = controller.start[nodes] / game.initial[s]
        means.append(_weighted(share, of_nodes[nodes]))
    return np.array(means)


def _mean(game: Game, of_starts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Σ_s ρ(s) of_starts(s), as [N]."""
    return _weighted(game.initial[game.initial > 0], of_starts)


def _weighted(weights: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Σ_j weights_j values_j, added without rounding errors."""
    return np.array([math.fsum(column) for column in (weights[:, None] * values).T])


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
