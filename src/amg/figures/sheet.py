"""Panels that record the data they draw: what a figure shows is also in its data file.

---
Labels beside the lines they name, placed so that none overlap.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

from amg.figures.style import FAINT, GREY, PALE, SMALL, new_figure

COLUMNS = ["panel", "series", "x", "y", "low", "high"]
DASHES = (0, (5, 2))  # of levels


class Sheet:
    """A figure that is being drawn, and the data drawn so far."""

    def __init__(self, width: float, height: float) -> None:
        self.figure: Figure = new_figure(width, height)
        self.frames: list[pd.DataFrame] = []

    def panel(self, axes: Axes, name: str) -> Panel:
        """Return a panel that draws on these axes; its name says what is shown by what."""
        return Panel(self, axes, name)

    def finish(self) -> tuple[Figure, pd.DataFrame]:
        """Return the figure and its data."""
        return self.figure, pd.concat(self.frames, ignore_index=True)


class Panel:
    """Axes whose drawing methods also record the data, as series, x, y, low, high."""

    def __init__(self, sheet: Sheet, axes: Axes, name: str) -> None:
        self.sheet, self.axes, self.name = sheet, axes, name

    def line(
        self,
        series: str,
        x: Any,
        y: Any,
        low: Any = None,
        high: Any = None,
        *,
        band: Any = 0.2,
        **look: Any,
    ) -> None:
        """Draw a line, and a band from low to high whose opacity is `band`."""
        self.record(series, x=x, y=y, low=low, high=high)
        self.axes.plot(x, y, label=series, **look)
        if low is not None and len(low):  # columns without rows are not numeric
            shade = {"color": look["color"], "alpha": band, "linewidth": 0}
            if "drawstyle" in look:
                shade["step"] = look["drawstyle"].removeprefix("steps-")
            self.axes.fill_between(x, low, high, zorder=look.get("zorder", 2) - 0.1, **shade)

    def bars(self, series: str, x: Any, y: Any, low: Any, high: Any, **look: Any) -> None:
        """Draw points with intervals from low to high."""
        self.record(series, x=x, y=y, low=low, high=high)
        y = np.asarray(y)
        # rounding errors can put the mean of equal values outside their interval
        reach = np.maximum([y - np.asarray(low), np.asarray(high) - y], 0.0)
        self.axes.errorbar(x, y, yerr=reach, label=series, capsize=1.5, elinewidth=0.8, **look)

    def level(self, series: str, y: float) -> None:
        """Draw a dashed line across the panel: a value that does not depend on x."""
        self.record(series, y=[y])
        look: dict[str, Any] = {"color": GREY, "linewidth": 0.8, "linestyle": DASHES, "zorder": 1.5}
        self.axes.axhline(y, label=series, **look)

    def boundaries(self, series: str, x: Any, **look: Any) -> None:
        """Draw thin vertical lines."""
        self.record(series, x=x)
        look = {"color": PALE, "linewidth": 0.8, "zorder": 1.0, **look}
        for place in np.asarray(x, dtype=float):
            self.axes.axvline(place, label=series, **look)

    def stripes(self, series: str, edges: Sequence[float]) -> None:
        """Shade every second span between edges."""
        self.record(series, x=edges)
        for left, right in zip(edges[:-1:2], edges[1::2], strict=False):
            self.axes.axvspan(left, right, color=FAINT, linewidth=0, zorder=0)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        colour: str,
        offset: tuple[float, float] = (0.0, 0.0),
        **look: Any,
    ) -> None:
        """Write a label `offset` points beside a point, with a white halo over lines."""
        style = {"fontsize": SMALL, "color": colour, "ha": "left", "va": "center", "zorder": 5}
        halo = [withStroke(linewidth=1.8, foreground="white")]
        self.axes.annotate(
            text, (x, y), xytext=offset, textcoords="offset points", path_effects=halo,
            annotation_clip=False, **{**style, **look},
        )  # fmt: skip

    def record(self, series: str, **columns: Any) -> None:
        """Record data that are drawn."""
        given = {k: np.asarray(v, dtype=float) for k, v in columns.items() if v is not None}
        empty = {name: np.nan for name in COLUMNS if name not in given}
        labels = {"panel": self.name, "series": series}
        self.sheet.frames.append(pd.DataFrame({**empty, **given, **labels})[COLUMNS])


# ===== figures/labels

NO_STAGE = "no stage was completed"

Label = tuple[str, str]  # text, colour


def note(axes: Axes, text: str, place: tuple[float, float], colour: str, **look: Any) -> None:
    """Write text at a place in shares of the panel, or in other `xycoords`."""
    style = {"xycoords": "axes fraction", "textcoords": "offset points", "xytext": (0.0, 0.0)}
    axes.annotate(text, place, color=colour, fontsize=SMALL, **{**style, **look})


def stack(axes: Axes, labels: Sequence[Label], place: tuple[float, float], ha: str) -> None:
    """Write labels one below the other, from a place in shares of the panel."""
    for j, (text, colour) in enumerate(labels):
        note(axes, text, place, colour, xytext=(0.0, -1.25 * SMALL * j), ha=ha, va="top")


def label_ends(panel: Panel, labels: Sequence[tuple[float, str, str]], lines: int = 1) -> None:
    """Write labels (y, text, colour) right of a panel whose axes are set, each close to its y."""
    if not labels:
        return
    _, height = _size(panel)
    axes = panel.axes
    needed = SMALL * (1.28 if lines == 1 else 1.22 * lines)
    wanted = [height * _share(axes, y) for y, _, _ in labels]
    places = spread(wanted, needed, needed / 2 - 4, height - needed / 2 + 4)
    for (_, text, colour), place in zip(labels, places, strict=True):
        look = {"ha": "left", "va": "center", "linespacing": 1.05, "annotation_clip": False}
        note(axes, text, (1.0, place / height), colour, xytext=(4.0, 0.0), **look)


def label_lines(panel: Panel, lines: Sequence[tuple[str, Any, Any, str]]) -> None:
    """Name lines (text, x, y, colour): above or below each, where other lines leave room.

    Of the places with enough room the one nearest to the panel's middle is taken, else the place
    with most room. The panel has linear axes, whose limits are set.
    """
    axes = panel.axes
    width, height = _size(panel)
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    grid = np.linspace(0, 1, 201)
    at = left + (right - left) * grid

    def points(y: Any) -> NDArray[np.float64]:
        return height * (np.asarray(y, dtype=float) - bottom) / (top - bottom)

    paths = [points(np.interp(at, np.asarray(x), np.asarray(y))) for _, x, y, _ in lines]
    drawn = [np.asarray(line.get_ydata(), dtype=float) for line in axes.get_lines()]
    levels = [points(np.full_like(grid, y[0])) for y in drawn if len(y) == 2]
    edges = [np.zeros_like(grid), np.full_like(grid, height)]
    taken: list[tuple[float, float, float]] = []  # labels so far: middle, reach, height
    for j, (text, _, _, colour) in enumerate(lines):
        others = np.stack([*paths[:j], *paths[j + 1 :], *levels, *edges])
        reach = 0.3 * SMALL * len(text) / width  # half the text's width
        choices = []
        for place in grid[(grid > reach) & (grid < 1 - reach)]:
            under = np.abs(grid - place) <= reach
            for side in (1, -1):
                edge = side * (side * paths[j][under]).max()
                room = side * (others[:, under] - edge)
                free = min(room[room > -2].min(initial=height), 2.2 * SMALL)
                middle = edge + side * SMALL
                if any(
                    abs(place - x) < reach + r and abs(middle - y) < 1.3 * SMALL
                    for x, r, y in taken
                ):
                    free = 0.0
                choices.append((free, -abs(place - 0.45), place, edge, side))
        _, _, place, edge, side = max(choices)
        taken.append((place, reach, edge + side * SMALL))
        x, y = left + (right - left) * place, bottom + (top - bottom) * edge / height
        va = "bottom" if side > 0 else "top"
        panel.text(x, y, text, colour, (0, 3 * side), ha="center", va=va)


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Return the places nearest to those wanted, `gap` apart, within [low, high] if they fit."""
    order = np.argsort(wanted, kind="stable")
    steps = gap * np.arange(len(wanted))
    nearest = isotonic_regression(np.clip(wanted, low, high)[order] - steps).x  # never falls
    placed = np.empty(len(wanted))
    placed[order] = np.clip(nearest, low, max(low, high - steps[-1])) + steps
    return placed.tolist()


def _size(panel: Panel) -> tuple[float, float]:
    """Return width and height of the panel in points."""
    figure = panel.sheet.figure
    figure.draw_without_rendering()  # settles the layout
    box = panel.axes.bbox
    return box.width * 72 / figure.dpi, box.height * 72 / figure.dpi


def _share(axes: Axes, y: float) -> float:
    """Return the position of y between the bottom (0) and the top (1) of the panel."""
    place = axes.transAxes.inverted().transform(axes.transData.transform((axes.get_xlim()[0], y)))
    return float(place[1])
