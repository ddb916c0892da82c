"""One axis of words, or none: a row for each word, a dot with its interval for each variant."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from amg.figures.palette import FAINT
from amg.sweep.figure.cells import Block
from amg.sweep.figure.curves import EDGE
from amg.sweep.figure.names import colours, literal, markers, ticks
from amg.sweep.figure.values import NOTHING, limits, set_scale, show

BETWEEN = 0.6  # of a row: what its variants take


def row_names(block: Block) -> list[str]:
    """What the rows are called: the axis' values, or the variants where there is no axis."""
    return ticks(block.axes[0]) if block.axes else [literal(v or "all") for v in block.variants]


def draw_dots(axes: Axes, block: Block) -> None:
    """The panel of a measure: values across, rows down in the order of the file."""
    ends = limits(block)
    set_scale(axes, "x", block, ends)
    for j, variant in enumerate(block.variants):
        texts = [(text,) for text in block.axes[0].texts] if block.axes else [()]
        shown = show([block.values.get((variant, *text), NOTHING) for text in texts], block, ends)
        n = len(block.variants)
        y = np.arange(len(texts)) + BETWEEN * ((j + 0.5) / n - 0.5) if block.axes else np.array([j])
        look: dict[str, Any] = {
            "color": colours(block.variants)[variant],
            "marker": markers(block.variants)[variant],
            "linestyle": "none",
        }
        arms = [shown.mean - shown.low, shown.high - shown.mean]
        axes.errorbar(shown.mean, y, xerr=arms, capsize=1.5, elinewidth=0.8, **look)
        for there, place, mark in ((shown.above, 1 - EDGE, ">"), (shown.below, EDGE, "<")):
            for height in y[there]:
                axes.plot(place, height, transform=axes.get_yaxis_transform(), clip_on=False,
                          **{**look, "marker": mark})  # fmt: skip
    names = row_names(block)
    for j in range(1, len(names), 2):
        axes.axhspan(j - 0.5, j + 0.5, color=FAINT, linewidth=0, zorder=0)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
