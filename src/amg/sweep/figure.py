"""The figure of a sweep: panels of means with intervals, drawn with seaborn.

The longest axis of a measure goes along x and the next one is told by colour. The variants and the
other axes have a panel for each value. If there is one axis only, colours tell the variants.
"""

import itertools
import math
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from amg.base.text import episodes, number
from amg.figures import style
from amg.figures.style import COLUMN, GREY, INK, PAGE, SMALL
from amg.game.model import iota
from amg.learning.parameters import VLearning
from amg.study.plan import Series
from amg.sweep.findings import Against
from amg.sweep.grid import Axis, Point, Sweep
from amg.sweep.table import COLUMNS, EPISODES_TO, GAP, axes_of, beside, part

AXES = {  # as the paper writes them; other axes keep their names
    "episodes": "K (episodes)", "agents": "N (agents)", "horizon": "T (horizon)",
    "lambda_min": "λ_min", "cv_max": "CV_max", "mad_max": "MAD_max", "epsilon": "ε",
    "epsilon_end": "ε_end", "bonus": "bonus multiplier", "p": "p (failure probability)",
}  # fmt: skip
COLOURS = (style.BLUE, style.VERMILION, style.GREEN, style.ORANGE, style.SKY, *style.AGENTS)
MARKERS = "osDXP"  # with the nine colours, 45 values look different
DASHES = ((0, (5, 2)), (0, (1, 1.5)))  # of laws
CHARACTER = 0.058  # inches: width of a digit
MOST = 60  # panels of a figure; the table has all cells
GAPS = ("max_gap", "relative_gap", "max_informed_gap", "max_own_bound")


@dataclass(frozen=True)
class Panel:
    """One measure, for one value of each axis that is neither x nor colour."""

    measure: str
    title: str
    facet: str  # what tells it from other panels of the measure
    x: Axis
    colour: Axis  # variants, if there is only one axis
    rows: pd.DataFrame
    relative: bool  # means are ratios to those of one value of an axis


def panels(sweep: Sweep, table: pd.DataFrame) -> list[Panel]:
    """Return the panels of the figure.

    A measure over three axes or more that a finding compares `against` one value is shown as a
    ratio to that value, everything else being equal.
    """
    variants = Axis("variant", tuple(Point(variant, {}) for variant in sweep.variants))
    every = []
    for name in sweep.measures:
        axes, title = axes_of(sweep, name), COLUMNS[name].title
        rows = table[table["measure"] == name].drop(columns=["measure", "seeds", "level"])
        against = [f for f in sweep.findings if isinstance(f, Against) and f.measure == name]
        relative = len(axes) > 2 and bool(against)
        if relative:
            axis, value = against[0].axis, against[0].value
            title = f"{title} relative to {axis} = {value}"
            rows = beside(rows, rows[rows[axis] == value], axis).query("mean_base > 0")
            rows = rows.assign(**{c: rows[c] / rows["mean_base"] for c in ("mean", "low", "high")})
        longest = sorted(axes, key=lambda axis: -len(axis.points))
        x, colour = longest[:2] if len(axes) > 1 else [*axes, variants, variants][:2]
        outer = [axis for axis in (variants, *axes) if axis not in (x, colour)]
        for values in itertools.product(*(axis.texts for axis in outer)):
            own = part(rows, dict(zip((axis.name for axis in outer), values, strict=True)))
            facet = ", ".join(filter(None, map(_name, outer, values)))
            every.append(Panel(name, title, facet, x, colour, own, relative))
    return every


@style.styled()
def draw(sweep: Sweep, table: pd.DataFrame) -> Figure:
    """Return the figure of a sweep from its table."""
    sizes: Any = ("font.size", "axes.titlesize", "axes.labelsize", "legend.fontsize")
    matplotlib.rcParams.update(dict.fromkeys(sizes, SMALL))
    every, labels = panels(sweep, table), dict[str, Any]()
    if len(every) > MOST:
        labels[f"{MOST} of {len(every)} panels; the table has all"] = {"linestyle": "none"}
        every = every[:MOST]
    alike = sum(panel.measure == every[0].measure for panel in every) // len(sweep.variants)
    columns = len(every) if len(every) <= 3 else min(4, max(alike, 2))
    lines = math.ceil(len(every) / columns)
    width = COLUMN if len(every) == 1 else PAGE
    figure = style.Sheet(width, 0.7 + lines * (1.2 if columns == 4 else 1.6))
    grid = figure.subplots(lines, columns, squeeze=False).flat
    for j, (axes, panel) in enumerate(zip(grid, every, strict=False)):
        labels |= _draw_panel(axes, sweep, panel, width / columns - 0.5)
        letter = f"({ascii_lowercase[j]}) " if 1 < len(every) <= 26 else ""
        axes.set_title(textwrap.fill(letter + panel.facet, int(width / columns / CHARACTER)))
        if j % columns == 0 or every[j - 1].measure != panel.measure:
            axes.set_ylabel(textwrap.fill(panel.title, 22))
        if j + columns < len(every) and every[j + columns].x == panel.x:
            axes.set_xlabel("")
            axes.tick_params(labelbottom=False)
    for axes in grid[len(every) :]:
        axes.set_axis_off()
    plain = re.sub(r"\$[^$]*\$", "x^y", "".join(labels))  # a formula is shorter than its source
    lines = math.ceil((0.5 * len(labels) + CHARACTER * len(plain)) / width)
    handles = [Line2D([], [], label=label, **look) for label, look in labels.items()]
    figure.legend(handles=handles, loc="outside upper left", frameon=False,
                  ncols=math.ceil(len(labels) / lines) if labels else 1)  # fmt: skip
    return figure


