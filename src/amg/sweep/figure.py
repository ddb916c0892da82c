"""The figure of a sweep, chosen by its shape: curves, dots or heat maps, drawn with seaborn.

All lengths are inches, so that it is known beforehand where names and numbers have room.
"""

from __future__ import annotations

import itertools
import math
import textwrap
from collections.abc import Iterator, Sequence
from string import ascii_lowercase
from typing import Any

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

from amg.base.text import number
from amg.figures.style import (
    AGENTS,
    BLUE,
    COLUMN,
    GREEN,
    GREY,
    INK,
    LEARNERS,
    ORANGE,
    PAGE,
    SKY,
    SMALL,
    SPARE,
    VERMILION,
    new_figure,
    styled,
)
from amg.game.theory import iota
from amg.learning.parameters import VLearning
from amg.study.plan import Series
from amg.sweep.grid import Sweep
from amg.sweep.heat_maps import LINE, Maps, log_ticks, tick_names, width_of
from amg.sweep.table import EPISODES_TO, GAP, Block, axis_label, blocks, literal

COLOURS = (BLUE, VERMILION, GREEN, ORANGE, SKY,
           *AGENTS, *SPARE)  # fmt: skip
MARKERS = "os^Dv"  # tell apart variants of the same colour
DASHES = ((0, (5, 2)), (0, (1, 1.5)), (0, (5, 1.5, 1, 1.5)))  # of laws
GAPS = ("max_gap", "relative_gap", "max_informed_gap", "max_own_bound")
Titled = Sequence[tuple[str, Block]]  # measures with their letters


class Page:
    """A figure that is filled from its top."""

    def __init__(self, width: float, height: float) -> None:
        self.width, self.height = width, height
        self.figure = new_figure(width, height)
        self.figure.set_layout_engine("none")

    def axes(self, left: float, top: float, width: float, height: float) -> Axes:
        """Return new axes at a place that is counted from the upper left corner."""
        W, H = self.width, self.height
        return self.figure.add_axes((left / W, 1 - (top + height) / H, width / W, height / H))

    def text(self, left: float, top: float, text: str) -> None:
        self.figure.text(left / self.width, 1 - top / self.height, text, va="top")


@styled()
def draw(sweep: Sweep, table: pd.DataFrame) -> Figure:
    """Return the figure: a panel or a grid of heat maps for each measure of the table."""
    parts = blocks(sweep, table)
    letters = [f"({letter}) " for letter in ascii_lowercase] if len(parts) > 1 else [""]
    first = parts[0]
    single = len(parts) == 1 and (first.kind != "maps" or len(first.axes + first.variants) == 3)
    width = COLUMN if single else PAGE
    strips = [(Maps if group[0][1].kind == "maps" else Panels)(sweep, group, width)
              for group in _groups(list(zip(letters, parts, strict=False)))]  # fmt: skip
    page = Page(width, sum(strip.height for strip in strips))
    top = 0.0
    for strip in strips:
        strip.draw(page, top)
        top += strip.height
    for axes in page.figure.axes:
        axes.set_visible(True)
    return page.figure


def _groups(titled: Titled) -> Iterator[Titled]:
    """Yield measures that are drawn beside each other: up to three panels, or single heat maps."""
    for axes, same in itertools.groupby(titled, lambda pair: pair[1].axes):
        group = list(same)
        beside = len(axes) < 2 or (len(axes) == 2 and len(group[0][1].variants) == 1)
        each = math.ceil(len(group) / math.ceil(len(group) / 3)) if beside else 1
        yield from (group[j : j + each] for j in range(0, len(group), each))


