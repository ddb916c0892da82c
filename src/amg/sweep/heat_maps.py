"""Heat maps of a sweep: of the last two axes, for each variant and value of the other axes."""

from __future__ import annotations

import itertools
import math
import textwrap
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.axis import Axis as Side
from matplotlib.collections import LineCollection
from matplotlib.colors import LogNorm, Normalize
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Rectangle
from matplotlib.textpath import text_to_path
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator
from seaborn.utils import relative_luminance

from amg.base.text import compact, episodes, number
from amg.figures.style import BLUE, FAINT, GREY, INK, PALE, SMALL, STYLE
from amg.sweep.grid import Axis, Sweep
from amg.sweep.table import GAP, Block, axis_label, axis_symbol, literal

if TYPE_CHECKING:
    from amg.sweep.figure import Page

SHADES = sns.blend_palette(["#F1F7FB", "#8CC3E3", BLUE, "#00324F"], as_cmap=True)
LINE = 1.3 * SMALL / 72  # height of a line of text
LEAST = 5.0  # points: the smallest text in a cell
NARROW, TALL, TALLEST = 0.3, 0.16, 7.0  # a cell's least width, its height; a panel's most height
BAR, BETWEEN = 0.48, 0.1  # a colour bar with its numbers; between two heat maps
MOST = 96  # heat maps of one measure; the table has the others
NOT_REACHED = "–"
TYPE = FontProperties(family=STYLE["font.family"], size=SMALL)