def _draw_panel(axes: Axes, sweep: Sweep, panel: Panel, width: float) -> dict[str, Any]:
    """Draw one panel and return what the legend says about it: labels with looks."""
    x, colour, rows, looks = panel.x, panel.colour, panel.rows.copy(), _looks(panel.colour)
    labels = {_name(colour, text): look for text, look in looks.items()}
    if len(labels) == 1 or colour is x:
        labels = {}
    at = dict(zip(x.texts, x.numbers or itertools.count(), strict=False))
    rows["x"] = rows[x.name].map(at).astype(float)
    if not x.numbers and colour is not x:  # values of one word beside each other
        shifts = np.linspace(-0.2, 0.2, len(looks))
        rows["x"] += rows[colour.name].map(dict(zip(looks, shifts, strict=True)))
    not_reached = np.isinf(rows["mean"])
    logarithmic = COLUMNS[panel.measure].positive and (rows["mean"][~not_reached] > 0).any()
    not_positive = logarithmic & (rows["mean"] <= 0)
    if logarithmic:  # an interval may begin at 0 or have no end
        axes.set_yscale("log")
        rows["low"] = rows["low"].clip(lower=rows["mean"] / 10)
        rows["high"] = rows["high"].clip(upper=rows["mean"] * 10)
    good = rows[~not_reached & ~not_positive]
    sns.lineplot(
        good.melt(["x", colour.name], ["low", "mean", "high"], value_name="y"), x="x", y="y",
        hue=colour.name, palette={text: look["color"] for text, look in looks.items()},
        style=colour.name, markers={text: look["marker"] for text, look in looks.items()},
        estimator="median", errorbar=("pi", 100), err_style="bars",  # of low, mean and high
        dashes=False, linestyle="-" if x.numbers else "none", markeredgewidth=0, legend=False,
        ax=axes,
    )  # fmt: skip
    if COLUMNS[panel.measure].share:
        axes.set_ylim(-0.04, 1.04)
    target = sweep.target if panel.measure == GAP else None
    if panel.relative or target is not None:
        label = "no difference" if panel.relative else f"target: {number(target or 0)}"
        labels[label] = {"color": INK, "linewidth": 0.8}
        axes.axhline(1.0 if panel.relative else target or 0, **labels[label], zorder=1)
    for label, which, edge, step, marker in (
        ("not reached", not_reached, 0.97, -0.06, "^"),
        ("not positive", not_positive, 0.03, 0.06, "v"),
    ):
        if which.any():
            labels[label] = {"color": GREY, "linestyle": "none", "marker": marker}
        for j, (text, look) in enumerate(looks.items()):  # at the edge, above each other
            places = rows["x"][which & (rows[colour.name] == text)]
            axes.plot(places, [edge + j * step] * len(places), marker, color=look["color"],
                      transform=axes.get_xaxis_transform())  # fmt: skip
    _set_x(axes, x, list(at.values()), width)
    _set_y(axes)
    for (label, line), dashes in zip(laws(sweep, panel).items(), DASHES, strict=False):
        labels[label] = {"color": GREY, "linewidth": 0.8, "linestyle": dashes}
        axes.plot(*line, **labels[label], zorder=1)
        axes.plot(line[0][0], line[1][0], "o", markersize=6.5, color=GREY, fillstyle="none")
    return labels


def _looks(axis: Axis) -> dict[str, Any]:
    """Return colour and marker of each value; a learner of the study keeps its colour."""
    if axis.numbers:
        colours, markers = sns.color_palette("crest", len(axis.points)), "o"
    else:
        colours, markers = COLOURS, MARKERS
    looks = zip(axis.texts, itertools.cycle(colours), itertools.cycle(markers), strict=False)
    own = {name: learner.colour for name, learner in style.LEARNERS.items()}
    return {text: {"color": own.get(text, c), "marker": marker} for text, c, marker in looks}


