"""One heat map: colours, the mean in every cell, and cells that have none."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, LogNorm, Normalize, to_rgb
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Rectangle
from matplotlib.textpath import text_to_path
from numpy.typing import NDArray

from amg.figures.palette import BLUE, FAINT, GREY, INK, PALE
from amg.figures.style import SMALL, STYLE
from amg.figures.words import significant
from amg.sweep.figure.cells import Block

SHADES = LinearSegmentedColormap.from_list("sweep", ["#F1F7FB", "#8CC3E3", BLUE, "#00324F"])
NOT_REACHED = "–"
LEAST = 5.0  # points: the smallest text
TYPE = FontProperties(family=STYLE["font.family"], size=1)


def norm(block: Block) -> Normalize:
    """One scale of colours for a measure, whatever the variant."""
    means = block.finite or [0.0]
    if block.measure.share:
        return Normalize(0.0, 1.0)
    if block.logarithmic:
        positive = [mean for mean in means if mean > 0]
        low, high = min(positive), max(positive)
        return LogNorm(low, high, clip=True) if high > low else LogNorm(low / 2, low * 2)
    low, high = min(means), max(means)
    return Normalize(low, high) if high > low else Normalize(low - 0.5, low + 0.5)


def draw_map(axes: Axes, means: NDArray[np.float64], scale: Normalize) -> None:
    """Means [down, across]: coloured; grey where infinite, hatched where there is none."""
    axes.pcolormesh(
        np.ma.masked_where(~np.isfinite(means), means), norm=scale, cmap=SHADES,
        edgecolors="white", linewidth=0.8,
    )  # fmt: skip
    for row, column in np.argwhere(~np.isfinite(means)):
        empty = np.isnan(means[row, column])
        look: Any = {"hatch": 6 * "/", "facecolor": "white", "edgecolor": PALE} if empty else {
            "facecolor": FAINT, "edgecolor": "white"}  # fmt: skip
        axes.add_patch(Rectangle((column + 0.04, row + 0.04), 0.92, 0.92, linewidth=0, **look))
    axes.set_ylim(means.shape[0], 0)
    axes.set_xlim(0, means.shape[1])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def annotate(
    axes: Axes,
    means: NDArray[np.float64],
    words: list[list[str]],
    scale: Normalize,
    size: float,
) -> None:
    """Write words into cells, in the colour that stands out more."""
    for (row, column), mean in np.ndenumerate(means):
        colour = ink(SHADES(scale(mean))) if math.isfinite(mean) else GREY
        text = axes.text(column + 0.5, row + 0.5, words[row][column], color=colour, fontsize=size,
                         ha="center", va="center_baseline")  # fmt: skip
        text.set_in_layout(False)


def type_size(cell: tuple[float, float], words: Iterable[str]) -> float:
    """With which all words have room in a cell so wide and high (points), up to that of labels."""
    widest = max(map(_width, words), default=0.0) or 1.0
    return math.floor(4 * min(SMALL, 0.88 * cell[0] / widest, cell[1] / 1.2)) / 4


@cache
def _width(text: str) -> float:
    """In units of the size of type."""
    return float(text_to_path.get_text_width_height_descent(text, TYPE, False)[0])


def short(value: float, digits: int) -> str:
    """A mean in a cell: so many significant digits; only what is exactly 0 or 1 reads 0 or 1."""
    if math.isnan(value):
        return ""
    if math.isinf(value):
        return NOT_REACHED
    if value == int(value) and abs(value) < 1000:
        return f"{value:.0f}".replace("-", "−")
    if 1e-3 <= abs(value) < 1e4:
        return significant(float(f"{value:.{digits - 1}e}"), digits)
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    return f"{mantissa}e{int(exponent)}".replace("-", "−")


def ink(colour: Any) -> str:
    """Dark or white, whichever has more contrast with a colour (WCAG)."""
    return max((INK, "#FFFFFF"), key=lambda text: contrast(text, colour))


def contrast(a: Any, b: Any) -> float:
    """(L₁ + 0.05)/(L₂ + 0.05) of the lighter and the darker one's relative luminance."""
    dark, light = sorted(map(_luminance, (a, b)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: Any) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))
