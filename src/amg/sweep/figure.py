"""The figure of a sweep: panels of means with intervals, laws of the theory and the target."""

import itertools
import math
import re
import textwrap
from collections.abc import Iterator, Sequence
from string import ascii_lowercase
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from amg.base.text import number
from amg.figures import style
from amg.figures.style import COLUMN, FAINT, GREY, INK, PAGE, SMALL
from amg.sweep.grid import Axis, Sweep
from amg.sweep.laws import laws
from amg.sweep.names import drawn, place_title, value_title
from amg.sweep.panels import FEW, LOG, MOST, VERDICT, Panel, panels
from amg.sweep.table import COLUMNS, GAP, axis_title, part

# All colours have a contrast of 3 : 1 with white at least.
COLOURS = (style.BLUE, style.VERMILION, style.GREEN, style.PURPLE, "#332288", "#882255", INK)
VERDICTS = (style.VERMILION, GREY, style.BLUE)  # larger, no difference, smaller
MARKERS = "osDXP"  # with the seven colours, 35 values look different
PALEST = 0.62  # of the colour map of numbers
DASHES = ((0, (4, 1.5)), (0, (1, 1)))  # of laws
LETTER, LINE = 0.058, 0.124  # inches: width of a letter, height of a line of words
DODGE = 0.013  # of a panel's width: between values at the same x
NAMED = 10  # numbers that a legend names
ROWS = 50  # rows that have their names

Looks = dict[str, dict[str, Any]]  # by label or by value


@style.styled()
def draw(sweep: Sweep, table: pd.DataFrame) -> Figure:
    """Return the figure of a sweep from its table."""
    sizes: Any = ("font.size", "axes.titlesize", "axes.labelsize", "legend.fontsize")
    matplotlib.rcParams.update(dict.fromkeys(sizes, SMALL))
    every = panels(sweep, table)[:MOST]
    lines = _lines(every, len(sweep.variants))
    heights = [max(map(_height, line)) for line in lines]
    width, across = COLUMN if len(every) == 1 else PAGE, math.lcm(*map(len, lines))
    figure = style.Sheet(width, 0.6 + sum(heights))
    grid = figure.add_gridspec(len(lines), across, height_ratios=heights)
    letters = (f"({letter}) " for letter in (ascii_lowercase if len(every) > 1 else ""))
    legends: dict[str, Looks] = {}
    for i, line in enumerate(lines):
        step, room = across // len(line), width / len(line) - 0.5  # inches
        below = lines[i + 1] if i + 1 < len(lines) else []
        others, axes = list[Axes](), None
        for j, panel in enumerate(line):
            left = line[j - 1] if j else None
            shared = _shared(panel, left)
            place = grid[i, j * step : (j + 1) * step]
            axes = figure.add_subplot(place, **dict.fromkeys(shared, axes))
            _set_x(axes, panel.x, room)
            legends.setdefault(panel.colour.name, {}).update(_draw_panel(axes, sweep, panel))
            title = next(letters, "") + drawn(panel.facet or panel.title)
            axes.set_title(textwrap.fill(title, int((room + 0.3) / LETTER)))
            _label(axes, panel, left, below[j] if len(below) == len(line) else None)
            axes.tick_params(labelleft="sharey" not in shared)
            others.append(axes)
        for axes, panel in zip(others, line, strict=True):
            _set_ticks(axes.yaxis if panel.upright else axes.xaxis, panel)
    figure.align_ylabels()
    _add_legends(figure, list(legends.values()))
    return figure


def _lines(every: Sequence[Panel], variants: int) -> list[list[Panel]]:
    """Return the panels by line. Lines are full: where panels are fewer, they are wider."""
    groups, most = [list(every)], 3
    if len(every) > 3 and any(panel.facet for panel in every):
        groups = [list(own) for _, own in itertools.groupby(every, lambda panel: panel.measure)]
        most = variants if 2 <= variants <= 4 else 3
    sizes = [math.ceil(len(group) / math.ceil(len(group) / most)) for group in groups]
    return [group[j : j + size] for group, size in zip(groups, sizes, strict=True)
            for j in range(0, len(group), size)]  # fmt: skip


