"""One axis of numbers: a curve with intervals for each variant, a panel for each measure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from amg.figures.labels import label_ends, note
from amg.figures.palette import GREY
from amg.figures.sheet import DASHES, Panel, Sheet
from amg.figures.style import STYLE
from amg.sweep.figure.cells import TINY, Block
from amg.sweep.figure.guides import Cells, Line, guides
from amg.sweep.figure.heat_map import short
from amg.sweep.figure.names import colours, drawn_name, literal, markers
from amg.sweep.figure.scales import set_x
from amg.sweep.figure.values import NOTHING, Limits, limits, set_scale, show
from amg.sweep.grid import Sweep

EDGE, STEP = 0.03, 0.05  # shares of the height: marks at the edge, each variant's a step further

THROUGH = ", through ○"  # the point that guides are scaled to; it has a ring

Named = list[tuple[float, str, str]]  # labels right of the panel: y, text, colour


def draw_curves(sheet: Sheet, axes: Axes, sweep: Sweep, block: Block, named: bool) -> None:
    """The panel of a measure; with names beside the curves if they are not named elsewhere."""
    panel = sheet.panel(axes, block.name)
    (axis,), numbers = block.axes, block.axes[0].numbers
    assert numbers is not None, "words are drawn as dots"
    laws = _laws(sweep, block, numbers)
    ends = limits(block, [line for _, line in laws])
    set_x(axes, axis, numbers)
    set_scale(axes, "y", block, ends)
    axes.set_xlabel(drawn_name(axis.name))

    names: Named = []
    for variant in block.variants:
        end = _curve(panel, block, variant, numbers, ends)
        names += _name(variant, end, block, ends) if named or not variant else []
    for text, line in laws:
        names += _guide(panel, text, line, ends[1])
    label_ends(panel, names[::-1])  # of equals, the first is on top


def _curve(
    panel: Panel, block: Block, variant: str, numbers: Sequence[float], ends: Limits
) -> float:
    """Draw a curve; returns its last mean, if it has one."""
    axes, (axis,) = panel.axes, block.axes
    values = {x: block.values.get((variant, text), NOTHING)
              for x, text in zip(numbers, axis.texts, strict=True)}  # fmt: skip
    x = np.array(sorted(values))
    shown = show([values[place] for place in x], block, ends)
    look: dict[str, Any] = {
        "color": colours(block.variants)[variant],
        "marker": markers(block.variants)[variant],
    }
    panel.bars(literal(variant), x, shown.mean, shown.low, shown.high, **look)
    edge = EDGE + STEP * block.variants.index(variant)
    for there, height, mark in ((shown.above, 1 - edge, "^"), (shown.below, edge, "v")):
        for place in x[there]:
            axes.plot(place, height, transform=axes.get_xaxis_transform(), clip_on=False,
                      **{**look, "marker": mark})  # fmt: skip
    return next((v for place in x[::-1] if (v := values[place].mean) == v), math.nan)


def _name(variant: str, end: float, block: Block, ends: Limits) -> Named:
    """The label of a curve beside its last mean; one at the edge says what it is."""
    colour = colours(block.variants)[variant]
    parts = [literal(variant)] if variant else []
    if math.isinf(end):
        parts.append("not reached")
    elif block.logarithmic and end <= TINY:
        parts.append(short(end, 2))
    return [(float(np.clip(end, *ends)), ": ".join(parts), colour)] if parts and end == end else []


def _laws(sweep: Sweep, block: Block, numbers: Sequence[float]) -> list[tuple[str, Line]]:
    """Guides, with their labels, through the first point of the first curve that has one."""
    (axis,) = block.axes
    at = dict(zip(axis.texts, numbers, strict=True))
    for variant in block.variants:
        means = {at[text]: block.values.get((variant, text), NOTHING).mean for text in axis.texts}
        x0 = min((x for x, y in means.items() if 0 < y < math.inf), default=None)
        if x0 is None:
            continue
        cells: Cells = {at[c.at[axis.name]]: c for c in sweep.cells if c.variant == variant}
        laws = [(f"{guide.label}{THROUGH}", guide.line(cells, x0, means[x0]))
                for guide in guides(axis.name, block.name)]  # fmt: skip
        return [(label, line) for label, line in laws if line is not None]
    return []


def _guide(panel: Panel, label: str, line: Line, high: float) -> Named:
    """Draw a guide; one that leaves the panel at its top is named there, another at its end."""
    x, y = (np.array(values) for values in line)
    inside = y <= high
    style: dict[str, Any] = {"color": GREY, "linewidth": 0.8, "linestyle": DASHES, "zorder": 1.5}
    panel.line(label, x[inside], y[inside], **style)
    panel.axes.plot(x[0], y[0], marker="o", markersize=6.5, color=GREY, fillstyle="none", zorder=5)
    if inside.all():
        return [(float(y[-1]), label, GREY)]
    place, across = (float(x[inside][-1]), 1.0), panel.axes.get_xaxis_transform()
    look = {"va": "bottom", "annotation_clip": False}
    panel.axes.set_title(panel.axes.get_title(loc="left"), pad=STYLE["axes.titlepad"] + 9)
    note(panel.axes, label, place, GREY, xycoords=across, xytext=(0.0, 2.0), **look)
    return []
