"""The scale of a measure, and what of its values that scale can show."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from amg.sweep.figure.cells import Block, Value
from amg.sweep.figure.guides import Line
from amg.sweep.figure.scales import log_limits, log_ticks

SHARE = (-0.04, 1.04)  # limits of what lies in [0, 1]: points at both ends are whole
MARGIN, STEP = 0.07, 0.05  # shares of the panel: beyond the values, and for a row of marks there
NOTHING = Value(math.nan, math.nan, math.nan)

Array = NDArray[np.float64]
Limits = tuple[float, float]


def limits(block: Block, laws: Sequence[Line] = ()) -> Limits:
    """Room for means, intervals, marks at the edge, laws that fall, and the beginning of others.

    On a logarithmic scale an interval may go down to any depth: a tenth of the mean is shown.
    """
    values = [value for value in block.values.values() if math.isfinite(value.mean)]
    if block.logarithmic:
        positive = [value for value in values if value.mean > 0]
        shown = [x for mean, low, high in positive for x in (mean, max(low, mean / 10), high)]
        shown += [y[-1] for _, y in laws if y[-1] < y[0]]
        room = [MARGIN + STEP * len(edge) for edge in edges(block)]
        low, high = log_limits([x for x in shown if math.isfinite(x)], *room)
        steep = any(y[-1] > high for _, y in laws)
        return low, high * max(2.0, (high / low) ** 0.25) if steep else high
    if block.measure.share:
        return SHARE
    shown = [x for value in values for x in value if math.isfinite(x)]
    low, high = min(shown, default=0.0), max(shown, default=1.0)
    margin = MARGIN * (high - low) or 0.1 * abs(low) or 1.0
    return low - margin, high + margin


def edges(block: Block) -> tuple[list[str], list[str]]:
    """Variants with means that are not positive on a logarithmic scale, and with infinite ones."""
    below = {place[0] for place, value in block.values.items()
             if block.logarithmic and value.mean <= 0}  # fmt: skip
    above = {place[0] for place, value in block.values.items() if math.isinf(value.mean)}
    return [v for v in block.variants if v in below], [v for v in block.variants if v in above]


def set_scale(axes: Axes, which: str, block: Block, ends: Limits) -> None:
    """Give the side `which` (x or y) of a panel the scale of a measure."""
    side = axes.xaxis if which == "x" else axes.yaxis
    if block.logarithmic:
        axes.set(**{f"{which}scale": "log"})
        log_ticks(side, *ends)
    axes.set(**{f"{which}lim": ends})
    if not block.finite:
        side.set_ticks([])


class Shown(NamedTuple):
    """Means that the scale has, with their intervals, and where there are others."""

    mean: Array  # not a number where there is none, or none that can be shown
    low: Array
    high: Array
    above: NDArray[np.bool_]  # infinite
    below: NDArray[np.bool_]  # not positive on a logarithmic scale


def show(values: Sequence[Value], block: Block, ends: Limits) -> Shown:
    """Values as a panel with these ends shows them; an interval without an end goes to the edge."""
    mean, low, high = np.array(values, dtype=float).reshape(-1, 3).T
    above, below = np.isposinf(mean), block.logarithmic & (mean <= 0)
    mean = np.where(above | below, math.nan, mean)
    low = np.where(np.isfinite(low), np.maximum(low, ends[0]), ends[0])
    high = np.where(np.isfinite(high), high, ends[1])
    # the interval of equal values may miss their mean by a rounding error
    return Shown(mean, np.minimum(low, mean), np.maximum(high, mean), above, below)