def _height(panel: Panel) -> float:
    """Return the height of a panel in inches."""
    if panel.upright:
        return 1.6
    curves = len(panel.settings) * (1 if panel.base else len(panel.colour.points))
    names = max(name.count("\n") + 1 for name in _row_names(panel.x))
    return min(0.5 + len(panel.x.points) * max(LINE * names + 0.04, min(0.03 * curves, 0.22)), 7.0)


def _shared(panel: Panel, left: Panel | None) -> list[str]:
    """Return which axes a panel shares with the one to the left: the same rows, the same unit."""
    alike = left is not None and left.measure == panel.measure and panel.comparable
    rows = left is not None and left.x == panel.x and not panel.upright
    return ["sharey"] * (rows or (alike and panel.upright)) + ["sharex"] * (alike and rows)


def _draw_panel(axes: Axes, sweep: Sweep, panel: Panel) -> Looks:
    """Draw one panel, whose x is set, and return what the legend says about it."""
    set_scale, set_limits, get_limits, add_level = (
        (axes.set_yscale, axes.set_ylim, axes.get_ylim, axes.axhline) if panel.upright
        else (axes.set_xscale, axes.set_xlim, axes.get_xlim, axes.axvline)
    )  # fmt: skip
    set_scale(**panel.scale)
    looks, theory, labels = _looks(panel.colour), laws(sweep, panel), Looks()
    if len(looks) > 1 and panel.colour.name != panel.x.name:
        line = {"linestyle": "-" if panel.upright else "none"}
        step = math.ceil(len(looks) / NAMED) if panel.colour.numbers else 1
        labels = {_name(panel.colour, t): looks[t] | line for t in panel.colour.texts[::step]}
    for axis in panel.merged[:1]:
        labels |= {_name(axis, text): {"color": INK, "linestyle": "none", "marker": mark}
                   for text, mark in _marks(axis)}  # fmt: skip
    labels |= _draw_curves(axes, panel, looks, dodged=not theory)
    if panel.base or (panel.measure == GAP and sweep.target is not None):
        label = drawn(panel.base) or f"target: {number(sweep.target or 0)}"
        labels[label] = {"color": INK, "linewidth": 0.8}
        add_level(1.0 if panel.base else sweep.target or 0, zorder=1, **labels[label])
    if theory or np.isinf(panel.rows["mean"]).any():  # room for what leaves the panel
        room: Any = {"y" if panel.upright else "x": 0.12}
        axes.margins(**room)
    low, high = get_limits()
    if COLUMNS[panel.measure].share:
        set_limits(-0.05, 1.05)
    elif COLUMNS[panel.measure].positive and panel.scale["value"] == "linear":
        set_limits(min(low, -0.04 * high), high)
    dashes = dict(zip(dict.fromkeys(law.label for law in theory), DASHES, strict=False))
    for law in theory:
        look: Any = {"linewidth": 0.9, "linestyle": dashes[law.label]}
        labels[law.label] = {"color": GREY, **look}
        colour = looks[law.curve]["color"]
        axes.add_artist(Line2D(law.x, law.y, color=colour, transform=axes.transData, **look))
    return labels


def _draw_curves(axes: Axes, panel: Panel, looks: Looks, dodged: bool) -> Looks:
    """Draw means with intervals. Those that may hide each other are beside each other."""
    at = dict(zip(panel.x.texts, panel.x.numbers or itertools.count(), strict=False))
    shades = 1 if panel.base else len(looks)  # a ratio keeps its place, whatever its colour
    count, labels = len(panel.settings) * shades, Looks()
    marks = {text: mark for axis in panel.merged[:1] for text, mark in _marks(axis)}
    step = 0.7 / count
    if panel.upright:
        hidden = not panel.colour.numbers or panel.rows.duplicated([panel.x.name, "mean"]).any()
        step = DODGE * min(1, 4 / count) * (dodged and hidden and len(at) <= FEW)
    for j, setting in enumerate(panel.settings):
        mark = next((marks[setting[axis.name]] for axis in panel.merged[:1]), "")
        for i, (text, look) in enumerate(looks.items()):
            place = j * shades + i % shades
            rows = part(panel.rows, {panel.colour.name: text, **setting})
            rows = rows.assign(x=rows[panel.x.name].map(at).astype(float)).sort_values("x")
            own = {"color": look["color"], "marker": mark or look["marker"]}
            shift = (place - (count - 1) / 2) * step
            labels |= _draw_curve(axes, panel, rows, own, shift, place)
    return labels