class Panels:
    """Measures over one axis, a panel each: curves over numbers, dots over words."""

    LEFT, BOTTOM = 0.52, 0.24

    def __init__(self, sweep: Sweep, titled: Titled, width: float) -> None:
        self.sweep, self.titled, first = sweep, titled, titled[0][1]
        self.curves, self.axis = first.kind == "curves", first.axes[0] if first.axes else None
        self.laws = {block.name: laws(sweep, block) for _, block in titled}
        self.wide = (width - 0.1) / len(titled) - self.LEFT
        names = tick_names(self.axis) if self.axis else [literal(v) for v in first.variants]
        slot = self.wide / len(names)
        self.steep = not self.curves and max(map(width_of, " ".join(names).split())) > slot
        fold = 99 if self.curves or self.steep else max(1, int(slot / width_of("n")))
        self.names = [textwrap.fill(name, fold) for name in names]
        below = max(map(width_of, names)) if self.steep else LINE * max(
            name.count("\n") + 1 for name in self.names)  # fmt: skip
        self.titles = [textwrap.fill(f"{letter}{block.measure.title}", int(self.wide / 0.055))
                       for letter, block in titled]  # fmt: skip
        self.legend = self._legend()
        widths = [width_of(str(line.get_label())) + 0.4 for line in self.legend] or [1.0]
        self.columns = max(len(widths) if sum(widths) < width else int(width / max(widths)), 1)
        rows = math.ceil(len(self.legend) / self.columns)
        lines = max(title.count("\n") + 1 for title in self.titles)
        self.top = 0.05 + rows * LINE * 1.1 + lines * LINE * 1.1 + 0.08 * bool(rows)
        self.height = self.top + 1.5 + below + self.BOTTOM

    def draw(self, page: Page, top: float) -> None:
        """Draw the panels, and the legend above them."""
        page.figure.legend(
            handles=self.legend, loc="upper left", ncols=self.columns, frameon=False,
            bbox_to_anchor=(0.04 / page.width, 1 - (top + 0.04) / page.height), fontsize=SMALL,
            handlelength=1.8, columnspacing=1.5, borderpad=0, borderaxespad=0, labelspacing=0.3,
        )  # fmt: skip
        for j, (_, block) in enumerate(self.titled):
            left = self.LEFT + j * (self.wide + self.LEFT)
            axes = page.axes(left, top + self.top, self.wide, 1.5)
            axes.set_title(self.titles[j])
            self._panel(axes, block)

    def _panel(self, axes: Axes, block: Block) -> None:
        texts = self.axis.texts if self.axis else block.variants
        numbers = (self.axis.numbers if self.axis else None) or map(float, range(len(texts)))
        at = dict(zip(texts, numbers, strict=True))
        low, high = self._limits(block)
        if block.logarithmic:
            axes.set_yscale("log")
            log_ticks(axes.yaxis, low, high)
        axes.set_ylim(low, high)
        self._set_x(axes, list(at.values()))
        for j, (variant, look) in enumerate(looks(block.variants).items()):
            own = block.of(variant)
            own = own.set_index(own[self.axis.name if self.axis else "variant"].map(at).rename("x"))
            own = own.reindex(sorted(at.values())) if self.curves else own
            if not self.curves and self.axis:
                own.index += 0.5 * ((j + 0.5) / len(block.variants) - 0.5)
            infinite, small = np.isinf(own["mean"]), block.logarithmic & (own["mean"] <= 0)
            good = own["mean"].notna() & ~infinite & ~small
            line = own.assign(piece=(~good).cumsum())[good].reset_index()
            style = {**look, "linestyle": "-" if self.curves else "none", "markeredgewidth": 0}
            sns.lineplot(line, x="x", y="mean", units="piece", estimator=None, ax=axes, zorder=3,
                         **style)  # fmt: skip
            axes.vlines(line["x"], line["low"].clip(lower=low), line["high"].clip(upper=high),
                        color=look["color"], linewidth=1.0, zorder=2)  # fmt: skip
            hollow = own[good & own["at_most"].eq(True)]
            axes.plot(hollow.index, hollow["mean"], **look, linestyle="none", zorder=4,
                      markerfacecolor="white")  # fmt: skip
            for marked, edge, mark in ((infinite, 0.97, "^"), (small, 0.03, "v")):
                axes.plot(own.index[marked], np.full(marked.sum(), edge), mark, zorder=4,
                          color=look["color"], transform=axes.get_xaxis_transform())  # fmt: skip
        for (x, y), dashes in zip(self.laws[block.name].values(), DASHES, strict=False):
            axes.plot(x, y, color=GREY, linewidth=0.8, linestyle=dashes, zorder=1.5)
            axes.plot(x[0], y[0], "o", markersize=6.5, color=GREY, fillstyle="none")
        if block.name == GAP and self.sweep.target is not None:
            axes.axhline(self.sweep.target, color=INK, linewidth=0.8, zorder=1)
        axes.set(xlabel=axis_label(self.axis.name) if self.axis else "", ylabel="")

    def _set_x(self, axes: Axes, at: list[float]) -> None:
        """Set scale, limits and ticks; a logarithmic scale has a place for 0 where it begins."""
        low, high, least = min(at), max(at), min([x for x in at if x > 0], default=1.0)
        if low < 0 or high / least <= 10**1.5 or not self.curves:
            margin = 0.05 * (high - low) if self.curves and high > low else 0.5
            axes.set_xlim(low - margin, high + margin)
        elif low > 0:
            axes.set(xscale="log", xlim=(low * (low / high) ** 0.05, high * (high / low) ** 0.05))
        else:
            axes.set_xscale("symlog", linthresh=least, linscale=0.5)
            axes.set_xlim(-0.25 * least, high * (high / least) ** 0.05)
        to_axes = axes.transScale + axes.transLimits
        places = self.wide * to_axes.transform([(x, axes.get_ylim()[1]) for x in at])[:, 0]
        names, end = list(self.names), -math.inf
        for j in np.argsort(places, kind="stable") if self.curves else ():
            half = width_of(names[j]) / 2  # leave out names that have no room
            names[j], end = (
                ("", end) if places[j] - half < end + 0.03 else (names[j], places[j] + half)
            )
        axes.set_xticks(at, names, rotation=90 if self.steep else 0)
        axes.xaxis.set_minor_locator(NullLocator())

    def _limits(self, block: Block) -> tuple[float, float]:
        """Return limits with room for means, intervals, marks, the target, and laws that fall.

        On a logarithmic scale an interval may go down to any depth: a tenth of the mean is shown.
        """
        if block.measure.share:
            return -0.04, 1.04
        rows = block.rows[np.isfinite(block.rows["mean"]) & ~block.not_positive]
        if rows.empty:
            return 0.0, 1.0
        floor = rows["mean"] / 10 if block.logarithmic else -math.inf
        ends = [*rows["mean"], *rows["low"].clip(lower=floor), *rows["high"]]
        lines = [y for _, y in self.laws[block.name].values()]
        ends += [y[-1] for y in lines if y[-1] < y[0]]
        ends += [self.sweep.target] if self.sweep.target and block.name == GAP else []
        ends = [end for end in ends if math.isfinite(end)]
        steep = any(y[-1] > max(ends) for y in lines)
        scale, back = (math.log, math.exp) if block.logarithmic else (float, float)
        low, high = scale(min(ends)), scale(max(ends)) + steep * math.log(2.5)
        margin = 0.07 * (high - low) or 0.1 * abs(low) or 1.0
        return (back(low - margin * (1 + block.not_positive.any())),
                back(high + margin * (1 + block.not_reached.any())))  # fmt: skip

    def _legend(self) -> list[Line2D]:
        """Return variants, laws, the target, and the marks that are used."""
        parts, grey = [block for _, block in self.titled], {"color": GREY, "linestyle": "none"}
        shown: list[tuple[str, dict[str, Any], bool]] = [
            (literal(variant), {**look, "linestyle": "-" if self.curves else "none"},
             bool(self.axis) and len(parts[0].variants) > 1)
            for variant, look in looks(parts[0].variants).items()
        ]  # fmt: skip
        lines = max(self.laws.values(), key=len)
        shown += [(f"{label}, through ○", {"color": GREY, "linestyle": dashes}, True)
                  for label, dashes in zip(lines, DASHES, strict=False)]  # fmt: skip
        target = self.sweep.target is not None and any(block.name == GAP for block in parts)
        shown += [
            (f"target: {number(self.sweep.target or 0)}", {"color": INK}, target),
            ("not reached", {"marker": "^", **grey}, any(b.not_reached.any() for b in parts)),
            ("not positive", {"marker": "v", **grey}, any(b.not_positive.any() for b in parts)),
            ("that much or less", {"marker": "o", "markerfacecolor": "white", **grey},
             any(block.rows["at_most"].any() for block in parts)),
        ]  # fmt: skip
        return [Line2D([], [], label=label, **look) for label, look, used in shown if used]


