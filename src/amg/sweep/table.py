"""What a sweep can measure, and the names of measures and axes for people.

---
The results of a sweep, and its one tidy table: every measure in every cell, with intervals.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from amg.base.errors import FileError
from amg.base.rational import exact
from amg.sweep.grid import Axis, Sweep
from amg.tables.intervals import Bootstrap


class Measure(NamedTuple):
    """A column of the evaluations."""

    title: str
    positive: bool  # spans orders of magnitude: drawn on a logarithmic scale
    share: bool = False  # lies in [0, 1]
    computed: bool = False  # from the policy, not sampled


MEASURES: dict[str, Measure] = {
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
DERIVED = Measure("episodes to the target", positive=True)


def measure(name: str) -> Measure:
    """Return the measure of this name, measured or derived."""
    return DERIVED if name == EPISODES_TO else MEASURES[name]


AXES = {  # as the paper writes them; other axes keep their names
    "episodes": "K (episodes)",
    "agents": "N (agents)",
    "horizon": "T (horizon)",
    "lambda_min": "λ_min",
    "cv_max": "CV_max",
    "mad_max": "MAD_max",
    "epsilon": "ε",
    "epsilon_end": "ε_end",
    "bonus": "bonus multiplier",
    "p": "p (failure probability)",
}


def axis_name(axis: str) -> str:
    """Return an axis in plain text."""
    return AXES.get(axis, axis)


def axis_symbol(axis: str) -> str:
    """Return an axis as short as it can be, to stand before a value."""
    return min(axis_name(axis).split(" (")[0], axis, key=len)


def axis_label(axis: str) -> str:
    """Return an axis as matplotlib writes it: λ_min has a subscript."""
    if axis not in AXES:
        return literal(axis)
    return re.sub(r"_(\w+)", r"$_\\mathregular{\1}$", AXES[axis])


def literal(text: str) -> str:
    """Return a text for matplotlib, which takes what is between two $ for a formula."""
    return text.replace("$", r"\$")


# ===== sweep/table

INTERVAL = ("mean", "low", "high", "seeds", "level")
NOT_REACHED = float("inf")
Values = NDArray[np.float64]


class Estimate(NamedTuple):
    """A mean over seeds, and the mean of each resample of them."""

    mean: float
    resampled: Values


class Results:
    """Every seed of every cell, with the cell's place and all that was measured."""

    def __init__(self, sweep: Sweep, evaluations: pd.DataFrame, bootstrap: Bootstrap) -> None:
        self.sweep, self.bootstrap = sweep, bootstrap
        self.axes = [axis.name for axis in sweep.axes]
        self.frame = _join(sweep, evaluations)

    def table(self) -> pd.DataFrame:
        """Return mean and interval of every measure in every cell; of the target, over K."""
        rows = []
        for name in [*self.sweep.measures, *([EPISODES_TO] if self.sweep.target else [])]:
            over_K = name == EPISODES_TO
            columns = ["variant", *(a for a in self.axes if not (over_K and a == "episodes"))]
            for place, group in self.frame.groupby(columns, sort=False):
                estimate = self.estimate(group, name)
                if estimate is not None:
                    ends = self.bootstrap.interval(estimate.resampled)
                    numbers = (estimate.mean, *ends, self.sweep.seeds, self.bootstrap.level)
                    rows.append({**dict(zip(columns, place, strict=True)), "measure": name,
                                 **dict(zip(INTERVAL, numbers, strict=True))})  # fmt: skip
        return pd.DataFrame(rows, columns=["variant", *self.axes, "measure", *INTERVAL])

    def estimate(self, group: pd.DataFrame, name: str, shift: int = 0) -> Estimate | None:
        """Return a measure over the seeds of one place; None if these runs do not have it.

        All places use the same draws. Whoever compares two places gives them different shifts,
        which pair unrelated resamples, because runs of different places are independent.
        """
        if name == EPISODES_TO:
            return self._episodes_to_target(group, shift)
        values = group[name].to_numpy(dtype=float)
        if np.isnan(values).any():
            return None
        return Estimate(float(values.mean()), np.roll(self.bootstrap.means(values), shift))

    def _episodes_to_target(self, group: pd.DataFrame, shift: int) -> Estimate | None:
        """Return the episodes until the mean gap, in units of the reward range, is at the target.

        Between two K of the sweep the gap is taken to follow a power of K.
        """
        assert self.sweep.target is not None
        by_K = {value_of(K): rows for K, rows in group.groupby("episodes", sort=False)}
        K = np.array(sorted(by_K))
        estimates = [self.estimate(by_K[k], GAP, shift * len(K) + j) for j, k in enumerate(K)]
        gaps = [estimate for estimate in estimates if estimate is not None]
        if len(gaps) < len(K):
            return None
        means = np.array([[estimate.mean] for estimate in gaps])
        resampled = np.stack([estimate.resampled for estimate in gaps])
        target = self.sweep.target
        return Estimate(float(crossing(K, means, target)[0]), crossing(K, resampled, target))


