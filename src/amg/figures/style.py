"""How figures look and are drawn: names, colours, sizes, and a sheet that records its data.

Learners have the colours of Okabe and Ito, agents those of Tol. They can be told apart with any
kind of colour vision. Text in the colour of a line is darkened until it can be read. The same data
give the same bytes: the user's matplotlibrc, backend, locale, time zone and clock have no effect.
"""

import io
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from amg.base.files import write_bytes
from amg.base.text import compact, join_words, number

BLUE, SKY, GREEN = "#0072B2", "#56B4E9", "#009E73"
ORANGE, VERMILION, PURPLE, PINK = "#E69F00", "#D55E00", "#8A4B9E", "#CC79A7"
INK, GREY, PALE, FAINT = "#222222", "#6B6B6B", "#BDBDBD", "#F0F0F0"
AGENTS = ("#882255", "#44AA99", "#999933", "#332288")
SPARE = ("#117733", "#661100", "#6699CC", "#AA4466")  # for learners of other studies

COLUMN, PAGE = 3.5, 7.16  # inches: IEEE's single and double column
DPI = 300
SIZE = 7.0  # points: of every text
SMALL = SIZE  # its name in amg.sweep.figure
CONTRAST = 4.5  # of text against white, at least (WCAG 2, level AA)

TICKS = {
    "labelsize": SIZE,
    "color": GREY,
    "labelcolor": INK,
    "major.width": 0.6,
    "major.size": 2.5,
    "major.pad": 2.0,
    "minor.width": 0.4,
    "minor.size": 1.5,
}
STYLE: Any = {
    "font.family": "DejaVu Sans",  # comes with matplotlib
    "font.size": SIZE,
    "axes.titlesize": SIZE,
    "axes.labelsize": SIZE,
    "axes.titlelocation": "left",
    "axes.titlepad": 4.0,
    "axes.labelpad": 2.5,
    "axes.linewidth": 0.6,
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.fontsize": SIZE,
    "legend.frameon": False,
    "text.color": INK,
    **{f"{axis}tick.{key}": value for axis in "xy" for key, value in TICKS.items()},
    "lines.linewidth": 1.1,
    "lines.markersize": 3.0,
    "lines.solid_capstyle": "butt",
    "figure.constrained_layout.h_pad": 0.03,
    "figure.constrained_layout.w_pad": 0.03,
    "pdf.fonttype": 42,  # embed TrueType: text stays text
}
Tables = Mapping[str, pd.DataFrame]
Point = tuple[float, float]
COLUMNS = ["panel", "series", "x", "y", "low", "high"]  # of the data
HALO = [withStroke(linewidth=1.8, foreground="white")]
AT_POINT: dict[str, Any] = {"xycoords": "data", "zorder": 5, "path_effects": HALO}  # over lines


class Learner(NamedTuple):
    """How people read about a learner of the config: its name and its colour."""

    name: str
    colour: str
    short: str = ""  # beside others of its kind
    dashed: bool = False  # a variant of the learner of the same colour

    @property
    def dashes(self) -> Any:
        """Return its style of lines."""
        return (0, (4, 1.5)) if self.dashed else "-"


LEARNERS = {
    "v-cv": Learner("Algorithm 1 (CV)", BLUE, "CV"),
    "v-mad": Learner("Algorithm 1 (MAD)", PINK, "MAD"),
    "v-real": Learner("Algorithm 1 (lengths kept real)", SKY),
    "v-no-bonus": Learner("Algorithm 1 (no bonus)", "#777700"),
    "v-stage": Learner("fixed stages", GREEN),
    "v-stage-exponential": Learner("fixed stages (exponential weights)", GREEN, dashed=True),
    "v-incremental": Learner("incremental V-learning", PURPLE),
    "v-incremental-tsallis": Learner("incremental V-learning (Tsallis-INF)", PURPLE, dashed=True),
    "known-model": Learner("known model (optimistic FTRL)", GREY),
    "centralized-q": Learner("centralized Q-learning", ORANGE),
    "independent-q": Learner("independent Q-learning", VERMILION),
    "explorer": Learner("independent Q-learning", VERMILION),
}
RUNS = {  # the same in the line that names a run
    "v_learning (cv)": "v-cv", "v_learning (mad)": "v-mad", "v_learning_stage (fixed)": "v-stage",
}  # fmt: skip


def learner_look(label: str) -> Learner:
    """Return the look of a learner; an unknown one keeps its label and gets a spare colour."""
    spare = SPARE[zlib.crc32(label.encode()) % len(SPARE)]
    return LEARNERS.get(label) or Learner(label, spare)


def run_title(run: str) -> str:
    """Return the line that names a run with the learner's name for people."""
    algorithm, on, where = run.partition(" on ")
    return f"{LEARNERS[RUNS[algorithm]].name if algorithm in RUNS else algorithm}{on}{where}"


