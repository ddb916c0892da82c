"""The exact evaluation of runs: one row each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from amg.run import load
from amg.summary import summarise

MEASURES = (
    "max_gap",
    "max_gap_low",
    "max_informed_gap",
    "max_own_bound",
    "lemma_holds",
    "lower_coverage",
    "upper_coverage",
    "stages",
    "cells",
    "nodes",
)


def evaluate_runs(labels: Mapping[str, Any], runs: Sequence[Path]) -> pd.DataFrame:
    """Evaluate runs, each row headed by these labels."""
    return pd.DataFrame([{**labels, **measures(summarise(load(path)))} for path in runs])


def measures(summary: dict[str, Any]) -> dict[str, Any]:
    """One row; measures a run has not stay empty, values and returns are averaged over agents."""
    agents = len(summary["agents"])
    return {
        "episodes": summary["episodes"],
        "seed": summary["seed"],
        "exact": all(summary["exact"]),
        **{name: summary.get(name) for name in MEASURES},
        "mean_value": sum(summary["value"]) / agents,
        "mean_return": sum(summary["mean_return"]) / agents,
    }
