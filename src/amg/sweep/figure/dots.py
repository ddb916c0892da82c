"""One axis of words, or none: a row for each word, a dot with its interval for each variant."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from amg.figures.labels import note
from amg.figures.palette import FAINT
from amg.sweep.figure.cells import Block
from amg.sweep.figure.curves import EDGE, HOLLOW
from amg.sweep.figure.names import literal, looks, ticks
from amg.sweep.figure.values import NOTHING, limits, set_scale, show

BETWEEN = 0.6  # of a row: what its variants take


def row_names(block: Block) -> list[str]:
    """What the rows are called: the axis' values, or the variants where there is no axis."""
    return ticks(block.axes[0]) if block.axes else [literal(v) for v in block.variants]


def draw_dots(axes: Axes, block: Block) -> None:
    """The panel of a measure: values across, rows down in the order of the file."""
    ends = limits(block)
    set_scale(axes, "x", block, ends)
    for j, variant in enumerate(block.variants):
        places = [(variant, text) for text in block.axes[0].texts] if block.axes else [(variant,)]
        beside = BETWEEN * ((j + 0.5) / len(block.variants) - 0.5)
        y = np.arange(len(places)) + beside if block.axes else np.array([j])
        shown = show([block.values.get(place, NOTHING) for place in places], block, ends)
        look: dict[str, Any] = {**looks(block.variants)[variant], "linestyle": "none"}
        arms = [shown.mean - shown.low, shown.high - shown.mean]
        axes.errorbar(shown.mean, y, xerr=arms, capsize=1.5, elinewidth=0.8, **look)
        for place, mean, height in zip(places, shown.mean, y, strict=True):
            if place in block.at_most:
                axes.plot(mean, height, zorder=4, **look, **HOLLOW)
        for there, across, mark in ((shown.above, 1 - EDGE, ">"), (shown.below, EDGE, "<")):
            for height in y[there]:
                axes.plot(across, height, transform=axes.get_yaxis_transform(), clip_on=False,
                          **{**look, "marker": mark})  # fmt: skip
        if not block.axes and shown.above.any():
            note(axes, "not reached", (1 - EDGE, j), look["color"], xytext=(-4.0, 0.0), ha="right",
                 va="center", xycoords=axes.get_yaxis_transform())  # fmt: skip
    names = row_names(block)
    for j in range(1, len(names), 2):
        axes.axhspan(j - 0.5, j + 0.5, color=FAINT, linewidth=0, zorder=0)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