def looks(variants: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """Return colour and marker of each variant; a learner of the study keeps its colour."""
    fixed = {v: LEARNERS[v].colour for v in variants if v in LEARNERS}
    colours = [colour for colour in COLOURS if colour not in fixed.values()]
    found = {v: {"color": colour, "marker": MARKERS[0]} for v, colour in fixed.items()}
    for j, variant in enumerate(v for v in variants if v not in fixed):
        turn, place = divmod(j, len(colours))
        found[variant] = {"color": colours[place], "marker": MARKERS[turn % len(MARKERS)]}
    return found


# --- laws to compare curves with -------------------------------------------------------------


def _theorem(series: Series, x: Any, y0: float) -> Any:
    """Return K ∝ ι(K) = log(2 N S A_max K T/p): the theorem's K when only N changes.

    K is on both sides; the right one grows so slowly that iterating finds it.
    """
    if not isinstance(series.parameters, VLearning):
        return None
    rest = iota(series.game, 1, series.parameters.p) - math.log(series.game.N)
    K = np.full(len(x), y0)
    for _ in range(50):
        K = y0 * (np.log(x * K) + rest) / (math.log(x[0] * y0) + rest)
    return K


def _joint_actions(series: Series, x: Any, y0: float) -> Any:
    """Return y ∝ A^N: the entries of a table of joint actions."""
    with np.errstate(over="ignore"):
        return y0 * np.float64(series.game.A_max) ** (x - x[0])


LAWS: tuple[tuple[str, tuple[str, ...], str, Any], ...] = (  # axis, measures, label, line
    ("episodes", GAPS, r"$\propto K^{-1/2}$", lambda _, x, y0: y0 * (x / x[0]) ** -0.5),
    ("agents", (EPISODES_TO,), r"theorem: $\propto\iota$", _theorem),
    ("agents", (EPISODES_TO,), r"joint actions: $\propto A^N$", _joint_actions),
    ("horizon", (EPISODES_TO,), r"theorem: $\propto T^5$", lambda _, x, y0: y0 * (x / x[0]) ** 5),
)


def laws(sweep: Sweep, block: Block) -> dict[str, tuple[Any, Any]]:
    """Return laws, as x and y by label, through the first point of the first curve that has one."""
    (axis, *_), at = block.axes or (None,), {}
    if axis is None or axis.numbers is None:
        return {}
    at = dict(zip(axis.texts, axis.numbers, strict=True))
    for variant in block.variants:
        rows = block.of(variant)
        rows = rows[(rows["mean"] > 0) & np.isfinite(rows["mean"]) & ~rows["at_most"]]
        points = sorted(zip(rows[axis.name].map(at), rows[axis.name], rows["mean"], strict=True))
        if not points or not 0 < points[0][0] < max(axis.numbers):
            continue
        x0, text, y0 = points[0]
        series = next(cell.series for cell in sweep.cells
                      if cell.variant == variant and cell.at[axis.name] == text)  # fmt: skip
        x = np.geomspace(x0, max(axis.numbers), 200)
        lines = {label: line(series, x, y0) for name, measures, label, line in LAWS
                 if name == axis.name and block.name in measures}  # fmt: skip
        return {label: (x, y) for label, y in lines.items() if y is not None}
    return {}
