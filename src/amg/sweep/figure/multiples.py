"""Two axes or more: a heat map of the last two for every variant and combination of the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.figure import SubFigure
from numpy.typing import NDArray

from amg.figures.sheet import Sheet
from amg.figures.style import SMALL, STYLE
from amg.sweep.figure.heat_map import LEAST, SHADES, annotate, draw_map, norm, short, type_size
from amg.sweep.figure.layout import CHARACTER, LINE, POINT, Layout, Panel
from amg.sweep.figure.names import drawn_name, folded, literal, ticks
from amg.sweep.figure.scales import log_ticks
from amg.sweep.figure.values import NOTHING

Means = NDArray[np.float64]
Drawn = list[tuple[Axes, Panel, Means]]


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
        drawn.append(_draw(layout, own, header, room=2 if layout is layouts[0] else 3))
        _colour_bar(layout, part, own)
    sheet.figure.draw_without_rendering()  # settles the layout, and so the size of cells
    for layout, panels in zip(layouts, drawn, strict=True):
        _write(layout, panels, 72 / sheet.figure.dpi)


def _draw(layout: Layout, grid: NDArray[np.object_], header: str, room: int) -> Drawn:
    """The panels of a measure, without numbers."""
    drawn: Drawn = []
    rows = layout.rows
    for j, row in enumerate(rows):
        _titles(grid[j], layout.titles(j), header if j == 0 else "", room)
        for axes in grid[j, len(row) :]:
            axes.set_axis_off()
        for k, (axes, panel) in enumerate(zip(grid[j], row, strict=False)):
            means = _means(layout, panel)
            draw_map(axes, means, norm(layout.block))
            last = j + 1 == len(rows) or k >= len(rows[j + 1])
            _ticks(layout, axes, left=k == 0, below=last)
            drawn.append((axes, panel, means))
        if layout.outer and len(layout.block.variants) > 1:
            names = literal(row[0].variant), drawn_name(layout.down.name)
            grid[j, 0].set_ylabel("\n".join(folded(n, layout.tall, CHARACTER) for n in names))
    return drawn


def _means(layout: Layout, panel: Panel) -> Means:
    """[down, across]: not a number where there is no cell."""
    values = layout.block.values
    return np.array([
        [values.get((*panel.place, y, x), NOTHING).mean for x in layout.across.texts]
        for y in layout.down.texts
    ])  # fmt: skip


def _titles(row: Sequence[Axes], titles: list[list[str]], header: str, room: int) -> None:
    """What panels show, and above the first of them the measure, for which lines are kept free."""
    lines = max(map(len, titles))
    if header and not lines:
        row[0].set_title(header)
        return
    free = room if header else 0
    texts = ["\n".join(["" for _ in range(lines + free - len(title))] + title) for title in titles]
    drawn = [axes.set_title(literal(text), fontsize=SMALL)
             for axes, text in zip(row, texts, strict=False)]  # fmt: skip
    if header:  # not the first line of a title: it is larger, and may be wider than its panel
        place: Any = ("axes fraction", drawn[0])
        row[0].annotate(
            header, (0.0, 1.0), (0.0, -(room - 1.6) * LINE / POINT), xycoords=place,
            textcoords="offset points", va="top", fontsize=STYLE["axes.titlesize"],
        ).set_in_layout(False)  # fmt: skip


def _ticks(layout: Layout, axes: Axes, left: bool, below: bool) -> None:
    """Names of rows and columns, at the left and the lower edge of the grid only."""
    for side, axis, shown in ((axes.yaxis, layout.down, left), (axes.xaxis, layout.across, below)):
        side.set_ticks([j + 0.5 for j in range(len(axis.points))], ticks(axis))
        side.set_tick_params(labelleft=shown, labelbottom=shown)
        if shown:
            length = layout.tall if axis is layout.down else layout.wide
            side.set_label_text(folded(drawn_name(axis.name), length, CHARACTER))
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
    (axes, _, means), block = drawn[0], layout.block
    cell = point * axes.bbox.width / means.shape[1], point * axes.bbox.height / means.shape[0]
    for digits in (3, 2)[block.measure.share :]:
        words = [_words(layout, panel, means, digits) for _, panel, means in drawn]
        size = type_size(cell, {word for panel in words for row in panel for word in row})
        if size >= LEAST:
            for (axes, _, means), texts in zip(drawn, words, strict=True):
                annotate(axes, means, texts, norm(block), size)
            return


def _words(layout: Layout, panel: Panel, means: Means, digits: int) -> list[list[str]]:
    """What stands in the cells of a panel."""
    places = [[(*panel.place, y, x) for x in layout.across.texts] for y in layout.down.texts]
    return [["≤" * (place in layout.block.at_most) + short(mean, digits)
             for place, mean in zip(*row, strict=True)]
            for row in zip(places, means.tolist(), strict=True)]  # fmt: skip
