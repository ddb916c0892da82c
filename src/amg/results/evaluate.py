"""Evaluate a policy, a mixture of policies or a run exactly.

---
Exact value, gap and bounds of a run, as a dict and as text.

---
The measures of a run: one row of the table of evaluations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from amg.base.errors import ParameterError, PolicyError
from amg.evaluation.best_response import BUDGET
from amg.evaluation.controller import Controller, from_certificate, from_policies
from amg.evaluation.evaluation import Evaluation, evaluate_controller
from amg.game.model import Game
from amg.results.run import Run

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


import math
from typing import Any

import numpy as np

from amg.base.text import columns_of_numbers, text_table
from amg.evaluation.evaluation import check_confidence


def evaluate(
    game: Game, policy: ArrayLike | Run, weights: ArrayLike | None = None, *, budget: int = BUDGET
) -> Evaluation:
    """Return what a policy earns, and what each agent could gain by deviating from it.

    Parameters
    ----------
    game : Game
    policy : array [T, S, N, A], array [J, T, S, N, A] or Run
        ``policy[t, s, i, a]`` is the probability that agent i takes action a at step t in state s.
        Of a stack of J such policies one is drawn before the first step and then followed by all
        agents. A run stands for the policy that it learned; its game must be this one. Entries of
        states that a step does not have are ignored, but must be finite.
    weights : array [J], optional
        Probability of each policy of a stack; without it all are equally likely.
    budget : int
        Histories that the search for one agent's best response may visit. If they do not suffice,
        `best_response` and `gap` are upper bounds and ``exact`` is False.

    Returns
    -------
    Evaluation
        Value, best response, gap and informed gap of each agent.

    Raises
    ------
    PolicyError
        If the array is not a policy of this game, the weights do not fit, or the run is of another
        game. The message says what is wrong and where.

    Examples
    --------
    >>> import amg, numpy as np
    >>> game = amg.build_game("fishermen")
    >>> policy = np.zeros((game.T, game.S, game.N, game.A_max))
    >>> policy[..., 0] = 1  # everyone fishes intensively
    >>> amg.evaluate(game, policy).value.round(6).tolist()
    [19.2, 19.2]
    """
    if not isinstance(game, Game):
        raise ParameterError(
            f"game must be a Game, from build_game or load_game, not {type(game).__name__}"
        )
    if isinstance(budget, bool) or not isinstance(budget, int) or budget < 0:
        raise ParameterError(f"budget = {budget!r} is not a whole number of at least 0")
    if not isinstance(policy, Run):
        return evaluate_controller(game, from_policies(game, policy, weights), budget)
    if weights is not None:
        raise PolicyError("weights go with a stack of policies; a run has none, leave them out")
    if policy.game.digest != game.digest:
        raise PolicyError(
            f"the run is of another game ({policy.game.name!r}) than the one to evaluate it on "
            f"({game.name!r}); use run.game, or run.evaluate()"
        )
    return evaluate_controller(game, controller_of(policy), budget)


def controller_of(run: Run) -> Controller:
    """Return the policy of a run: the certified one (V-learning) or the greedy one (Q-learning)."""
    if run.certificate is not None:
        return from_certificate(run.certificate)
    assert run.policy is not None
    return from_policies(run.game, run.policy)


# ===== results/summary

PER_AGENT = ("mean_return", "value", "best_response", "gap", "informed_gap", "own_bound")


def summarise(run: Run, budget: int = BUDGET) -> dict[str, Any]:
    """Evaluate the policy of a run exactly; all values are in the game's own units."""
    controller = controller_of(run)
    evaluation = evaluate_controller(run.game, controller, budget)
    summary: dict[str, Any] = {
        "game": run.game.name,
        "game_digest": run.game.digest,
        "algorithm": run.algorithm,
        "parameters": run.parameters,
        "episodes": run.episodes,
        "seed": run.seed,
        "package": run.package,
        "source": run.source,
        "agents": list(run.game.agents),
        "policy": "certified" if run.certificate is not None else "greedy",
        "value": evaluation.value.tolist(),
        "best_response": evaluation.best_response.tolist(),
        "best_response_low": evaluation.best_response_low.tolist(),
        "exact": evaluation.exact.tolist(),
        "histories": evaluation.histories.tolist(),
        "gap": evaluation.gap.tolist(),
        "gap_low": evaluation.gap_low.tolist(),
        "informed_gap": evaluation.informed_gap.tolist(),
        "max_gap": float(evaluation.gap.max()),
        "max_gap_low": float(evaluation.gap_low.max()),
        "max_informed_gap": float(evaluation.informed_gap.max()),
        "mean_return": _mean_return(run),
        "nodes": len(controller.start),
    }
    return summary | _of_certificate(run, controller, evaluation)


