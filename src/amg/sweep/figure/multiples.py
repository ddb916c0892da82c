"""Two axes or more: a heat map of the last two for every variant and combination of the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.figure import SubFigure
from numpy.typing import NDArray

from amg.figures.sheet import Sheet
from amg.figures.style import SMALL, STYLE
from amg.sweep.figure.heat_map import SHADES, annotate, draw_map, lettering, norm
from amg.sweep.figure.layout import LINE, POINT, Layout, Panel
from amg.sweep.figure.names import drawn_name, literal, ticks
from amg.sweep.figure.scales import log_ticks
from amg.sweep.figure.values import NOTHING

Means = NDArray[np.float64]
Drawn = list[tuple[Axes, Means]]


def draw_multiples(
    sheet: Sheet, part: SubFigure, layouts: Sequence[Layout], letters: Iterator[str]
) -> None:
    """Measures of one shape, one below the other in one grid, so that their columns align."""
    rows = [len(layout.rows) for layout in layouts]
    grid = part.subplots(sum(rows), layouts[0].columns, squeeze=False)
    parts = np.split(grid, np.cumsum(rows)[:-1])
    drawn = []
    for layout, own in zip(layouts, parts, strict=True):
        header = f"{next(letters)}{layout.block.measure.title}{layout.left_out}"
        drawn.append(_draw(layout, own, header))
        _colour_bar(layout, part, own)
    sheet.figure.draw_without_rendering()  # settles the layout, and so the size of cells
    for layout, panels in zip(layouts, drawn, strict=True):
        _write(layout, panels, 72 / sheet.figure.dpi)


def _draw(layout: Layout, grid: NDArray[np.object_], header: str) -> Drawn:
    """The panels of a measure, without numbers."""
    drawn: Drawn = []
    rows = layout.rows
    for j, row in enumerate(rows):
        above = header if j == 0 else ""
        _titles(grid[j], layout.titles(j), above)
        for axes in grid[j, len(row) :]:
            axes.set_axis_off()
        for k, (axes, panel) in enumerate(zip(grid[j], row, strict=False)):
            means = _means(layout, panel)
            draw_map(axes, means, norm(layout.block))
            last = j + 1 == len(rows) or k >= len(rows[j + 1])
            _ticks(layout, axes, left=k == 0, below=last)
            drawn.append((axes, means))
        if layout.outer and len(layout.block.variants) > 1:
            grid[j, 0].set_ylabel(f"{literal(row[0].variant)}\n{drawn_name(layout.down.name)}")
    return drawn


def _means(layout: Layout, panel: Panel) -> Means:
    """[down, across]: not a number where there is no cell."""
    values = layout.block.values
    return np.array([
        [values.get((panel.variant, *panel.outer, y, x), NOTHING).mean for x in layout.across.texts]
        for y in layout.down.texts
    ])  # fmt: skip


def _titles(row: Sequence[Axes], titles: list[list[str]], header: str) -> None:
    """What panels show, and above the first of them the measure."""
    lines = max(map(len, titles))
    if header and not lines:
        row[0].set_title(header)
        return
    for axes, title in zip(row, titles, strict=False):
        room = [""] if header else []
        if room or title:
            axes.set_title(literal("\n".join([*room, *title])), fontsize=SMALL)
    if header:  # it may be wider than its panel
        up = STYLE["axes.titlepad"] + lines * LINE / POINT + 1.0
        row[0].annotate(
            header, (0.0, 1.0), (0.0, up), xycoords="axes fraction", textcoords="offset points",
            va="bottom", fontsize=STYLE["axes.titlesize"],
        ).set_in_layout(False)  # fmt: skip


def _ticks(layout: Layout, axes: Axes, left: bool, below: bool) -> None:
    """Names of rows and columns, at the left and the lower edge of the grid only."""
    for side, axis, shown in ((axes.yaxis, layout.down, left), (axes.xaxis, layout.across, below)):
        side.set_ticks([j + 0.5 for j in range(len(axis.points))], ticks(axis))
        side.set_tick_params(labelleft=shown, labelbottom=shown)
        if shown:
            side.set_label_text(drawn_name(axis.name))
    if layout.steep:
        axes.tick_params(axis="x", rotation=90)


def _colour_bar(layout: Layout, part: SubFigure, grid: NDArray[np.object_]) -> None:
    tall = len(layout.rows) * layout.tall
    length = min(tall, 1.5)
    bar = part.colorbar(
        ScalarMappable(norm(layout.block), SHADES), ax=grid.ravel().tolist(), pad=0.01,
        anchor=(0.0, 1.0), shrink=length / tall, aspect=length / (6 * POINT),
    )  # fmt: skip
    bar.outline.set_visible(False)
    if layout.block.logarithmic:
        log_ticks(bar.ax.yaxis, *bar.ax.get_ylim())


def _write(layout: Layout, drawn: Drawn, point: float) -> None:
    """The numbers, where they have room; `point` is what a pixel is in points."""
    (axes, means), block = drawn[0], layout.block
    cell = point * axes.bbox.width / means.shape[1], point * axes.bbox.height / means.shape[0]
    every = np.concatenate([means for _, means in drawn], axis=None)
    most = 2 if block.measure.share else 3
    fit = lettering(cell, every.tolist(), most)
    if fit is not None:
        for axes, means in drawn:
            annotate(axes, means, norm(block), *fit)