def labels_of(tables: Tables, text: str) -> str:
    """Return a sentence with the config's labels of those learners that a text names."""
    labels = dict.fromkeys(x for t in tables.values() if "learner" in t for x in t["learner"])
    looks = {label: LEARNERS[label] for label in labels if label in LEARNERS}
    known = [f"`{label}` is {name}" for label, (name, _, short, _) in looks.items()
             if name in text or (short and short in text)]  # fmt: skip
    return f" In the config, {join_words(known)}." if known else ""


def readable(colour: str) -> str:
    """Return a colour for text on white: the same, or as much darker as its contrast needs."""
    rgb = np.array(to_rgb(colour))
    while 1.05 / (_luminance(rgb) + 0.05) < CONTRAST:
        rgb *= 0.98
    return to_hex(tuple(rgb))


def _luminance(rgb: Any) -> float:
    """Return the relative luminance of a colour (WCAG 2)."""
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def game_title(label: str, suffix: str = " Game") -> str:
    """Return the name of a game: "Fishermen Game", "Fishermen Game (16)" for fishermen-16."""
    name, _, size = label.rpartition("-")
    if name and size.isdigit():
        return f"{game_title(name, suffix)} ({size})"
    return label.replace("-", " ").replace("_", " ").capitalize() + suffix


