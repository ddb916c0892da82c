"""Drawing that remembers: whatever a panel shows is also a row of the figure's data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from numpy.typing import ArrayLike

from amg.figures.palette import FAINT, GREY, PALE
from amg.figures.style import SMALL, new_figure

COLUMNS = ["panel", "series", "x", "y", "low", "high"]


class Sheet:
    """A figure under way, and the data drawn so far."""

    def __init__(self, width: float, height: float) -> None:
        self.figure: Figure = new_figure(width, height)
        self.frames: list[pd.DataFrame] = []

    def panel(self, axes: Axes, name: str) -> Panel:
        """Draw on these axes under this name, which says what is shown by what."""
        return Panel(self, axes, name)

    def finish(self) -> tuple[Figure, pd.DataFrame]:
        """The figure and its data."""
        return self.figure, pd.concat(self.frames, ignore_index=True)[COLUMNS]


class Panel:
    """Axes whose every method that draws data also records it, as series, x, y, low, high."""

    def __init__(self, sheet: Sheet, axes: Axes, name: str) -> None:
        self.sheet, self.axes, self.name = sheet, axes, name

    def line(
        self,
        series: str,
        x: ArrayLike,
        y: ArrayLike,
        low: ArrayLike | None = None,
        high: ArrayLike | None = None,
        *,
        band: float = 0.2,
        **look: Any,
    ) -> None:
        """A line, and the band from low to high around it."""
        self.record(series, x=x, y=y, low=low, high=high)
        self.axes.plot(x, y, label=series, **look)
        if low is not None and high is not None:
            shade = {"color": look["color"], "alpha": band, "linewidth": 0}
            if "drawstyle" in look:
                shade["step"] = look["drawstyle"].removeprefix("steps-")
            self.axes.fill_between(x, low, high, zorder=look.get("zorder", 2) - 0.1, **shade)

    def bars(
        self, series: str, x: ArrayLike, y: ArrayLike, low: ArrayLike, high: ArrayLike, **look: Any
    ) -> None:
        """Points with the interval from low to high."""
        self.record(series, x=x, y=y, low=low, high=high)
        y, low, high = np.asarray(y), np.asarray(low), np.asarray(high)
        # an interval of rounding errors may miss the mean by one
        reach = np.maximum([y - low, high - y], 0.0)
        self.axes.errorbar(x, y, yerr=reach, label=series, capsize=1.5, elinewidth=0.8, **look)

    def level(self, series: str, y: float, **look: Any) -> None:
        """A horizontal line across the panel: a value that does not depend on x."""
        self.record(series, y=[y])
        self.axes.axhline(y, label=series, **{"color": GREY, "linewidth": 0.8, "zorder": 1.5, **look})

    def boundaries(self, series: str, x: ArrayLike, **look: Any) -> None:
        """Thin vertical lines at these places."""
        self.record(series, x=x)
        look = {"color": PALE, "linewidth": 0.6, "zorder": 1.0, **look}
        for place in np.asarray(x, dtype=float):
            self.axes.axvline(place, label=series, **look)

    def stripes(self, series: str, edges: Sequence[float]) -> None:
        """Every second span between edges shaded."""
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
    ) -> Any:
        """A label beside a point, `offset` points away; white around it keeps lines off."""
        style = {"fontsize": SMALL, "color": colour, "ha": "left", "va": "center", "zorder": 5}
        halo = [withStroke(linewidth=1.8, foreground="white")]
        return self.axes.annotate(
            text, (x, y), xytext=offset, textcoords="offset points", path_effects=halo,
            annotation_clip=False, **{**style, **look},
        )  # fmt: skip

    def record(self, series: str, **columns: ArrayLike | None) -> None:
        """Remember data as drawn."""
        given = {name: np.asarray(value, float) for name, value in columns.items() if value is not None}
        empty = dict.fromkeys(COLUMNS[2:], np.nan)
        frame = pd.DataFrame({**empty, **given, "panel": self.name, "series": series})
        self.sheet.frames.append(frame)


def spread(places: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places for labels as near as can be to those wanted, at least `gap` apart, in [low, high]."""
    order = np.argsort(places, kind="stable")
    steps = gap * np.arange(len(places))
    wanted = np.asarray(places, dtype=float)[order] - steps
    fitted = np.clip(_isotonic(wanted), low, max(low, high - steps[-1])) + steps
    result = np.empty(len(places))
    result[order] = fitted
    return result.tolist()


def _isotonic(values: Sequence[float]) -> list[float]:
    """The nearest sequence that never falls (pool adjacent violators)."""
    pools: list[tuple[float, int]] = []
    for value in values:
        pools.append((float(value), 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (a, m), (b, n) = pools[-2:]
            pools[-2:] = [((a * m + b * n) / (m + n), m + n)]
    return [value for value, n in pools for _ in range(n)]


def label_ends(
    panel: Panel, labels: Sequence[tuple[float, str, str]], lines: int = 1, dx: float = 4.0
) -> None:
    """Labels (y, text, colour) to the right of the panel, at their y unless that would overlap."""
    if not labels:
        return
    axes = panel.axes
    panel.sheet.figure.draw_without_rendering()  # settles the layout
    scale = 72.0 / panel.sheet.figure.dpi
    box = axes.get_window_extent()
    wanted = [float(axes.transData.transform((1.0, y))[1]) * scale for y, _, _ in labels]
    height = SMALL * 1.22 * lines
    low, high = box.y0 * scale + height / 2 - 4, box.y1 * scale - height / 2 + 4
    placed = spread(np.clip(wanted, low, high).tolist(), height, low, high)
    for (y, text, colour), place in zip(labels, placed, strict=True):
        fraction = (place - box.y0 * scale) / (box.height * scale)
        axes.annotate(
            text, (1.0, fraction), xycoords="axes fraction", xytext=(dx, 0.0),
            textcoords="offset points", fontsize=SMALL, color=colour, ha="left", va="center",
            linespacing=1.05, annotation_clip=False,
        )  # fmt: skip