def _set_x(axes: Axes, axis: Axis, at: list[float], width: float) -> None:
    """Set the scale and the ticks that have room; a logarithmic scale has a linear part to 0."""
    names, low, high = tick_names(axis), min(at), max(at)
    room = width / CHARACTER / len(names)  # characters of each name
    least = min((x for x in at if x > 0), default=1.0)
    rotation = 0
    if axis.numbers:
        if low >= 0 and high > 30 * least:
            axes.set_xscale("symlog", linthresh=least, linscale=0.5)
            begin = low * (low / high) ** 0.04 if low else -0.2 * least
            axes.set_xlim(begin, high * (high / least) ** 0.04)
        step = math.ceil((max(map(len, names)) + 1) / room)
        names = [name if j % step == 0 else "" for j, name in enumerate(names)]
    else:
        axes.set_xlim(-0.5, high + 0.5)
        names = [textwrap.fill(name, max(12, int(room))) for name in names]
        rotation = 90 if room < 12 and room < max(map(len, names)) else 0
    axes.set_xticks(at, names, rotation=rotation)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set(xlabel=axis_label(axis.name) if axis.name != "variant" else "", ylabel="")


def _set_y(axes: Axes) -> None:
    """Fix the limits, so that laws may leave the panel, and set round numbers as ticks."""
    low, high = axes.get_ylim()
    axes.set_ylim(low, high)
    if axes.get_yscale() == "log" and high < 1000 * low:
        few = MaxNLocator(4, steps=[1, 2, 5, 10])
        axes.yaxis.set_major_locator(few if high < 6 * low else LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: number(y)))
        axes.yaxis.set_minor_locator(NullLocator())


def axis_label(axis: str) -> str:
    """Return an axis as matplotlib writes it: λ_min has a subscript."""
    return re.sub(r"_(\w+)", r"$_\\mathregular{\1}$", AXES.get(axis, "")) or _literal(axis)


def tick_names(axis: Axis) -> list[str]:
    """Return the values as they were written; numbers of episodes as in all figures."""
    if axis.name == "episodes" and axis.numbers:
        return [episodes(K) for K in axis.numbers]
    return [_literal(text) for text in axis.texts]


def _literal(text: str) -> str:
    """Return a text for matplotlib, which takes what is between two $ for a formula."""
    return text.replace("$", r"\$")


def _name(axis: Axis, text: str) -> str:
    """Return a value with its axis if it is a number: K = 10⁵."""
    name = tick_names(axis)[axis.texts.index(text)]
    return f"{axis_label(axis.name).split(' (')[0]} = {name}" if axis.numbers else name


def laws(sweep: Sweep, panel: Panel) -> dict[str, tuple[Any, Any]]:
    """Return laws, as x and y by label, through the first point of the first curve that has one."""
    axis = panel.x
    if axis.numbers is None or panel.colour.name != "variant":
        return {}
    at = dict(zip(axis.texts, axis.numbers, strict=True))
    for variant in sweep.variants:
        rows = part(panel.rows, {"variant": variant})
        rows = rows[np.isfinite(rows["mean"]) & (rows["mean"] > 0)]
        points = sorted(zip(rows[axis.name].map(at), rows[axis.name], rows["mean"], strict=True))
        if points and 0 < points[0][0] < max(axis.numbers):
            first, text, y = points[0]
            series = next(cell.series for cell in sweep.cells
                          if cell.variant == variant and cell.at[axis.name] == text)  # fmt: skip
            x = np.geomspace(first, max(axis.numbers), 200)
            return {f"{label}, through ○": (x, line) for label, line in
                    _lines(axis.name, panel.measure, series, x, y)}  # fmt: skip
    return {}


def _lines(axis: str, measure: str, series: Series, x: Any, y: float) -> Iterator[tuple[str, Any]]:
    """Yield the laws of a measure along an axis that begin at y."""
    if axis == "episodes" and measure in GAPS:
        yield r"$\propto K^{-1/2}$", y * (x / x[0]) ** -0.5
    if axis == "horizon" and measure == EPISODES_TO:
        yield r"theorem: $\propto T^5$", y * (x / x[0]) ** 5
    if axis == "agents" and measure == EPISODES_TO:
        if isinstance(series.parameters, VLearning):
            # K ∝ ι(K) = log(2 N S A_max K T/p). It grows so slowly that iterating finds K.
            rest = iota(series.game, 1, series.parameters.p) - math.log(series.game.N)
            K = np.full(len(x), y)
            for _ in range(50):
                K = y * (np.log(x * K) + rest) / (math.log(x[0] * y) + rest)
            yield r"theorem: $\propto\iota$", K
        with np.errstate(over="ignore"):
            yield r"joint actions: $\propto A^N$", y * float(series.game.A_max) ** (x - x[0])
