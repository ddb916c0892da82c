"""What is to be said of a run: its exact value, gap and bounds, for people and for programs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from amg.certification.confidence import check_confidence
from amg.certification.controller import controller_of
from amg.certification.evaluation import BUDGET, evaluate
from amg.run import Run
from amg.tables import aligned, decimals


def summarise(run: Run, budget: int = BUDGET) -> dict[str, Any]:
    """Evaluate the policy of a run exactly; everything is in the game's raw units."""
    controller = controller_of(run)
    evaluation = evaluate(run.game, controller, budget)
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
    if run.certificate is not None:
        confidence = check_confidence(run.certificate, controller, evaluation)
        own = run.certificate.own_bound()
        lower, upper = confidence.coverage
        summary |= {
            "own_bound": own.tolist(),
            "max_own_bound": float(own.max()),
            "cells": len(run.certificate.cell_key),
            "stages": len(run.certificate.stage_key),
            "lemma_holds": confidence.holds,
            "lower_coverage": lower,
            "upper_coverage": upper,
        }
    return summary


def _mean_return(run: Run) -> list[float]:
    """Mean return over all episodes, per agent."""
    sums = np.diff(run.returns_edge)[:, None] * run.returns
    return [math.fsum(column) / run.episodes for column in sums.T]


def describe(summary: dict[str, Any]) -> str:
    """The summary as a page for the terminal."""
    settings = ", ".join(f"{name}={value}" for name, value in summary["parameters"].items())
    lines = [
        f"{summary['game']}: {summary['algorithm']}, K = {summary['episodes']:,}, "
        f"seed {summary['seed']} ({settings})",
        "",
        *aligned(_header(summary), _rows(summary)),
        "",
    ]
    exact = all(summary["exact"])
    name = "equilibrium gap (exact)" if exact else "equilibrium gap (upper bound)"
    lines.append(f"{name}, maximum over agents: {summary['max_gap']:.6g}")
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


def _header(summary: dict[str, Any]) -> list[str]:
    value = f"{summary['policy']} value"
    header = ["agent", "mean return", value, "best response", "gap", "informed gap"]
    return [*header, "own bound"] if "own_bound" in summary else header


def _rows(summary: dict[str, Any]) -> list[list[str]]:
    agents = len(summary["agents"])
    columns = ["mean_return", "value", "best_response", "gap", "informed_gap"]
    if "own_bound" in summary:
        columns.append("own_bound")
    numbers = decimals([[summary[column][i] for column in columns] for i in range(agents)])
    return [[agent, *row] for agent, row in zip(summary["agents"], numbers, strict=True)]
