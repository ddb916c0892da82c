"""The exact evaluation of runs: one row each."""

from __future__ import annotations

import itertools
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

import pandas as pd

from amg.analysis.growth import growth
from amg.progress import LOG_SECONDS
from amg.run import Run, load
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
GAPS = ("max_gap", "max_gap_low", "max_informed_gap")
ROUNDING = 1e-13  # of all that can be earned: a gap below it is none
GROWTH = ("ratio", "not_grown", "visits_stuck", "stuck")  # of the lengths of stages


def evaluate_groups(
    groups: Sequence[tuple[Mapping[str, Any], int]], runs: Sequence[Path], log: TextIO
) -> pd.DataFrame:
    """Evaluate runs; a group is the labels that head its rows, and how many of the runs it has."""
    rows, rest, told = [], iter(runs), time.monotonic()
    for labels, number in groups:
        for path in itertools.islice(rest, number):
            rows.append({**labels, **measures(load(path))})
            if time.monotonic() - told >= LOG_SECONDS:
                told = time.monotonic()
                print(f"{len(rows)} of {len(runs)} runs evaluated", file=log, flush=True)
    return pd.DataFrame(rows)


def measures(run: Run) -> dict[str, Any]:
    """One row; measures a run has not stay empty, values and returns are averaged over agents."""
    summary = summarise(run)
    for name in GAPS:
        if abs(summary[name]) <= ROUNDING * run.game.T * run.game.scale:
            summary[name] = 0.0  # as good as: a logarithmic axis would show the rounding
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
