"""The one tidy table of a sweep: each cell's measures with intervals over seeds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from amg.analysis.intervals import Bootstrap
from amg.errors import FileError
from amg.sweep.grid import Sweep, key
from amg.sweep.measures import EPISODES_TO

INTERVAL = ("mean", "low", "high", "seeds", "level")
NOT_REACHED = float("inf")


def join(sweep: Sweep, evaluations: pd.DataFrame) -> pd.DataFrame:
    """One row for each seed of each cell: where it is, as written, and all that was measured."""
    by_series = dict(list(evaluations.groupby("series", sort=False)))
    frames = []
    for cell in sweep.cells:
        name = key(sweep.series(cell))
        if name not in by_series or len(by_series[name]) != sweep.seeds:
            raise FileError(f"sweep {sweep.name}: the evaluations of {name} are not there; "
                            f"make them again")  # fmt: skip
        rows = by_series[name].drop(columns=["series", "episodes"])
        frames.append(rows.assign(variant=cell.variant, **cell.at))
    joined = pd.concat(frames, ignore_index=True)
    return joined[["variant", *(axis.name for axis in sweep.axes),
                   *rows.columns.difference(["variant"], sort=False)]]  # fmt: skip


def sweep_table(sweep: Sweep, joined: pd.DataFrame, bootstrap: Bootstrap) -> pd.DataFrame:
    """Mean and interval of every measure in every cell, and of the episodes to the target."""
    axes = [axis.name for axis in sweep.axes]
    rows: list[dict[str, Any]] = []
    for place, group in joined.groupby(["variant", *axes], sort=False):
        for measure in sweep.measures:
            values = group[measure].to_numpy(dtype=float)
            if not np.isnan(values).any():
                rows.append({**dict(zip(["variant", *axes], place, strict=True)),
                             "measure": measure, **_interval(values, bootstrap)})  # fmt: skip
    rows += reached(sweep, joined, bootstrap)
    return pd.DataFrame(rows, columns=["variant", *axes, "measure", *INTERVAL])


def _interval(values: NDArray[np.float64], bootstrap: Bootstrap) -> dict[str, Any]:
    mean, low, high = bootstrap.mean(values)
    return dict(zip(INTERVAL, (mean, low, high, len(values), bootstrap.level), strict=True))


def reached(sweep: Sweep, joined: pd.DataFrame, bootstrap: Bootstrap) -> Iterator[dict[str, Any]]:
    """Episodes until the mean gap, in units of the reward range, is at the target; ∞ if it never is.

    Between two K of the sweep the gap is taken to follow a power of K. Runs of different K have
    nothing in common, so a resample draws seeds for each K on its own.
    """
    if sweep.target is None:
        return
    others = ["variant", *(axis.name for axis in sweep.axes if axis.name != "episodes")]
    for place, group in joined.groupby(others, sort=False):
        by_K = {float(K): rows["relative_gap"].to_numpy(dtype=float)
                for K, rows in group.groupby("episodes", sort=False)}  # fmt: skip
        K = np.array(sorted(by_K))
        means = np.array([by_K[k].mean() for k in K])
        # the same draws serve every K; rolling them pairs unrelated resamples
        resampled = np.stack([np.roll(bootstrap.means(by_K[k]), j) for j, k in enumerate(K)])
        low, high = bootstrap.interval(crossing(K, resampled, sweep.target))
        yield {
            **dict(zip(others, place, strict=True)),
            "measure": EPISODES_TO,
            **dict(zip(INTERVAL, (crossing(K, means[:, None], sweep.target)[0], low, high,
                                  sweep.seeds, bootstrap.level), strict=True)),
        }  # fmt: skip


def crossing(
    K: NDArray[np.float64], gaps: NDArray[np.float64], target: float
) -> NDArray[np.float64]:
    """Where gaps [K, …] fall to the target for good, by powers of K between the points."""
    above = gaps > target
    last = len(K) - 1 - np.argmax(above[::-1], axis=0)  # of those above
    last = np.where(above.any(axis=0), last, -1)
    found = np.full(gaps.shape[1:], K[0])
    found[last == len(K) - 1] = NOT_REACHED
    between = np.flatnonzero((last >= 0) & (last < len(K) - 1))
    j = last[between]
    x, y = np.log(K), np.log(np.maximum(gaps, 1e-300))
    share = (y[j, between] - np.log(target)) / (y[j, between] - y[j + 1, between])
    found[between] = np.exp(x[j] + share * (x[j + 1] - x[j]))
    return found
