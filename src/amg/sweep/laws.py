"""The laws of the theory that a panel of a sweep's figure shows beside the measurements."""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from amg.game.model import iota
from amg.learning.parameters import VLearning
from amg.study.plan import Series
from amg.sweep.grid import Sweep
from amg.sweep.panels import Panel
from amg.sweep.table import EPISODES_TO, part

GAPS = ("max_gap", "relative_gap", "max_informed_gap", "max_own_bound")


class Law(NamedTuple):
    """A law through a point of one curve."""

    label: str
    curve: str  # its value of the colour
    x: Any
    y: Any


def laws(sweep: Sweep, panel: Panel) -> list[Law]:
    """Return the laws of a panel: for each variant, or for the first curve of another axis.

    A law over K is about large K. It goes through the last point of a curve, the others through the
    first one.
    """
    name, colour, found = panel.x.name, panel.colour, list[Law]()
    if panel.x.numbers is None or panel.base or panel.merged:
        return found
    at = dict(zip(panel.x.texts, panel.x.numbers, strict=True))
    for text in colour.texts if colour.name == "variant" else colour.texts[:1]:
        rows = part(panel.rows, {colour.name: text})
        rows = rows.assign(x=rows[name].map(at).astype(float)).sort_values("x")
        rows = rows[np.isfinite(rows["mean"]) & (rows["mean"] > 0) & (rows["x"] > 0)]
        if len(rows):
            point = rows.iloc[-1 if name == "episodes" else 0]
            series = next(cell.series for cell in sweep.cells if cell.variant == point["variant"]
                          and cell.at[name] == point[name])  # fmt: skip
            x = np.geomspace(rows["x"].iloc[0], max(panel.x.numbers), 200)
            lines = _lines(name, panel.measure, series, x, float(point["x"]), float(point["mean"]))
            found += [Law(label, text, x, y) for label, y in lines]
    return found


def _lines(
    axis: str, measure: str, series: Series, x: Any, x0: float, y0: float
) -> Iterator[tuple[str, Any]]:
    """Yield the laws of a measure along an axis that go through a point."""
    if axis == "episodes" and measure in GAPS:
        yield r"theorem: $\propto K^{-1/2}$", y0 * (x / x0) ** -0.5
    if axis == "horizon" and measure == EPISODES_TO:
        yield r"theorem: $\propto T^5$", y0 * (x / x0) ** 5
    if axis == "agents" and measure == EPISODES_TO:
        if isinstance(series.parameters, VLearning):
            # K ∝ ι(K) = log(2 N S A_max K T/p). It grows so slowly that iterating finds K.
            rest = iota(series.game, 1, series.parameters.p) - math.log(series.game.N)
            K = np.full(len(x), y0)
            for _ in range(50):
                K = y0 * (np.log(x * K) + rest) / (math.log(x0 * y0) + rest)
            yield r"theorem: $\propto\iota$", K
        with np.errstate(over="ignore"):
            yield r"joint actions: $\propto A^N$", y0 * float(series.game.A_max) ** (x - x0)