@contextmanager
def styled() -> Iterator[None]:
    """Use Matplotlib's defaults and this style within a block, or in a function as a decorator."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        yield


@styled()
def save_picture(figure: Figure, stem: Path) -> None:
    """Write stem.pdf and stem.png without dates or versions."""
    pdf = {"Creator": None, "Producer": None, "CreationDate": None, "ModDate": None}
    for suffix, metadata in (("pdf", pdf), ("png", {"Software": None})):
        buffer = io.BytesIO()
        figure.savefig(buffer, format=suffix, dpi=DPI, metadata=metadata)
        write_bytes(stem.with_name(f"{stem.name}.{suffix}"), buffer.getvalue())


class Sheet(Figure):
    """A figure of this size in inches. The label of axes is the name of the panel in the data."""

    def __init__(self, width: float, height: float) -> None:
        super().__init__(figsize=(width, height), dpi=DPI, layout="constrained")
        self.records: list[pd.DataFrame] = []

    @property
    def data(self) -> pd.DataFrame:
        """Return the data drawn so far."""
        return pd.concat(self.records, ignore_index=True)

    def record(self, axes: Axes, series: str, *numbers: Any) -> None:
        """Record the x, y, low and high of a series, or the first few of these."""
        values = dict(zip(COLUMNS, (axes.get_label(), series, *numbers), strict=False))
        types = dict.fromkeys(COLUMNS[2:], float)
        self.records.append(pd.DataFrame(values, columns=COLUMNS).astype(types))

    def line(
        self, axes: Axes, series: str, x: Any, y: Any, *bounds: Any, band: float = 0.2, **look: Any
    ) -> None:
        """Draw a line, and a band between two bounds if given; `band` is its opacity."""
        self.record(axes, series, x, y, *bounds)
        axes.plot(x, y, label=series, **look)
        if bounds:
            step = look.get("drawstyle", "").removeprefix("steps-") or None
            shade = {"color": look["color"], "alpha": band, "linewidth": 0, "step": step}
            axes.fill_between(x, *bounds, zorder=look.get("zorder", 2) - 0.1, **shade)

    def log_line(self, axes: Axes, name: str, x: str, rows: pd.DataFrame, edge: float = 0.03,
                 **look: Any) -> str:  # fmt: skip
        """Draw means with bands on a logarithmic axis, and triangles for those not positive.

        The line is interrupted where a mean is not positive. `edge` is the height of the triangles
        as a share of the panel. Returns what they stand for, as "▾ −0.4 to 0", or nothing.
        """
        at, means, *bounds = estimates(rows.sort_values(x), x)
        shown, colour = means > 0, look["color"]
        if shown.any():
            self.line(axes, name, at, means.where(shown), *bounds, **look)
        if shown.all():
            return ""
        below = [column[~shown] for column in (at, means, *bounds)]
        self.record(axes, f"{name}, not on a log axis", *below)
        marks: Any = {"marker": "v", "markersize": 3.2, "linestyle": "none", "clip_on": False}
        axes.plot(
            below[0], np.full(len(below[0]), edge), transform=axes.get_xaxis_transform(),
            color=colour, zorder=4, label=None if shown.any() else name, **marks,
        )  # fmt: skip
        values = dict.fromkeys(compact(value + 0.0) for value in (below[1].min(), below[1].max()))
        return f"▾ {' to '.join(values)}"

    def legend_below(self, columns: int) -> None:
        """Name the lines of all panels below them, each once."""
        lines: dict[str, Any] = {}
        for axes in self.axes:
            handles, labels = axes.get_legend_handles_labels()
            lines |= dict(zip(labels, handles, strict=True))
        self.legend(lines.values(), lines.keys(), loc="outside lower center", ncols=columns)

    def levels(self, axes: Axes, values: Mapping[str, float]) -> None:
        """Draw dashed lines across the panel: values that do not depend on x."""
        look: dict[str, Any] = {"color": GREY, "linewidth": 0.8, "linestyle": (0, (5, 2))}
        for series, y in values.items():
            self.record(axes, series, None, [y])
            axes.axhline(y, label=series, zorder=1.5, **look)


def plain_ticks(axis: Any) -> None:
    """Write plain numbers at a logarithmic axis of fixed limits that spans at most two decades."""
    low, high = axis.get_view_interval()
    if high < 100 * low:
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))
        axis.set_minor_locator(NullLocator())


def estimates(rows: pd.DataFrame, x: str) -> list[pd.Series]:
    """Return the columns x, mean, low and high of a table: a line and its band."""
    return [rows[name] for name in (x, "mean", "low", "high")]


def dots(
    axes: Axes, at: Any, mean: Any, low: Any, high: Any, across: bool = False, **look: Any
) -> None:
    """Draw means with intervals, upwards or across, without a line: it would mean something."""
    # rounding errors can put the mean of equal values outside their interval
    reach = np.maximum([mean - low, high - mean], 0.0)
    places = {"x": mean, "y": at, "xerr": reach} if across else {"x": at, "y": mean, "yerr": reach}
    axes.errorbar(
        **places, linestyle="none", capsize=1.5, elinewidth=0.8, **{"marker": "o", **look}
    )


def note(axes: Axes, text: str, at: Point, color: str, offset: Point = (0, 0), **look: Any) -> None:
    """Write text `offset` points from a place in shares of the panel, or in other `xycoords`."""
    look = {"xycoords": "axes fraction", "color": readable(color), **look}
    axes.annotate(text, at, xytext=offset, textcoords="offset points", **look)


def label_corner(axes: Axes, at: Point) -> None:
    """Name the curves one below the other; the upper right corner is at a share of the panel."""
    lines: list[Any] = [*axes.get_lines()]  # levels and boundaries among them are no curves
    for j, line in enumerate(one for one in lines if one.get_transform() is axes.transData):
        offset = (0, -1.25 * SIZE * j)
        note(axes, line.get_label(), at, line.get_color(), offset, ha="right", va="top")


def label_ends(axes: Axes, labels: Sequence[tuple[float, str, str]]) -> None:
    """Write labels (y, text, colour) right of a panel whose axes are set, each close to its y."""
    _, height = _size(axes)
    lines = 1 + max(text.count("\n") for _, text, _ in labels)
    needed = SIZE * (1.28 if lines == 1 else 1.22 * lines)
    to_panel = axes.transData - axes.transAxes
    wanted = [height * to_panel.transform((axes.get_xlim()[0], y))[1] for y, _, _ in labels]
    places = spread(wanted, needed, needed / 2 - 4, height - needed / 2 + 4)
    for (_, text, colour), place in zip(labels, places, strict=True):
        note(axes, text, (1.0, place / height), colour, (4, 0), va="center", linespacing=1.05)


def label_line(axes: Axes, line: Any, share: float, side: int) -> None:
    """Name a curve at a share of the panel's width, above (side 1) or below it (side -1).

    Limits of the axes are set. The label is beyond all points of the curve over its width.
    """
    (x, y), (left, right) = line.get_data(), axes.get_xlim()
    at, name = left + (right - left) * share, line.get_label()
    half = 0.3 * SIZE * len(name) / _size(axes)[0] * (right - left)  # of the text's width
    values = [np.interp(at, x, y), *y[np.abs(x - at) <= half]]
    edge, va = (max(values), "bottom") if side > 0 else (min(values), "top")
    note(axes, name, (at, edge), line.get_color(), (0, 3 * side), ha="center", va=va, **AT_POINT)


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Return the places nearest to those wanted, `gap` apart, within [low, high] if they fit."""
    order = np.argsort(wanted, kind="stable")
    steps = gap * np.arange(len(wanted))
    blocks: list[tuple[float, int]] = []  # mean and size; the nearest series that never falls
    for place in np.clip(wanted, low, high)[order] - steps:
        mean, size = place, 1
        while blocks and blocks[-1][0] >= mean:
            other, count = blocks.pop()
            mean, size = (other * count + mean * size) / (count + size), count + size
        blocks.append((mean, size))
    nearest = [mean for mean, size in blocks for _ in range(size)]
    placed = np.empty(len(wanted))
    placed[order] = np.clip(nearest, low, max(low, high - steps[-1])) + steps
    return placed.tolist()


def _size(axes: Axes) -> tuple[float, float]:
    """Return width and height of a panel in points."""
    figure: Any = axes.figure
    figure.get_layout_engine().execute(figure)
    return axes.bbox.width * 72 / figure.dpi, axes.bbox.height * 72 / figure.dpi
