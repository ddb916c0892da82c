"""A figure that records the data drawn on it: what it shows is also in its data file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from amg.figures.style import DPI, GREY

Tables = Mapping[str, pd.DataFrame]
COLUMNS = ["panel", "series", "x", "y", "low", "high"]


class Sheet(Figure):
    """A figure of this size in inches; its methods draw on axes and record the data.

    The label of the axes is the name of the panel in the data: it says what is shown by what.
    """

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

    def levels(self, axes: Axes, values: Mapping[str, float]) -> None:
        """Draw dashed lines across the panel: values that do not depend on x."""
        look: dict[str, Any] = {"color": GREY, "linewidth": 0.8, "linestyle": (0, (5, 2))}
        for series, y in values.items():
            self.record(axes, series, None, [y])
            axes.axhline(y, label=series, zorder=1.5, **look)


def estimates(rows: pd.DataFrame, x: str) -> list[pd.Series]:
    """Return the columns x, mean, low and high of a table: a line and its band."""
    return [rows[name] for name in (x, "mean", "low", "high")]
