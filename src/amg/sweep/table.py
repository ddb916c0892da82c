"""The results of a sweep, and its one tidy table: what is measured, with intervals over seeds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from amg.analysis.intervals import Bootstrap
from amg.errors import FileError
from amg.sweep.grid import Sweep, key
from amg.sweep.measures import EPISODES_TO

INTERVAL = ("mean", "low", "high", "seeds", "level")
NOT_REACHED = float("inf")
Values = NDArray[np.float64]


class Estimate(NamedTuple):
    """A mean over seeds, and the same of each resample of them."""

    mean: float
    resampled: Values


class Results:
    """Every seed of every cell: where it is, as it was written, and all that was measured."""

    def __init__(self, sweep: Sweep, evaluations: pd.DataFrame, bootstrap: Bootstrap) -> None:
        self.sweep, self.bootstrap = sweep, bootstrap
        self.axes = [axis.name for axis in sweep.axes]
        self.frame = _join(sweep, evaluations)

    def places(self, measure: str) -> list[str]:
        """The columns that tell one value of a measure from another."""
        derived = measure == EPISODES_TO
        return ["variant", *(name for name in self.axes if not (derived and name == "episodes"))]

    def table(self) -> pd.DataFrame:
        """Mean and interval of every measure in every cell, and of the episodes to the target."""
        measures = [*self.sweep.measures, *([EPISODES_TO] if self.sweep.target else [])]
        rows = []
        for measure in measures:
            columns = self.places(measure)
            for place, group in self.frame.groupby(columns, sort=False):
                estimate = self.estimate(group, measure)
                if estimate is not None:
                    low, high = self.bootstrap.interval(estimate.resampled)
                    numbers = (estimate.mean, low, high, self.sweep.seeds, self.bootstrap.level)
                    rows.append({**dict(zip(columns, place, strict=True)), "measure": measure,
                                 **dict(zip(INTERVAL, numbers, strict=True))})  # fmt: skip
        return pd.DataFrame(rows, columns=["variant", *self.axes, "measure", *INTERVAL])

    def where(self, **wanted: str) -> pd.DataFrame:
        """The rows of a part of the sweep."""
        rows = self.frame
        for name, text in wanted.items():
            rows = rows[rows[name] == text]
        return rows

    def estimate(self, group: pd.DataFrame, measure: str, shift: int = 0) -> Estimate | None:
        """A measure over the seeds of one place; None for what these runs have not.

        The same draws serve every place. Runs of different places have nothing in common, so
        whoever compares two gives them different shifts, which pair unrelated resamples.
        """
        if measure == EPISODES_TO:
            return self._reached(group, shift)
        values = group[measure].to_numpy(dtype=float)
        if np.isnan(values).any():
            return None
        return Estimate(float(values.mean()), np.roll(self.bootstrap.means(values), shift))

    def _reached(self, group: pd.DataFrame, shift: int) -> Estimate:
        """Episodes until the mean gap, in units of the reward range, is down at the target.

        Between two K of the sweep the gap is taken to follow a power of K.
        """
        assert self.sweep.target is not None
        by_K = {float(K): rows for K, rows in group.groupby("episodes", sort=False)}
        K = np.array(sorted(by_K))
        found = [
            self.estimate(by_K[k], "relative_gap", shift * len(K) + j) for j, k in enumerate(K)
        ]
        known = [estimate for estimate in found if estimate is not None]
        means = np.array([[estimate.mean] for estimate in known])
        resampled = np.stack([estimate.resampled for estimate in known])
        target = self.sweep.target
        return Estimate(float(crossing(K, means, target)[0]), crossing(K, resampled, target))


def crossing(K: Values, gaps: Values, target: float) -> Values:
    """Where gaps [K, n] fall to the target for good, by powers of K between points; ∞ if never."""
    above = gaps > target
    last = len(K) - 1 - np.argmax(above[::-1], axis=0)  # of those above
    last = np.where(above.any(axis=0), last, -1)
    found = np.full(gaps.shape[1], K[0])
    found[last == len(K) - 1] = NOT_REACHED
    between = np.flatnonzero((last >= 0) & (last < len(K) - 1))
    j = last[between]
    x, y = np.log(K), np.log(np.maximum(gaps, 1e-300))
    share = (y[j, between] - np.log(target)) / (y[j, between] - y[j + 1, between])
    found[between] = np.exp(x[j] + share * (x[j + 1] - x[j]))
    return found


def _join(sweep: Sweep, evaluations: pd.DataFrame) -> pd.DataFrame:
    """Cells that share runs have the same rows."""
    by_series: Mapping[str, pd.DataFrame] = {
        str(name): rows.drop(columns=["series", "episodes"])
        for name, rows in evaluations.groupby("series", sort=False)
    }
    return pd.concat(_rows(sweep, by_series), ignore_index=True)


def _rows(sweep: Sweep, by_series: Mapping[str, pd.DataFrame]) -> Iterable[pd.DataFrame]:
    for cell in sweep.cells:
        name = key(sweep.series(cell))
        if name not in by_series or len(by_series[name]) != sweep.seeds:
            raise FileError(
                f"sweep {sweep.name}: not all evaluations of {name} are there; make them again"
            )
        yield by_series[name].assign(variant=cell.variant, **cell.at)
