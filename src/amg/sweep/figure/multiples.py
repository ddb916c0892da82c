"""Two axes or more: a heat map of the last two for every variant and combination of the others."""

from __future__ import annotations

import itertools
import math
import textwrap
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.figure import Figure, SubFigure
from numpy.typing import NDArray

from amg.figures.style import SMALL
from amg.sweep.axes import Axis
from amg.sweep.figure.cells import Block
from amg.sweep.figure.heat_map import SHADES, annotate, draw_map, lettering, norm
from amg.sweep.figure.names import drawn_name, literal, ticks
from amg.sweep.figure.scales import log_ticks
from amg.sweep.figure.values import NOTHING

POINT = 1 / 72  # all lengths are in inches
CHARACTER, LINE = 0.58 * SMALL * POINT, 1.3 * SMALL * POINT  # width, and height with its spacing
NARROW, TALL = 18 * POINT, 11 * POINT  # a cell: least width, height
TALLEST = 7.0  # a panel
BAR = 0.5  # colour bar with its numbers
ACROSS, MOST = 6, 96  # panels: beside each other, and of one measure


class Panel(NamedTuple):
    """A heat map: the variant and the values of the outer axes that it shows."""

    variant: str
    outer: tuple[str, ...]


@dataclass(frozen=True)
class Multiples:
    """The heat maps of a measure, laid out on a page so wide."""

    block: Block
    width: float

    @property
    def down(self) -> Axis:
        return self.block.axes[-2]

    @property
    def across(self) -> Axis:
        return self.block.axes[-1]

    @property
    def outer(self) -> tuple[Axis, ...]:
        return self.block.axes[:-2]

    @cached_property
    def groups(self) -> list[list[Panel]]:
        """Variants side by side, or under each other with combinations of the outer axes across."""
        variants = self.block.variants
        if not self.outer:
            return [[Panel(variant, ()) for variant in variants[:MOST]]]
        every = itertools.product(*(axis.texts for axis in self.outer))
        kept = list(itertools.islice(every, max(1, MOST // len(variants))))
        return [[Panel(variant, values) for values in kept] for variant in variants[:MOST]]

    @property
    def header(self) -> str:
        """What stands above: the measure, and what was left out."""
        every = len(self.block.variants) * math.prod(len(axis.points) for axis in self.outer)
        drawn = sum(map(len, self.groups))
        rest = f": {drawn} of {every} panels, the table has all" if drawn < every else ""
        return f"{self.block.measure.title}{rest}"

    @cached_property
    def rows(self) -> list[list[Panel]]:
        """Rows of panels, as even as can be, with room for a number in every cell."""
        total = len(self.groups[0])
        fit = int((self.width - BAR - self._left) / (NARROW * len(self.across.points) + 0.08))
        rows = math.ceil(total / max(1, min(fit, ACROSS)))
        each = math.ceil(total / rows)
        return [group[j : j + each] for group in self.groups for j in range(0, total, each)]

    @property
    def alone(self) -> bool:
        """Whether there is but one panel, with room for a number in every cell."""
        room = NARROW * len(self.across.points) <= self.width - BAR - self._left
        return len(self.groups) == len(self.groups[0]) == 1 and room

    @property
    def height(self) -> float:
        """What all of it needs."""
        titles = sum(max(len(self._title(panel)) for panel in row)
                     for j, row in enumerate(self.rows) if self._titled(j))  # fmt: skip
        ticks_below = _widest(self.across) if self._steep else LINE
        return len(self.rows) * (self._tall + 0.08) + LINE * titles + ticks_below + 2 * LINE + 0.16

    @property
    def _tall(self) -> float:
        return min(TALLEST, TALL * max(2, len(self.down.points)))

    @property
    def _left(self) -> float:
        """Ticks and labels left of the panels."""
        return _widest(self.down) + 2 * LINE

    @property
    def _wide(self) -> float:
        """About the width of a panel."""
        columns = max(map(len, self.rows))
        return (self.width - BAR - self._left) / columns - 0.08

    @property
    def _steep(self) -> bool:
        """Whether the ticks across have to be turned to have room."""
        return _widest(self.across) + 0.03 > self._wide / len(self.across.points)

    def _titled(self, row: int) -> bool:
        """Whether a row's panels have titles: not if those above say the same."""
        above = [panel.outer for panel in self.rows[row - 1]] if row else []
        return not self.outer or above != [panel.outer for panel in self.rows[row]]

    def _title(self, panel: Panel) -> list[str]:
        if not self.outer:
            parts = [panel.variant] if panel.variant else []
        else:
            parts = [f"{axis.name} = {text}"
                     for axis, text in zip(self.outer, panel.outer, strict=True)]  # fmt: skip
        most = max(8, int(self._wide / CHARACTER))
        whole = ", ".join(parts)
        if len(whole) <= most:
            return [whole] if whole else []
        return [line for part in parts for line in textwrap.wrap(part, most)]

    def draw(self, figure: Figure | SubFigure, letter: str) -> None:
        """Draw all panels and the one colour bar."""
        scale = norm(self.block)
        grid = figure.subplots(len(self.rows), max(map(len, self.rows)), squeeze=False)
        drawn: list[tuple[Axes, NDArray[np.float64]]] = []
        for j, row in enumerate(self.rows):
            for k, axes in enumerate(grid[j]):
                if k >= len(row):
                    axes.set_axis_off()
                    continue
                drawn.append((axes, self._means(row[k])))
                draw_map(*drawn[-1], scale)
                self._ticks(axes, left=k == 0, below=k >= len((*self.rows, [])[j + 1]))
                if self._titled(j):
                    axes.set_title(literal("\n".join(self._title(row[k]))), fontsize=SMALL)
            if self.outer and len(self.block.variants) > 1:
                grid[j, 0].set_ylabel(f"{literal(row[0].variant)}\n{drawn_name(self.down.name)}")
        self._colour_bar(figure, grid)
        figure.suptitle(f"{letter}{self.header}", x=0.0, ha="left", fontsize=7.0)
        fit = lettering(_cell(figure, *drawn[0]), np.concatenate([m for _, m in drawn], axis=None))
        if fit is not None:
            for axes, means in drawn:
                annotate(axes, means, scale, *fit)

    def _means(self, panel: Panel) -> NDArray[np.float64]:
        """[down, across]: not a number where there is no cell."""
        return np.array([
            [self.block.values.get((panel.variant, *panel.outer, y, x), NOTHING).mean
             for x in self.across.texts]
            for y in self.down.texts
        ])  # fmt: skip

    def _ticks(self, axes: Axes, left: bool, below: bool) -> None:
        """Names of rows and columns, at the left and the lower edge of the grid only."""
        sides = ((axes.yaxis, self.down, left), (axes.xaxis, self.across, below))
        for side, axis, shown in sides:
            side.set_ticks([j + 0.5 for j in range(len(axis.points))], ticks(axis))
            side.set_tick_params(labelleft=shown, labelbottom=shown)
            if shown:
                side.set_label_text(drawn_name(axis.name))
        if self._steep:
            axes.tick_params(axis="x", rotation=90)

    def _colour_bar(self, figure: Figure | SubFigure, grid: NDArray[np.object_]) -> None:
        scale, tall = norm(self.block), len(self.rows) * self._tall
        length = min(tall, 1.5)
        bar = figure.colorbar(
            ScalarMappable(scale, SHADES), ax=grid.ravel().tolist(), pad=0.01, anchor=(0.0, 1.0),
            shrink=length / tall, aspect=length / (6 * POINT),
        )  # fmt: skip
        bar.outline.set_visible(False)
        if self.block.logarithmic:
            log_ticks(bar.ax.yaxis, *bar.ax.get_ylim())


def _cell(
    figure: Figure | SubFigure, axes: Axes, means: NDArray[np.float64]
) -> tuple[float, float]:
    """Width and height of a cell in points."""
    root = figure.get_figure(root=True)
    root.draw_without_rendering()  # settles the layout
    height, width = means.shape
    return axes.bbox.width / width * 72 / root.dpi, axes.bbox.height / height * 72 / root.dpi


def _widest(axis: Axis) -> float:
    """Room for the longest name of a value."""
    return CHARACTER * max(map(len, ticks(axis)))