def _of_certificate(run: Run, controller: Controller, evaluation: Evaluation) -> dict[str, Any]:
    """Return what only a run with a certificate has: its own bound and the confidence lemma."""
    if run.certificate is None:
        return {}
    confidence = check_confidence(run.certificate, controller, evaluation)
    own = run.certificate.own_bound()
    lower, upper = confidence.coverage
    return {
        "own_bound": own.tolist(),
        "max_own_bound": float(own.max()),
        "cells": len(run.certificate.cell_key),
        "stages": len(run.certificate.stage_key),
        "lemma_holds": confidence.holds,
        "lower_coverage": lower,
        "upper_coverage": upper,
    }


def _mean_return(run: Run) -> list[float]:
    """Return the mean return over all episodes, per agent."""
    sums = np.diff(run.returns_edge)[:, None] * run.returns
    return [math.fsum(column) / run.episodes for column in sums.T]


def describe(summary: dict[str, Any]) -> str:
    """Return the summary as text for the terminal."""
    settings = ", ".join(f"{name}={value}" for name, value in summary["parameters"].items())
    exact = all(summary["exact"])
    lines = [
        f"{summary['game']}: {summary['algorithm']}, K = {summary['episodes']:,}, "
        f"seed {summary['seed']} ({settings})",
        "",
        *_agents(summary),
        "",
        f"equilibrium gap ({'exact' if exact else 'upper bound'}), maximum over agents: "
        f"{summary['max_gap']:.6g}",
    ]
    if not exact:
        lines.append(
            f"the tree of histories exceeds the budget: the gap lies between "
            f"{summary['max_gap_low']:.6g} and {summary['max_gap']:.6g}"
        )
    if "own_bound" in summary:
        lines.append(
            f"confidence lemma: V̲ ≤ V at {summary['lower_coverage']:.2%}, U ≤ V̄ at "
            f"{summary['upper_coverage']:.2%} of nodes ({summary['stages']} stages, "
            f"{summary['cells']} cells)"
        )
    return "\n".join(lines)


def _agents(summary: dict[str, Any]) -> list[str]:
    """Return the lines of a table with one row per agent."""
    columns = [name for name in PER_AGENT if name in summary]
    names = {"value": f"{summary['policy']} value"}
    header = ["agent", *(names.get(name, name.replace("_", " ")) for name in columns)]
    values = zip(*(summary[name] for name in columns), strict=True)
    rows = zip(summary["agents"], columns_of_numbers(list(values)), strict=True)
    return text_table(header, [[agent, *row] for agent, row in rows])


# ===== results/measures

GAPS = ("max_gap", "max_gap_low", "max_informed_gap")
MEASURES = (
    *GAPS,
    "max_own_bound",
    "lemma_holds",
    "lower_coverage",
    "upper_coverage",
    "stages",
    "cells",
    "nodes",
)
GROWTH = ("ratio", "not_grown", "visits_stuck", "stuck")  # of the lengths of stages
ROUNDING = 1e-13  # of all that can be earned: a smaller gap is a rounding error


def measures(run: Run) -> dict[str, Any]:
    """Return one row. Measures that do not apply are None; values are averages over agents."""
    summary = summarise(run)
    for name in GAPS:
        if abs(summary[name]) <= ROUNDING * run.game.T * run.game.scale:
            summary[name] = 0.0  # a logarithmic axis would show the rounding
    grown = {} if run.certificate is None else growth(run)
    return {
        "episodes": run.episodes,
        "seed": run.seed,
        "exact": all(summary["exact"]),
        **{name: summary.get(name) for name in MEASURES},
        **{name: grown.get(name) for name in GROWTH},
        "relative_gap": summary["max_gap"] / run.game.scale,
        "mean_value": sum(summary["value"]) / run.game.N,
        "mean_return": sum(summary["mean_return"]) / run.game.N,
    }


def growth(run: Run) -> dict[str, float]:
    """Return how the lengths of stages L̃_m grow, over all steps and states.

    `ratio` is the geometric mean of L̃_{m+1} / L̃_m, `not_grown` the share of these ratios that are
    not above 1, `visits_stuck` the share of visits in stages of the first length L̃ = T, and `stuck`
    the largest number of such stages at one step and state.
    """
    assert run.certificate is not None
    key, T = run.certificate.stage_key, run.game.T
    place, length = key[:, :2], key[:, 3]
    follows = (place[1:] == place[:-1]).all(axis=1)
    ratio = (length[1:] / length[:-1])[follows]
    first = place[length == T]
    stuck = np.unique(first, axis=0, return_counts=True)[1]
    return {
        "ratio": float(np.exp(np.log(ratio).mean())) if len(ratio) else float("nan"),
        "not_grown": float((ratio <= 1).mean()) if len(ratio) else float("nan"),
        "visits_stuck": len(first) / run.episodes,  # T visits each, of K T in all
        "stuck": float(stuck.max(initial=0)),
    }