def crossing(K: Values, gaps: Values, target: float) -> Values:
    """Return where gaps [K, n] fall to the target for good, by powers of K; ∞ if they do not."""
    above = gaps > target
    last = len(K) - 1 - np.argmax(above[::-1], axis=0)  # of those above
    last = np.where(above.any(axis=0), last, -1)
    crossings = np.full(gaps.shape[1], K[0])
    crossings[last == len(K) - 1] = NOT_REACHED
    between = np.flatnonzero((last >= 0) & (last < len(K) - 1))
    j = last[between]
    x, y = np.log(K), np.log(np.maximum(gaps, 1e-300))
    share = (y[j, between] - np.log(target)) / (y[j, between] - y[j + 1, between])
    crossings[between] = np.exp(x[j] + share * (x[j + 1] - x[j]))
    return crossings


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
    for column, value in where.items():
        rows = rows[rows[column] == value]
    return rows


def beside(rows: pd.DataFrame, base: pd.DataFrame, axis: str = "") -> pd.DataFrame:
    """Return rows with those of `base` at the same place beside them; the axis may differ."""
    other = {"measure", *INTERVAL, axis}
    places = [column for column in rows if column not in other]
    return rows.merge(base, on=places, suffixes=("", "_base"))


def ratios(pairs: pd.DataFrame) -> pd.Series:
    """Return means relative to those beside them, where these are positive."""
    base = pairs["mean_base"]
    return (pairs["mean"] / base.where(base > 0)).dropna()


@dataclass(frozen=True)
class Block:
    """A measure with the axes that it depends on, and its values."""

    name: str
    axes: tuple[Axis, ...]
    variants: tuple[str, ...]
    rows: pd.DataFrame  # variant, one column for each axis, mean, low, high, at_most

    @property
    def measure(self) -> Measure:
        return measure(self.name)

    @property
    def kind(self) -> str:
        """How it is drawn: as heat maps, curves or dots."""
        if len(self.axes) > 1:
            return "maps"
        return "curves" if self.axes and self.axes[0].numbers else "dots"

    @property
    def logarithmic(self) -> bool:
        return self.measure.positive and bool((self.rows["mean"] > 0)[~self.not_reached].any())

    @property
    def not_positive(self) -> pd.Series:
        """Which means a logarithmic scale cannot show."""
        return self.logarithmic & (self.rows["mean"] <= 0)

    @property
    def not_reached(self) -> pd.Series:
        return np.isinf(self.rows["mean"])

    def of(self, variant: str) -> pd.DataFrame:
        return self.rows[self.rows["variant"] == variant]


def blocks(sweep: Sweep, table: pd.DataFrame) -> list[Block]:
    """Return what is drawn, measure by measure; the derived one has no axis of episodes."""
    parts = [_block(sweep, table, name, sweep.axes) for name in sweep.measures]
    if sweep.target is not None:
        axes = tuple(axis for axis in sweep.axes if axis.name != "episodes")
        parts.append(_block(sweep, table, EPISODES_TO, axes))
    return parts


def _block(sweep: Sweep, table: pd.DataFrame, name: str, axes: tuple[Axis, ...]) -> Block:
    columns = ["variant", *(axis.name for axis in axes)]
    rows = table.loc[table["measure"] == name, [*columns, "mean", "low", "high"]]
    rows = rows.reset_index(drop=True)
    least: dict[tuple[str, ...], int] = {}  # the least K that was run at each place
    for cell in sweep.cells:
        place = (cell.variant, *(cell.at[axis.name] for axis in axes))
        least[place] = min(cell.episodes, least.get(place, cell.episodes))
    places = rows[columns].itertuples(index=False, name=None)
    limits = np.array([least[place] for place in places], dtype=float)
    rows["at_most"] = (rows["mean"] <= limits) & (name == EPISODES_TO)
    return Block(name, axes, sweep.variants, rows)
