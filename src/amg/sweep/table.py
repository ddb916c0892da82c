"""The table of a sweep: mean and interval of every measure in every cell."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from amg.base.errors import FileError
from amg.base.rational import exact
from amg.base.text import FEWEST_SEEDS
from amg.sweep.grid import Axis, Sweep
from amg.tables.intervals import Intervals, LogMean, combined, log_mean, logs


class Measure(NamedTuple):
    """A column of the evaluations."""

    title: str
    positive: bool  # spans orders of magnitude: drawn on a logarithmic scale
    share: bool = False  # lies in [0, 1]
    computed: bool = False  # from the policy, not sampled


MEASURES: dict[str, Measure] = {  # what a sweep file can ask for
    "max_gap": Measure("equilibrium gap", positive=True, computed=True),
    "relative_gap": Measure("gap / reward range", positive=True, computed=True),
    "max_informed_gap": Measure("informed gap", positive=True, computed=True),
    "max_own_bound": Measure("agents' own bound", positive=True),
    "lemma_holds": Measure(
        "share of runs where the lemma holds", positive=False, share=True, computed=True
    ),
    "lower_coverage": Measure("nodes with V̲ ≤ V", positive=False, share=True, computed=True),
    "upper_coverage": Measure("nodes with U ≤ V̄", positive=False, share=True, computed=True),
    "mean_return": Measure("mean return in training", positive=False),
    "mean_value": Measure("value of the policy", positive=False, computed=True),
    "stages": Measure("stages", positive=True),
    "cells": Measure("cells of the certificate", positive=True),
    "nodes": Measure("nodes of the policy", positive=True),
    "ratio": Measure("growth of stages", positive=False),
    "not_grown": Measure("stages that did not grow", positive=False, share=True),
    "visits_stuck": Measure("visits in stages of length T", positive=False, share=True),
    "stuck": Measure("most stages of length T in a row", positive=True),
}
GAP = "relative_gap"  # what the target of a sweep is about
EPISODES_TO = "episodes_to_target"  # derived: episodes until the gap is at the target
COLUMNS = {**MEASURES, EPISODES_TO: Measure("episodes to the target", positive=True)}
AXES = {  # as the paper writes them
    "episodes": "K (episodes)", "agents": "N (agents)", "horizon": "T (horizon)",
    "lambda_min": "λ_min", "cv_max": "CV_max", "mad_max": "MAD_max", "epsilon": "ε",
    "epsilon_end": "ε_end", "bonus": "bonus (multiplier)", "p": "p (failure probability)",
}  # fmt: skip
INTERVAL = ("mean", "low", "high", "seeds", "level")
Values = NDArray[np.float64]


def axes_of(sweep: Sweep, name: str) -> tuple[Axis, ...]:
    """Return the axes that a measure depends on; the episodes to a target have none of episodes."""
    return tuple(a for a in sweep.axes if name != EPISODES_TO or a.name != "episodes")


def axis_title(axis: str) -> str:
    """Return an axis for people: K (episodes), stage rule."""
    return AXES.get(axis, axis.replace("_", " "))


def axis_name(axis: str) -> str:
    """Return an axis for people in a word: K, stage rule."""
    return axis_title(axis).split(" (")[0]


class Results:
    """Every seed of every cell, with the cell's place and all that was measured."""

    def __init__(self, sweep: Sweep, evaluations: pd.DataFrame, intervals: Intervals) -> None:
        self.sweep, self.intervals = sweep, intervals
        self.axes = [axis.name for axis in sweep.axes]
        self.frame = _join(sweep, evaluations)

    def table(self, ranges: bool = False) -> pd.DataFrame:
        """Return mean and interval of every measure in every cell; of the target, over K.

        Seeds that are too few for an interval have a range instead, if that is asked for.
        """
        rows = []
        for name in self.sweep.measures:
            columns = ["variant", *(axis.name for axis in axes_of(self.sweep, name))]
            for place, group in self.frame.groupby(columns, sort=False):
                estimate = self.estimate(group, name)
                if estimate is not None:
                    if ranges and self.sweep.seeds < FEWEST_SEEDS and name != EPISODES_TO:
                        estimate = np.array([estimate[0], group[name].min(), group[name].max()])
                    numbers = (*estimate, self.sweep.seeds, self.intervals.level)
                    values = (*place, name, *numbers)
                    rows.append(dict(zip([*columns, "measure", *INTERVAL], values, strict=True)))
        return pd.DataFrame(rows, columns=["variant", *self.axes, "measure", *INTERVAL])

    def estimate(self, group: pd.DataFrame, name: str) -> Values | None:
        """Return mean and interval of a measure at one place; None if these runs do not have it."""
        if name == EPISODES_TO:
            reached = self.log_mean(group, name)
            return None if reached is None else self.intervals.around(reached)
        values = group[name].to_numpy(dtype=float)
        return None if np.isnan(values).any() else self.intervals.mean(values, COLUMNS[name].share)

    def log_mean(self, group: pd.DataFrame, name: str) -> LogMean | None:
        """Return the mean of a measure at one place and the error of its log, if there is one.

        The episodes to the target are those until the mean gap, in units of the reward range, is at
        the target. Between two K of the sweep the gap is taken to follow a power of K.
        """
        if name != EPISODES_TO:
            values = group[name].to_numpy(dtype=float)
            return None if np.isnan(values).any() else log_mean(values)
        assert self.sweep.target is not None
        by_K = {value_of(K): rows for K, rows in group.groupby("episodes", sort=False)}
        K = sorted(by_K)
        gaps = [gap for k in K if (gap := self.log_mean(by_K[k], GAP)) is not None]
        return crossing(K, gaps, self.sweep.target) if len(gaps) == len(K) else None


