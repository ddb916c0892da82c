"""Drawing that remembers: whatever a panel shows is also a row of the figure's data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from amg.figures.palette import FAINT, GREY, PALE
from amg.figures.style import SMALL, new_figure

COLUMNS = ["panel", "series", "x", "y", "low", "high"]
DASHES = (0, (5, 2))  # of levels


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
        return self.figure, pd.concat(self.frames, ignore_index=True)


class Panel:
    """Axes whose every method that draws data also records it, as series, x, y, low, high."""

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
        """A line, and around it the band from low to high, so opaque."""
        self.record(series, x=x, y=y, low=low, high=high)
        self.axes.plot(x, y, label=series, **look)
        if low is not None and len(low):  # of no rows a table does not know that they are numbers
            shade = {"color": look["color"], "alpha": band, "linewidth": 0}
            if "drawstyle" in look:
                shade["step"] = look["drawstyle"].removeprefix("steps-")
            self.axes.fill_between(x, low, high, zorder=look.get("zorder", 2) - 0.1, **shade)

    def bars(self, series: str, x: Any, y: Any, low: Any, high: Any, **look: Any) -> None:
        """Points with the interval from low to high."""
        self.record(series, x=x, y=y, low=low, high=high)
        y = np.asarray(y)
        # the interval of equal values may miss their mean by a rounding error
        reach = np.maximum([y - np.asarray(low), np.asarray(high) - y], 0.0)
        self.axes.errorbar(x, y, yerr=reach, label=series, capsize=1.5, elinewidth=0.8, **look)

    def level(self, series: str, y: float) -> None:
        """A dashed line across the panel: a value that does not depend on x."""
        self.record(series, y=[y])
        look: dict[str, Any] = {"color": GREY, "linewidth": 0.8, "linestyle": DASHES, "zorder": 1.5}
        self.axes.axhline(y, label=series, **look)

    def boundaries(self, series: str, x: Any, **look: Any) -> None:
        """Thin vertical lines at these places."""
        self.record(series, x=x)
        look = {"color": PALE, "linewidth": 0.8, "zorder": 1.0, **look}
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
    ) -> None:
        """A label beside a point, `offset` points away; white around it keeps lines off."""
        style = {"fontsize": SMALL, "color": colour, "ha": "left", "va": "center", "zorder": 5}
        halo = [withStroke(linewidth=1.8, foreground="white")]
        self.axes.annotate(
            text, (x, y), xytext=offset, textcoords="offset points", path_effects=halo,
            annotation_clip=False, **{**style, **look},
        )  # fmt: skip

    def record(self, series: str, **columns: Any) -> None:
        """Remember data as drawn."""
        given = {k: np.asarray(v, dtype=float) for k, v in columns.items() if v is not None}
        empty = {name: np.nan for name in COLUMNS if name not in given}
        labels = {"panel": self.name, "series": series}
        self.sheet.frames.append(pd.DataFrame({**empty, **given, **labels})[COLUMNS])
