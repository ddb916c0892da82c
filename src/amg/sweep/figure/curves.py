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
from amg.sweep.figure.cells import Block
from amg.sweep.figure.guides import Cells, Line, guides
from amg.sweep.figure.heat_map import short
from amg.sweep.figure.names import drawn_name, literal, looks
from amg.sweep.figure.scales import set_x
from amg.sweep.figure.values import NOTHING, STEP, Limits, edges, limits, set_scale, show
from amg.sweep.grid import Sweep

EDGE = 0.03  # share of the panel: where marks stand at its edge
HOLLOW: Any = {"markerfacecolor": "white"}  # the value or less

THROUGH = ", through ○"  # the point that guides are scaled to; it has a ring

Named = list[tuple[float, str, str]]  # labels right of the panel: y, text, colour


def draw_curves(sheet: Sheet, axes: Axes, sweep: Sweep, block: Block, named: bool) -> None:
    """The panel of a measure; with names beside the curves if they are not named elsewhere."""
    panel = sheet.panel(axes, block.name)
    (axis,), numbers = block.axes, block.axes[0].numbers
    assert numbers is not None, "words are drawn as dots"
    drawn = laws(sweep, block)
    ends = limits(block, [line for _, line in drawn])
    set_x(axes, axis, numbers)
    set_scale(axes, "y", block, ends)
    axes.set_xlabel(drawn_name(axis.name))

    names: Named = []
    for variant in block.variants:
        end = _curve(panel, block, variant, numbers, ends)
        names += _name(variant, end, block, ends) if named or not variant else []
    for text, line in drawn:
        names += _guide(panel, text, line, ends[1])
    label_ends(panel, names[::-1])  # of equals, the first is on top


def _curve(
    panel: Panel, block: Block, variant: str, numbers: Sequence[float], ends: Limits
) -> float:
    """Draw a curve; returns its last mean, if it has one."""
    axes, (axis,) = panel.axes, block.axes
    places = {x: (variant, text) for x, text in zip(numbers, axis.texts, strict=True)}
    x = np.array(sorted(places))
    values = [block.values.get(places[number], NOTHING) for number in x]
    shown = show(values, block, ends)
    look = looks(block.variants)[variant]
    panel.bars(literal(variant), x, shown.mean, shown.low, shown.high, **look)
    for number, y in zip(x, shown.mean, strict=True):
        if places[number] in block.at_most:
            axes.plot(number, y, zorder=4, **look, **HOLLOW)
    below, above = (EDGE + STEP * edge.index(variant) if variant in edge else 0.0
                    for edge in edges(block))  # fmt: skip
    for there, height, mark in ((shown.above, 1 - above, "^"), (shown.below, below, "v")):
        for number in x[there]:
            axes.plot(number, height, transform=axes.get_xaxis_transform(), clip_on=False,
                      **{**look, "marker": mark})  # fmt: skip
    return next((value.mean for value in values[::-1] if value.mean == value.mean), math.nan)


def _name(variant: str, end: float, block: Block, ends: Limits) -> Named:
    """The label of a curve beside its last mean; one at the edge says what it is."""
    colour = looks(block.variants)[variant]["color"]
    parts = [literal(variant)] if variant else []
    if math.isinf(end):
        parts.append("not reached")
    elif block.logarithmic and end <= 0:
        parts.append(short(end, 2))
    return [(float(np.clip(end, *ends)), ": ".join(parts), colour)] if parts and end == end else []


def laws(sweep: Sweep, block: Block) -> list[tuple[str, Line]]:
    """Guides, with their labels, through the first point of the first curve that has one.

    A point that is but a bound is not taken, nor one that nothing follows.
    """
    (axis,), numbers = block.axes, block.axes[0].numbers or []
    at = dict(zip(axis.texts, numbers, strict=True))
    for variant in block.variants:
        places = [(variant, text) for text in axis.texts]
        means = {at[place[1]]: block.values[place].mean for place in places
                 if place in block.values.keys() - block.at_most}  # fmt: skip
        x0 = min((x for x, y in means.items() if 0 < y < math.inf), default=None)
        if x0 is None or x0 == max(numbers):
            continue
        cells: Cells = {at[c.at[axis.name]]: c for c in sweep.cells if c.variant == variant}
        lines = [(guide.label, guide.line(cells, x0, means[x0]))
                 for guide in guides(axis.name, block.name)]  # fmt: skip
        return [(label + THROUGH, line) for label, line in lines if line is not None]
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
    x1, axes = float(x[inside][-1]), panel.axes
    left = axes.transAxes.inverted().transform(axes.transData.transform((x1, high)))[0] < 0.5
    axes.set_title(axes.get_title(loc="left"), pad=STYLE["axes.titlepad"] + 9)  # the label's line
    look = {"ha": "left" if left else "right", "va": "bottom", "annotation_clip": False}
    across = axes.get_xaxis_transform()
    note(axes, label, (x1, 1.0), GREY, xycoords=across, xytext=(0.0, 2.0), **look)
    return []