def crossing(K: Sequence[float], gaps: Sequence[LogMean], target: float) -> LogMean:
    """Return where gaps fall to the target for good, by powers of K; ∞ if they do not.

    There is no error where the gap is at the target from the first K on, or never.
    """
    j = max((j for j, gap in enumerate(gaps) if gap.mean > target), default=-1)
    if j < 0 or j == len(K) - 1:
        return LogMean(K[0] if j < 0 else math.inf, math.nan, math.nan)
    x, y = logs(K[j : j + 2]), logs([max(gap.mean, 1e-300) for gap in gaps[j : j + 2]])
    step, fall = float(x[1] - x[0]), float(y[0] - y[1])
    share = (float(y[0]) - math.log(target)) / fall
    # the derivatives of log K by the logarithms of the two gaps
    weights = (step * (1 - share) / fall, step * share / fall)
    return LogMean(math.exp(x[0] + share * step), *combined(weights, gaps[j : j + 2]))


def _join(sweep: Sweep, evaluations: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of all cells, in their order; cells that share runs have the same rows."""
    runs = dict(list(evaluations.groupby(["series", "episodes"], sort=False)))
    parts = []
    for cell in sweep.cells:
        rows = runs.get((cell.series.name, cell.episodes), evaluations[:0]).sort_values("seed")
        if rows["seed"].tolist() != list(range(1, sweep.seeds + 1)):
            raise FileError(
                f"sweep {sweep.name}: evaluations of {cell.series.name} with K = {cell.episodes:,} "
                f"are missing; make them again"
            )
        place = pd.DataFrame({"variant": cell.variant, **cell.at}, index=rows.index)
        parts.append(rows.reindex(columns=["seed", "exact", *MEASURES]).join(place))
    return pd.concat(parts, ignore_index=True)


def value_of(text: object) -> float:
    """Return the number that a value of an axis is."""
    return float(exact(str(text)))


def part(rows: pd.DataFrame, where: Mapping[str, str]) -> pd.DataFrame:
    """Return the rows that have these values."""
    return rows[(rows[list(where)] == list(where.values())).all(axis=1)]


def beside(rows: pd.DataFrame, base: pd.DataFrame, axis: str = "") -> pd.DataFrame:
    """Return rows with those of `base` at the same place beside them; the axis may differ."""
    other = {"measure", *INTERVAL, axis}
    places = [column for column in rows if column not in other]
    return rows.merge(base, on=places, suffixes=("", "_base"))