def _draw_curve(
    axes: Axes, panel: Panel, rows: pd.DataFrame, look: dict[str, Any], shift: float, place: int
) -> Looks:
    """Draw one curve, moved along x; means that are infinite are at the edge of the panel."""
    finite = np.isfinite(rows["mean"])
    good, never = rows[finite], rows["x"][~finite]
    low, high = good["low"], good["high"]
    if panel.scale == LOG:  # an interval may begin at 0 or have no end
        low, high = low.clip(lower=good["mean"] / 10), high.clip(upper=good["mean"] * 10)
    errors = [(good["mean"] - low).clip(lower=0), (high - good["mean"]).clip(lower=0)]
    bars: Any = {"linestyle": "none", "markeredgewidth": 0, "elinewidth": 1.0}
    edge: Any = {"color": look["color"], "linestyle": "none", "fillstyle": "none"}
    if panel.upright:
        joined = (good["x"] > 0) | (axes.get_xscale() == "linear")  # 0 is apart from a log scale
        x, never = (_moved(axes, places, shift) for places in (good["x"], never))
        axes.plot(x[joined], good["mean"][joined], color=look["color"])
        axes.errorbar(x, good["mean"], yerr=errors, **look, **bars)
        edge |= {"marker": "^", "transform": axes.get_xaxis_transform()}
        axes.plot(never, [0.97 - 0.06 * (place % 10)] * len(never), **edge)
    else:
        axes.errorbar(good["mean"], good["x"] + shift, xerr=errors, **look, **bars)
        edge |= {"marker": ">", "transform": axes.get_yaxis_transform()}
        axes.plot([0.98] * len(never), never + shift, **edge)
    del edge["transform"]
    return {"not reached": edge | {"color": INK}} if len(never) else {}


def _moved(axes: Axes, x: pd.Series, shift: float) -> pd.Series:
    """Return places on the scale of x, moved by a share of the panel's width."""
    scale = axes.xaxis.get_transform()
    left, right = scale.transform(axes.get_xlim())
    places = scale.inverted().transform(scale.transform(x) + shift * (right - left))
    return pd.Series(places, x.index)


def _looks(axis: Axis) -> Looks:
    """Return colour and marker of each value; a learner of the study keeps its colour."""
    colours: Sequence[Any] = VERDICTS if axis.name == VERDICT else COLOURS
    markers = MARKERS
    if axis.numbers:
        order = np.argsort(np.argsort(axis.numbers)) / max(1, len(axis.points) - 1)
        shades = sns.color_palette("plasma", as_cmap=True)(PALEST * order)
        colours = [to_hex(shade) for shade in shades]
    if axis.numbers or axis.name == VERDICT:
        markers = "o"
    looks = zip(axis.texts, itertools.cycle(colours), itertools.cycle(markers), strict=False)
    own = {name: learner.colour for name, learner in style.LEARNERS.items()}
    return {text: {"color": own.get(text, c), "marker": marker} for text, c, marker in looks}


def _marks(axis: Axis) -> Iterator[tuple[str, str]]:
    """Return a marker for each value of a merged axis."""
    return zip(axis.texts, itertools.cycle(MARKERS), strict=False)


