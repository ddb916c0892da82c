"""The page: strips of curves, dots or heat maps, as the shape of each measure asks for."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from string import ascii_lowercase

import pandas as pd
from matplotlib.figure import Figure, SubFigure
from matplotlib.lines import Line2D

from amg.figures.sheet import Sheet
from amg.figures.style import COLUMN, PAGE, SMALL, styled
from amg.sweep.figure.cells import Block, blocks
from amg.sweep.figure.curves import draw_curves
from amg.sweep.figure.dots import draw_dots, row_names
from amg.sweep.figure.multiples import CHARACTER, LINE, Multiples
from amg.sweep.figure.names import colours, drawn_name, literal, markers
from amg.sweep.figure.scales import thin_ticks
from amg.sweep.grid import Sweep

BESIDE = 3  # measures in one strip
SHORT, FEW = 16, 9  # characters and curves: more are named above the panels, not beside the curves


@styled()
def draw(sweep: Sweep, table: pd.DataFrame) -> Figure:
    """All measures of a sweep: a panel or a grid of heat maps for each."""
    found = blocks(sweep, table)
    width = COLUMN if len(found) == 1 and _slim(found[0]) else PAGE
    strips = [Strip(part, width) for part in _strips(found, width)]
    sheet = Sheet(width, sum(strip.height for strip in strips))
    parts = sheet.figure.subfigures(
        len(strips), 1, squeeze=False, height_ratios=[strip.height for strip in strips]
    )
    letters = iter([f"({letter}) " for letter in ascii_lowercase] if len(found) > 1 else [""])
    for part, strip in zip(parts[:, 0], strips, strict=True):
        strip.draw(part, sheet, sweep, letters)
    sheet.figure.draw_without_rendering()  # settles the layout, and so the room that ticks have
    for axes in sheet.figure.axes:
        thin_ticks(axes.xaxis, sheet.figure.dpi)
        thin_ticks(axes.yaxis, sheet.figure.dpi)
    return sheet.figure


def _kind(block: Block) -> str:
    if len(block.axes) > 1:
        return "maps"
    return "curves" if block.axes and block.axes[0].numbers is not None else "dots"


def _slim(block: Block) -> bool:
    """Whether one column of a page is wide enough."""
    return _kind(block) != "maps" or Multiples(block, COLUMN).alone


def _strips(found: Sequence[Block], width: float) -> Iterator[list[Block]]:
    """Measures of one kind side by side; heat maps only if each is alone and has the room."""
    for kind, group in itertools.groupby(found, _kind):
        same = list(group)
        each = BESIDE
        while (
            kind == "maps"
            and each > 1
            and not all(Multiples(block, width / each).alone for block in same)
        ):
            each -= 1
        each = math.ceil(len(same) / math.ceil(len(same) / each))
        yield from (same[j : j + each] for j in range(0, len(same), each))


@dataclass(frozen=True)
class Strip:
    """Measures of one kind beside each other."""

    blocks: list[Block]
    width: float

    @property
    def kind(self) -> str:
        return _kind(self.blocks[0])

    @property
    def height(self) -> float:
        if self.kind == "maps":
            return max(block.height for block in self._multiples)
        key = LINE * math.ceil(len(self._keyed) / self._columns)
        if self.kind == "curves":
            return 2.0 + key
        variants = len(self.blocks[0].variants) if self.blocks[0].axes else 1
        return 0.55 + len(row_names(self.blocks[0])) * max(0.17, 0.09 * variants + 0.05) + key

    @property
    def _multiples(self) -> list[Multiples]:
        return [Multiples(block, self.width / len(self.blocks)) for block in self.blocks]

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
        if self.kind == "maps":
            places = part.subfigures(1, len(self.blocks), squeeze=False)[0]
            for place, multiples in zip(places, self._multiples, strict=True):
                multiples.draw(place, next(letters))
            return
        alone = len(self.blocks) == 1 and self.width == PAGE
        grid = part.subplots(1, 2 if alone else len(self.blocks), squeeze=False)[0]
        for axes in grid[len(self.blocks) :]:
            axes.set_axis_off()
        self._key(part)
        for j, (axes, block) in enumerate(zip(grid, self.blocks, strict=False)):
            # names beside curves may reach 4 points above the panel
            axes.set_title(f"{next(letters)}{block.measure.title}", pad=6.0)
            if self.kind == "curves":
                draw_curves(sheet, axes, sweep, block, named=not self._keyed)
            else:
                draw_dots(axes, block)
                axes.tick_params(labelleft=j == 0)
                if j == 0 and block.axes:
                    axes.set_ylabel(drawn_name(block.axes[0].name))

    def _key(self, part: SubFigure) -> None:
        """The names of variants in their colours, above the panels."""
        variants = self.blocks[0].variants
        if self._keyed:
            hues, marks = colours(variants), markers(variants)
            handles = [Line2D([], [], color=hues[v], marker=marks[v], label=literal(v))
                       for v in variants]  # fmt: skip
            for handle in handles:
                handle.set_linestyle("-" if self.kind == "curves" else "none")
            part.legend(
                handles=handles, loc="outside upper left", ncols=self._columns, frameon=False,
                labelcolor="linecolor", fontsize=SMALL, handlelength=1.2, handletextpad=0.5,
                borderpad=0.0, borderaxespad=0.2, columnspacing=1.5,
            )  # fmt: skip