class Maps:
    """Measures over two axes or more: a heat map of the last two for each of the others."""

    def __init__(self, sweep: Sweep, titled: Sequence[tuple[str, Block]], width: float) -> None:
        self.sweep, self.titled, first = sweep, titled, titled[0][1]
        self.down, self.across = first.axes[-2:]
        self.outer, self.variants = first.axes[:-2], first.variants
        every = itertools.product(*(axis.texts for axis in self.outer))
        values = list(itertools.islice(every, max(1, MOST // len(self.variants))))
        facets = [
            (*pair, variant, at) for pair in titled for variant in self.variants for at in values
        ]
        self.gap = BETWEEN + (0 if self.outer else BAR)
        self.named = bool(self.outer) and len(self.variants) > 1  # variants left of their rows
        self.left = 0.1 + max(map(width_of, tick_names(self.down))) + LINE * (1.3 + self.named)
        room = width - self.left - BAR + self.gap
        run = len(values) if self.outer else len(facets)  # facets that can be in one row
        fit = max(1, int(room / (NARROW * len(self.across.points) + self.gap)))
        per = math.ceil(run / math.ceil(run / fit))
        self.rows = [facets[j : min(j + per, start + run)] for start in range(0, len(facets), run)
                     for j in range(start, start + run, per)]  # fmt: skip
        self.repeat = math.ceil(run / per) if self.outer else len(self.rows)  # rows with titles
        self.wide = room / per - self.gap
        self.tall = min(TALLEST, max(TALL * len(self.down.points), 0.6))
        self.cell = self.wide / len(self.across.points), self.tall / len(self.down.points)
        names = max(map(width_of, tick_names(self.across)))
        self.steep = names > self.cell[0] - 0.02
        self.below = (names if self.steep else LINE) + LINE + 0.05
        self.header = 0.0 if len(titled) > 1 else 0.2
        self.height = self.header + 0.05 + sum(map(self._row_height, range(len(self.rows))))

    def _row_height(self, j: int) -> float:
        return self._above(j) + self.tall + 0.07 + self.below * self._has_ticks(j)

    def _above(self, j: int) -> float:
        """Return the height of the titles above a row."""
        titles = [self._title(facet) for facet in self.rows[j]]
        lines = max((title.count("\n") + 1 for title in titles if title), default=0)
        return lines * LINE + 0.06 if lines and j < self.repeat else 0.0

    def _has_ticks(self, j: int) -> bool:
        """Tell whether nothing is below a row, or not everywhere."""
        return j + 1 == len(self.rows) or len(self.rows[j + 1]) < len(self.rows[j])

    def _title(self, facet: Any) -> str:
        letter, block, variant, values = facet
        parts = [f"{axis_symbol(axis.name)} = {tick_names(axis)[axis.texts.index(text)]}"
                 for axis, text in zip(self.outer, values, strict=True)]  # fmt: skip
        if not self.outer:
            parts = [f"{letter}{block.measure.title}" if len(self.titled) > 1 else literal(variant)]
        fold = max(8, int(self.wide / width_of("n")))
        return "\n".join(textwrap.fill(part, fold) for part in parts)

    def draw(self, page: Page, top: float) -> None:
        """Draw all heat maps with a colour bar for each variant and measure."""
        if self.header:
            letter, block = self.titled[0]
            every = len(self.variants) * math.prod(len(axis.points) for axis in self.outer)
            shown = sum(map(len, self.rows))
            some = f" ({shown} of {every} heat maps; the table has all)" if shown < every else ""
            page.text(self.left, top + 0.05, f"{letter}{block.measure.title}{some}")
        top += self.header
        done: set[tuple[str, str]] = set()
        for j, row in enumerate(self.rows):
            top += self._above(j)
            for k, facet in enumerate(row):
                _, block, variant, _ = facet
                left = self.left + k * (self.wide + self.gap)
                axes = page.axes(left, top, self.wide, self.tall)
                scale = _scale(block, variant)
                self._map(axes, facet, scale)
                if j < self.repeat:
                    axes.set_title(self._title(facet), fontsize=SMALL)
                self._ticks(axes, variant, first=k == 0, last=self._has_ticks(j))
                last = k + 1 == len(row) or not self.outer
                key = block.name, "" if block.measure.share else variant
                if last and _varies(block, variant) and key not in done:
                    done.add(key)
                    place = page.axes(left + self.wide + 0.06, top, 0.07, min(self.tall, 1.6))
                    bar = page.figure.colorbar(axes.collections[0], cax=place)
                    bar.outline.set_visible(False)
                    if isinstance(scale, LogNorm):
                        log_ticks(place.yaxis, *place.get_ylim())
            top += self._row_height(j) - self._above(j)

    def _map(self, axes: Axes, facet: Any, scale: Normalize) -> None:
        _, block, variant, values = facet
        rows = block.of(variant)
        for axis, text in zip(self.outer, values, strict=True):
            rows = rows[rows[axis.name] == text]
        pivot = {"index": self.down.name, "columns": self.across.name}
        order = {"index": self.down.texts, "columns": self.across.texts}
        means = rows.pivot(**pivot, values="mean").reindex(**order)
        bounds = rows.pivot(**pivot, values="at_most").reindex(**order).eq(True)
        digits, size = self._type(block)
        words = [[_word(*pair, digits) for pair in zip(*row, strict=True)]
                 for row in zip(means.to_numpy(), bounds.to_numpy(), strict=True)]  # fmt: skip
        colours = means.clip(lower=scale.vmin, upper=scale.vmax)
        sns.heatmap(
            colours, ax=axes, norm=scale, cmap=SHADES, mask=~np.isfinite(means), cbar=False,
            annot=np.array(words) if size else False, fmt="", annot_kws={"fontsize": size or LEAST},
            linewidths=0.8, linecolor="white", xticklabels=False, yticklabels=False,
        )  # fmt: skip
        for text in axes.texts:
            x, y = (int(place) for place in text.get_position())
            light = relative_luminance(SHADES(scale(colours.iat[y, x]))) > 0.21
            text.set(color=INK if light else "white", va="center_baseline")
        axes.patch.set(hatch="//////", facecolor="white", edgecolor=PALE)
        for y, x in np.argwhere(np.isinf(means.to_numpy())):
            axes.add_patch(Rectangle((x + 0.04, y + 0.06), 0.92, 0.88, facecolor=FAINT, zorder=2))
            axes.text(x + 0.5, y + 0.5, NOT_REACHED, color=GREY, ha="center", va="center")
        if block.name == GAP and self.sweep.target is not None:
            lines = _boundary(means.to_numpy() <= self.sweep.target)
            axes.add_collection(LineCollection(list(lines), colors=INK, linewidths=1.4))
        axes.set(xlabel="", ylabel="")
        axes.set_visible(False)  # for now: seaborn draws the whole page for each heat map

    def _type(self, block: Block) -> tuple[int, float]:
        """Return digits and size of the numbers in cells; no size if they have no room."""
        wide, tall = 72 * self.cell[0], 72 * self.cell[1]
        for digits in (3, 2)[block.measure.share :]:
            words = map(_word, block.rows["mean"], block.rows["at_most"], itertools.repeat(digits))
            widest = max(map(width_of, words)) * 72 / SMALL or 1.0
            size = math.floor(4 * min(SMALL, 0.9 * wide / widest, tall / 1.2)) / 4
            if size >= LEAST:
                return digits, size
        return 0, 0.0

    def _ticks(self, axes: Axes, variant: str, first: bool, last: bool) -> None:
        """Write names of rows and columns, at the left and the lower edge of the grid only."""
        for side, axis, room, shown in ((axes.yaxis, self.down, self.cell[1], first),
                                        (axes.xaxis, self.across, self.cell[0], last)):  # fmt: skip
            step = math.ceil(LINE / room) if side is axes.yaxis or self.steep else 1
            names = [n if j % step == 0 else "" for j, n in enumerate(tick_names(axis))]
            side.set_ticks(np.arange(len(names)) + 0.5, names if shown else [""] * len(names))
            if shown:
                side.set_label_text(axis_label(axis.name))
        if first and self.named:
            axes.set_ylabel(f"{literal(variant)}\n{axis_label(self.down.name)}")
        axes.tick_params(length=0, rotation=0)
        axes.tick_params(axis="x", rotation=90 if self.steep else 0)


def _word(mean: float, at_most: bool, digits: int) -> str:
    """Return the number in a cell."""
    return ("≤" if at_most else "") + compact(mean, digits) if math.isfinite(mean) else ""


def _scale(block: Block, variant: str) -> Normalize:
    """Return the scale of colours of one variant and measure."""
    if block.measure.share:
        return Normalize(0.0, 1.0)
    means = block.of(variant)["mean"]
    log = block.logarithmic and bool(((means > 0) & np.isfinite(means)).any())
    means = means[np.isfinite(means) & ((means > 0) | (not log))]
    low, high = (means.min(), means.max()) if len(means) else (0.0, 0.0)
    if log:
        return LogNorm(low, high) if high > low else LogNorm(low / 2, low * 2)
    return Normalize(low, high) if high > low else Normalize(low - 0.5, low + 0.5)


def _varies(block: Block, variant: str) -> bool:
    """Tell whether a colour bar says anything."""
    means = block.of(variant)["mean"]
    return (
        block.measure.share
        or means[np.isfinite(means) & ((means > 0) | (not block.logarithmic))].nunique() > 1
    )


def _boundary(inside: Any) -> Iterator[list[tuple[int, int]]]:
    """Return the lines between cells that are inside and others."""
    for (y, x), value in np.ndenumerate(inside):
        if x + 1 < inside.shape[1] and inside[y, x + 1] != value:
            yield [(x + 1, y), (x + 1, y + 1)]
        if y + 1 < inside.shape[0] and inside[y + 1, x] != value:
            yield [(x, y + 1), (x + 1, y + 1)]


def log_ticks(side: Side, low: float, high: float) -> None:
    """Set powers of ten, or round numbers where there are few powers of ten."""
    side.set_minor_formatter(NullFormatter())
    if high / low >= 1000:
        return
    side.set_minor_locator(NullLocator())
    steps = (1, 2, 5) if high / low > 10 else (1, 1.5, 2, 3, 4, 6, 8)
    side.set_major_locator(LogLocator(subs=steps) if high / low > 2 else MaxNLocator(5))
    side.set_major_formatter(FuncFormatter(lambda x, _: number(x)))


def tick_names(axis: Axis) -> list[str]:
    """Return the values as they were written; numbers of episodes as in all figures."""
    if axis.name != "episodes" or axis.numbers is None:
        return [literal(text) for text in axis.texts]
    names = [episodes(number) for number in axis.numbers]
    if all(name.startswith("10") and not name.isdecimal() and "," not in name for name in names):
        return names
    return [f"{number:,.0f}" for number in axis.numbers]


@cache
def width_of(text: str) -> float:
    """Return the width in inches of a text of small size."""
    if not text:
        return 0.0
    return float(text_to_path.get_text_width_height_descent(text, TYPE, False)[0]) / 72