def _set_x(axes: Axes, axis: Axis, room: float) -> None:
    """Give words a row each; for numbers, set the scale and the ticks that have room."""
    if axis.numbers is None:
        names = _row_names(axis)
        step = math.ceil(len(names) / ROWS)
        axes.set_yticks(range(0, len(names), step), names[::step])
        axes.set_ylim(len(names) - 0.5, -0.5)
        for j in range(0, len(names), 2):
            axes.axhspan(j - 0.5, j + 0.5, color=FAINT, linewidth=0, zorder=0)
        return
    at, names = axis.numbers, [drawn(value_title(axis, text)) for text in axis.texts]
    low, high, least = min(at), max(at), min((x for x in at if x > 0), default=1.0)
    if low >= 0 and high >= 10 * least:  # logarithmic, with a linear part to 0
        axes.set_xscale("symlog", linthresh=least, linscale=0.5)
        begin = low * (low / high) ** 0.04 if low else -0.2 * least
        axes.set_xlim(begin, high * (high / least) ** 0.04)
    else:
        pad = 0.04 * (high - low) or 1.0
        axes.set_xlim(low - pad, high + pad)
    step = math.ceil((max(map(len, names)) + 1) * len(names) * LETTER / room)
    axes.set_xticks(at, [name if j % step == 0 else "" for j, name in enumerate(names)])
    axes.xaxis.set_minor_locator(NullLocator())


def _row_names(axis: Axis) -> list[str]:
    return [textwrap.fill(drawn(value_title(axis, text)), 24) for text in axis.texts]


def _label(axes: Axes, panel: Panel, left: Panel | None, below: Panel | None) -> None:
    """Label the axes, unless the panel to the left or below does so."""
    x = drawn(axis_title(panel.x.name)) if panel.x.name != "variant" else ""
    title = drawn(panel.title) if panel.facet else ""
    if panel.upright:
        last = below is None or below.x != panel.x
        first = left is None or left.measure != panel.measure
        axes.set(xlabel=x if last else "", ylabel=textwrap.fill(title, 28) if first else "")
        axes.tick_params(labelbottom=last)
    else:
        last = below is None or below.measure != panel.measure
        first = left is None or left.x != panel.x
        x = textwrap.fill(x, max(12, int((_height(panel) - 0.4) / LETTER)))
        axes.set(xlabel=textwrap.fill(title, 36) if last else "", ylabel=x if first else "")
        axes.tick_params(axis="y", length=0)


def _set_ticks(axis: Any, panel: Panel) -> None:
    """Set round numbers as ticks of a logarithmic scale."""
    low, high = axis.get_view_interval()
    if panel.scale == LOG and high < 1000 * low:
        few = MaxNLocator(6, steps=[1, 2, 5, 10])
        axis.set_major_locator(few if high < 6 * low else LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter(FuncFormatter(lambda y, _: number(y)))
        axis.set_minor_locator(NullLocator())
    if panel.scale["value"] == "linear" and 2000 <= high < 1e7:
        axis.set_major_formatter(FuncFormatter(lambda y, _: number(y)))


def _add_legends(figure: Figure, legends: Sequence[Looks]) -> None:
    """Put the legends around the panels, two side by side, in as few lines as have room."""
    for before, labels in itertools.combinations(legends, 2):
        for label in [text for text in before if labels.get(text) == before[text]]:
            del labels[label]
    longest, width = max(map(len, legends)), figure.get_figwidth()
    fits = (n for n in range(1, longest) if sum(_width(one, n) for one in legends) < width)
    lines = next(fits, max(longest, 1))
    sides = ("upper left", "upper right", "lower left", "lower right")
    for labels, side in zip(legends, sides, strict=False):
        if labels:
            place: Any = f"outside {side}"
            handles = [Line2D([], [], label=label, **look) for label, look in labels.items()]
            columns = math.ceil(len(labels) / lines)
            figure.legend(handles=handles, loc=place, ncols=columns, frameon=False)


def _width(labels: Looks, lines: int) -> float:
    """Return the width in inches of a legend with so many lines."""
    lengths = [len(re.sub(r"\$[^$]*\$", "x^y", label)) for label in labels]
    return sum(0.5 + LETTER * max(lengths[j : j + lines]) for j in range(0, len(lengths), lines))


def _name(axis: Axis, text: str) -> str:
    """Return what a legend says of a value."""
    return drawn(text if axis.name == VERDICT else place_title(axis, text))
