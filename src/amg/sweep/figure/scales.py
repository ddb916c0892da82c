"""Scales and their ticks: linear, logarithmic, or logarithmic with a place for 0."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.axis import Axis as Side
from matplotlib.axis import XAxis
from matplotlib.ticker import (
    FixedLocator,
    FuncFormatter,
    LogLocator,
    MaxNLocator,
    NullFormatter,
    NullLocator,
)

from amg.figures.words import SUPERSCRIPTS
from amg.sweep.axes import Axis
from amg.sweep.figure.names import ticks

WIDE = 1.5  # decades: values that span more are shown on a logarithmic scale
ROOM = 2.0  # points between the names of ticks beside each other
LITTLE = 1.3  # a logarithmic scale has at least this ratio of its ends
LINEAR, LOG, ZERO = "linear", "log", "zero"


def kind(numbers: Sequence[float]) -> str:
    """How an axis with these values is drawn; ZERO is a logarithmic one that begins with 0."""
    positive = [x for x in numbers if x > 0]
    if min(numbers) < 0 or not positive or max(positive) / min(positive) <= 10**WIDE:
        return LINEAR
    return LOG if len(positive) == len(numbers) else ZERO


def set_x(axes: Axes, axis: Axis, numbers: Sequence[float]) -> None:
    """Scale and limits for these values, and a tick at each."""
    low, high = min(numbers), max(numbers)
    match kind(numbers):
        case "linear":
            margin = 0.05 * (high - low) or 0.5
            axes.set_xlim(low - margin, high + margin)
        case "log":
            axes.set_xscale("log")
            margin = (high / low) ** 0.05
            axes.set_xlim(low / margin, high * margin)
        case "zero":  # linear from 0 to the least positive value, for which there is a tick
            least = min(x for x in numbers if x > 0)
            axes.set_xscale("symlog", linthresh=least, linscale=0.5)
            axes.set_xlim(-0.25 * least, high * (high / least) ** 0.05)
    axes.set_xticks(numbers, ticks(axis))
    axes.xaxis.set_minor_locator(NullLocator())


def thin_ticks(side: Side, dpi: float) -> None:
    """Of ticks set by hand, name every one, or every second, third, … so that all have room.

    The layout must have been settled.
    """
    labels = [label for label in side.get_ticklabels() if label.get_visible()]
    if not labels or not isinstance(side.get_major_locator(), FixedLocator):
        return
    along = 0 if isinstance(side, XAxis) else 1
    boxes = [label.get_window_extent().get_points()[:, along] for label in labels]
    order = sorted(range(len(labels)), key=lambda j: boxes[j].mean())
    apart = (ROOM, 0.0)[along] * dpi / 72
    step = next(
        step
        for step in range(1, len(labels) + 1)
        if all(boxes[b].min() - boxes[a].max() >= apart
               for a, b in itertools.pairwise(order[::step]))
    )  # fmt: skip
    named = set(order[::step])
    texts = [label.get_text() if j in named else "" for j, label in enumerate(labels)]
    side.set_ticks(side.get_majorticklocs(), texts)


def log_limits(values: Sequence[float], below: float, above: float) -> tuple[float, float]:
    """From the least to the greatest, and margins as shares of what is between."""
    low, high = min(values), max(values)
    if high / low < LITTLE:
        middle = math.sqrt(low * high)
        low, high = middle / math.sqrt(LITTLE), middle * math.sqrt(LITTLE)
    return low * (low / high) ** below, high * (high / low) ** above


def log_ticks(side: Side, low: float, high: float) -> None:
    """Powers of ten; round numbers between them where those are few."""
    if high / low >= 100:
        side.set_minor_formatter(NullFormatter())
        return
    if high / low > 2:
        steps = (1, 2, 5) if high / low > 10 else (1, 1.5, 2, 3, 4, 6, 8)
        side.set_major_locator(LogLocator(subs=steps))
    else:
        side.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
    side.set_major_formatter(FuncFormatter(lambda x, _: spelled(x)))
    side.set_minor_locator(NullLocator())


def spelled(value: float) -> str:
    """A round number, as short as can be: 0.05, 200, 2×10⁵."""
    if 1e-3 <= abs(value) < 1e4 or value == 0:
        return f"{value:g}".replace("-", "−")
    mantissa, exponent = f"{value:.3e}".split("e")
    power = f"10{str(int(exponent)).translate(SUPERSCRIPTS)}"
    return power if float(mantissa) == 1 else f"{float(mantissa):g}×{power}".replace("-", "−")
