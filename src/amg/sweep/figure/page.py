"""The page: strips of curves, dots or heat maps, as the shape of each measure asks for."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from string import ascii_lowercase
from typing import Any

import pandas as pd
from matplotlib.figure import Figure, SubFigure
from matplotlib.lines import Line2D

from amg.figures.sheet import Sheet
from amg.figures.style import COLUMN, PAGE, SMALL, styled
from amg.sweep.figure.cells import Block, blocks
from amg.sweep.figure.curves import draw_curves
from amg.sweep.figure.dots import draw_dots, row_names
from amg.sweep.figure.layout import CHARACTER, LINE, Layout, even
from amg.sweep.figure.multiples import draw_multiples
from amg.sweep.figure.names import drawn_name, folded, literal, looks
from amg.sweep.figure.scales import thin_ticks
from amg.sweep.grid import Sweep

BESIDE = 3  # measures beside each other
LEFT = 0.3  # inches: ticks and labels left of a panel
TITLEPAD = 6.0  # points: names beside curves may reach 4 above the panel
SHORT, FEW = 16, 9  # characters and curves: more are named above the panels, not beside the curves


@styled()
def draw(sweep: Sweep, table: pd.DataFrame) -> Figure:
    """All measures of a sweep: a panel or a grid of heat maps for each."""
    found = blocks(sweep, table)
    width = COLUMN if len(found) == 1 and Strip(found, COLUMN).single else PAGE
    rows = list(_rows(found, width))
    heights = [max(strip.height for strip in row) for row in rows]
    sheet = Sheet(width, sum(heights))
    letters = iter([f"({letter}) " for letter in ascii_lowercase] if len(found) > 1 else [""])
    parts = sheet.figure.subfigures(len(rows), 1, squeeze=False, height_ratios=heights)
    for part, row in zip(parts[:, 0], rows, strict=True):
        places = part.subfigures(1, round(width / row[0].width), squeeze=False)[0]
        for place, strip in zip(places, row, strict=False):
            strip.draw(place, sheet, sweep, letters)
    sheet.figure.draw_without_rendering()  # settles the layout, and so the room that ticks have
    for axes in sheet.figure.axes:
        for side in (axes.xaxis, axes.yaxis):
            thin_ticks(side, sheet.figure.dpi)
    return sheet.figure


def _rows(found: Sequence[Block], width: float) -> Iterator[list[Strip]]:
    """Strips from the top; those of a single panel stand beside each other."""
    waiting: list[Strip] = []
    for strip in _strips(found, width):
        half = Strip(strip.blocks, width / 2)
        if width == PAGE and half.single:
            waiting.append(half)
        else:
            yield from _beside(waiting, width)
            waiting = []
            yield [strip]
    yield from _beside(waiting, width)


def _beside(singles: list[Strip], width: float) -> Iterator[list[Strip]]:
    """Single panels two in a row, or three if there is room for their numbers."""
    thirds = [Strip(strip.blocks, width / BESIDE) for strip in singles]
    if len(singles) >= BESIDE and all(strip.single for strip in thirds):
        singles = thirds
    each = round(width / singles[0].width) if singles else 1
    yield from (singles[j : j + each] for j in range(0, len(singles), each))


def _strips(found: Sequence[Block], width: float) -> Iterator[Strip]:
    """Measures of one shape together: curves and dots beside each other, heat maps stacked."""
    for axes, group in itertools.groupby(found, lambda block: block.axes):
        same = list(group)
        if len(axes) < 2:
            each = even(len(same), BESIDE)
        else:
            each = 1 if Strip(same[:1], width / 2).single else len(same)
        yield from (Strip(same[j : j + each], width) for j in range(0, len(same), each))


@dataclass(frozen=True)
class Strip:
    """Measures of one shape, drawn together on a place so wide (inches)."""

    blocks: list[Block]
    width: float

    @property
    def kind(self) -> str:
        axes = self.blocks[0].axes
        if len(axes) > 1:
            return "maps"
        return "curves" if axes and axes[0].numbers is not None else "dots"

    @property
    def single(self) -> bool:
        """Whether there is but one panel, for which the place is wide enough."""
        return len(self.blocks) == 1 and (self.kind != "maps" or self._layouts[0].alone)

    @cached_property
    def _layouts(self) -> list[Layout]:
        return [Layout(block, self.width) for block in self.blocks]

    @property
    def height(self) -> float:
        if self.kind == "maps":
            return sum(layout.height for layout in self._layouts)
        key = LINE * math.ceil(len(self._keyed) / self._columns)
        if self.kind == "curves":
            return 2.0 + key
        return 0.55 + self._tall + key

    @property
    def _tall(self) -> float:
        """The height of a panel with dots."""
        variants = len(self.blocks[0].variants) if self.blocks[0].axes else 1
        return len(row_names(self.blocks[0])) * max(0.17, 0.09 * variants + 0.05)

    @property
    def _wide(self) -> float:
        """About the width of a panel; the names of rows stand left of the first alone."""
        if self.kind == "curves":
            return self.width / len(self.blocks) - LEFT
        names = CHARACTER * max(map(len, row_names(self.blocks[0])))
        return (self.width - names - LEFT) / len(self.blocks)

    @property
    def _keyed(self) -> list[str]:
        """Variants that are named above the panels."""
        variants = self.blocks[0].variants
        beside = self.kind == "curves" and max(map(len, variants)) <= SHORT and len(variants) <= FEW
        rows = self.kind == "dots" and not self.blocks[0].axes
        return [] if beside or rows or len(variants) == 1 else list(variants)

    @property
    def _columns(self) -> int:
        """Names of variants that have room beside each other."""
        longest = max(map(len, self.blocks[0].variants))
        return max(1, int(self.width / (CHARACTER * (longest + 5))))

    def draw(self, part: SubFigure, sheet: Sheet, sweep: Sweep, letters: Iterator[str]) -> None:
        """Draw every measure; each takes the next letter."""
        if self.kind == "maps":
            draw_multiples(sheet, part, self._layouts, letters)
            return
        self._key(part)
        grid = part.subplots(1, len(self.blocks), squeeze=False)[0]
        for axes, block in zip(grid, self.blocks, strict=True):
            title = f"{next(letters)}{block.measure.title}"
            axes.set_title(folded(title, self._wide, CHARACTER), pad=TITLEPAD)
            if self.kind == "curves":
                draw_curves(sheet, axes, sweep, block, named=not self._keyed)
            else:
                draw_dots(axes, block)
                axes.tick_params(labelleft=axes is grid[0])
        if self.kind == "dots" and self.blocks[0].axes:
            label = folded(drawn_name(self.blocks[0].axes[0].name), self._tall, CHARACTER)
            grid[0].set_ylabel(label)

    def _key(self, part: SubFigure) -> None:
        """The names of variants in their colours, above the panels."""
        if not self._keyed:
            return
        line: Any = {"linestyle": "-" if self.kind == "curves" else "none"}
        shown = looks(self.blocks[0].variants)
        handles = [Line2D([], [], label=literal(v), **line, **shown[v]) for v in self._keyed]
        space = {"handlelength": 1.2, "handletextpad": 0.5, "columnspacing": 1.5}
        part.legend(
            handles=handles, loc="outside upper left", ncols=self._columns, frameon=False,
            labelcolor="linecolor", fontsize=SMALL, borderpad=0.0, borderaxespad=0.2, **space,
        )  # fmt: skip
