"""Where the heat maps of a measure go: rows of panels, their titles, and the room they take."""

from __future__ import annotations

import itertools
import math
import textwrap
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from amg.figures.style import SMALL
from amg.sweep.axes import Axis
from amg.sweep.figure.cells import Block, Place
from amg.sweep.figure.names import name, symbol, ticks

POINT = 1 / 72  # all lengths are in inches
CHARACTER, LINE = 0.58 * SMALL * POINT, 1.25 * SMALL * POINT  # width; height with its spacing
NARROW, TALL = 18 * POINT, 11 * POINT  # a cell: least width, height
TALLEST = 7.0  # a panel
BAR = 0.5  # colour bar with its numbers
ACROSS, MOST = 6, 96  # panels: beside each other, and of one measure


class Panel(NamedTuple):
    """A heat map: the variant and the values of the outer axes that it shows."""

    variant: str
    outer: tuple[str, ...]

    @property
    def place(self) -> Place:
        return (self.variant, *self.outer)


@dataclass(frozen=True)
class Layout:
    """The heat maps of a measure on a place so wide."""

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
        variants = self.block.variants[:MOST]
        if not self.outer:
            return [[Panel(variant, ()) for variant in variants]]
        every = itertools.product(*(axis.texts for axis in self.outer))
        kept = list(itertools.islice(every, max(1, MOST // len(variants))))
        return [[Panel(variant, values) for values in kept] for variant in variants]

    @property
    def left_out(self) -> str:
        """What is said of panels beyond `MOST`."""
        every = len(self.block.variants) * math.prod(len(axis.points) for axis in self.outer)
        drawn = sum(map(len, self.groups))
        return f" ({drawn} of {every} panels; the table has all)" if drawn < every else ""

    @cached_property
    def rows(self) -> list[list[Panel]]:
        """Rows of panels, as even as can be, with room for a number in every cell."""
        total = len(self.groups[0])
        fit = int((self.width - BAR - self._left) / (NARROW * len(self.across.points) + 0.08))
        each = even(total, max(1, min(fit, ACROSS)))
        return [group[j : j + each] for group in self.groups for j in range(0, total, each)]

    @property
    def columns(self) -> int:
        return len(self.rows[0])

    @property
    def alone(self) -> bool:
        """Whether there is but one panel, with room for a number in every cell."""
        room = NARROW * len(self.across.points) <= self.width - BAR - self._left
        return len(self.groups) == len(self.groups[0]) == 1 and room

    def titles(self, row: int) -> list[list[str]]:
        """Lines above each panel of a row; none if those of the row above say the same."""
        above = [panel.outer for panel in self.rows[row - 1]] if row else []
        if self.outer and above == [panel.outer for panel in self.rows[row]]:
            return [[] for _ in self.rows[row]]
        return [self._title(panel) for panel in self.rows[row]]

    def _title(self, panel: Panel) -> list[str]:
        if self.outer:
            parts = [f"{symbol(axis.name)} = {ticks(axis)[axis.texts.index(text)]}"
                     for axis, text in zip(self.outer, panel.outer, strict=True)]  # fmt: skip
        else:
            parts = [panel.variant] if panel.variant else []
        most = max(8, int(self.wide / CHARACTER))
        whole = ", ".join(parts)
        if len(whole) <= most:
            return [whole] if whole else []
        return [line for part in parts for line in textwrap.wrap(part, most)]

    @property
    def height(self) -> float:
        """What all of it needs."""
        lines = sum(max(map(len, self.titles(j))) for j in range(len(self.rows)))
        below = (longest(self.across) if self.steep else LINE) + LINE
        return len(self.rows) * (self.tall + 0.07) + (lines + 2.5) * LINE + below + 0.2

    @property
    def tall(self) -> float:
        """About the height of a panel."""
        label = min(1.0, CHARACTER * len(name(self.down.name)))
        return min(TALLEST, max(label, TALL * len(self.down.points)))

    @property
    def wide(self) -> float:
        """About the width of a panel."""
        return (self.width - BAR - self._left) / self.columns - 0.08

    @property
    def steep(self) -> bool:
        """Whether the ticks across have to be turned to have room."""
        return longest(self.across) + 0.03 > self.wide / len(self.across.points)

    @property
    def _left(self) -> float:
        """Ticks and labels left of the panels."""
        return longest(self.down) + 2 * LINE


def longest(axis: Axis) -> float:
    """Room for the longest name of a value."""
    return CHARACTER * max(map(len, ticks(axis)))


def even(total: int, most: int) -> int:
    """How many go into each row, if at most so many may and rows are as even as can be."""
    return math.ceil(total / math.ceil(total / most))
