"""Labels beside the lines they name, placed so that none overlap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke
from scipy.optimize import isotonic_regression

from amg.figures.style import SMALL

NO_STAGE = "no stage was completed"
HALO = [withStroke(linewidth=1.8, foreground="white")]
AT_POINT: dict[str, Any] = {"xycoords": "data", "zorder": 5, "path_effects": HALO}  # over lines

Point = tuple[float, float]


def note(axes: Axes, text: str, at: Point, color: str, offset: Point = (0, 0), **look: Any) -> None:
    """Write text `offset` points from a place in shares of the panel, or in other `xycoords`."""
    look = {"xycoords": "axes fraction", "fontsize": SMALL, **look}
    axes.annotate(text, at, xytext=offset, textcoords="offset points", color=color, **look)


def curves(axes: Axes) -> list[Any]:
    """Return the lines of a panel, without those that cross it straight."""
    return [line for line in axes.get_lines() if line.get_transform() is axes.transData]


def label_corner(axes: Axes, at: Point) -> None:
    """Name the curves one below the other; the upper right corner is at a share of the panel."""
    for j, line in enumerate(curves(axes)):
        offset = (0, -1.25 * SMALL * j)
        note(axes, line.get_label(), at, line.get_color(), offset, ha="right", va="top")


def label_ends(axes: Axes, labels: Sequence[tuple[float, str, str]]) -> None:
    """Write labels (y, text, colour) right of a panel whose axes are set, each close to its y."""
    _, height = _size(axes)
    lines = 1 + max(text.count("\n") for _, text, _ in labels)
    needed = SMALL * (1.28 if lines == 1 else 1.22 * lines)
    to_panel = axes.transData - axes.transAxes
    wanted = [height * to_panel.transform((axes.get_xlim()[0], y))[1] for y, _, _ in labels]
    places = spread(wanted, needed, needed / 2 - 4, height - needed / 2 + 4)
    for (_, text, colour), place in zip(labels, places, strict=True):
        note(axes, text, (1.0, place / height), colour, (4, 0), va="center", linespacing=1.05)


def label_lines(axes: Axes) -> None:
    """Name the curves of a panel: above or below each, where other lines leave room.

    Of the places with enough room the one nearest to the panel's middle is taken, else the place
    with most room. The panel has linear axes, whose limits are set.
    """
    width, height = _size(axes)
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    grid = np.linspace(0, 1, 201)  # across the panel; heights above it are in points
    lines: list[Any] = [*axes.get_lines()]
    values = [np.interp(left + (right - left) * grid, *line.get_data()) for line in lines]
    paths = [height * (value - bottom) / (top - bottom) for value in values]
    obstacles = [np.zeros_like(grid), np.full_like(grid, height)]
    for line in curves(axes):
        j = lines.index(line)
        others = np.stack([*paths[:j], *paths[j + 1 :], *obstacles])
        reach = 0.3 * SMALL * len(line.get_label()) / width  # half the text's width
        choices = []
        for place in grid[(grid > reach) & (grid < 1 - reach)]:
            under = np.abs(grid - place) <= reach
            for side in (1, -1):
                edge = side * (side * paths[j][under]).max()
                room = side * (others[:, under] - edge)
                free = min(room[room > -2].min(initial=height), 2.2 * SMALL)
                choices.append((free, -abs(place - 0.45), place, edge, side))
        _, _, place, edge, side = max(choices)
        # the next labels keep away from this one
        obstacles.append(np.where(np.abs(grid - place) <= reach, edge + side * SMALL, np.inf))
        at = (left + (right - left) * place, bottom + (top - bottom) * edge / height)
        look = {"ha": "center", "va": "bottom" if side > 0 else "top", **AT_POINT}
        note(axes, line.get_label(), at, line.get_color(), (0, 3 * side), **look)


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Return the places nearest to those wanted, `gap` apart, within [low, high] if they fit."""
    order = np.argsort(wanted, kind="stable")
    steps = gap * np.arange(len(wanted))
    nearest = isotonic_regression(np.clip(wanted, low, high)[order] - steps).x  # never falls
    placed = np.empty(len(wanted))
    placed[order] = np.clip(nearest, low, max(low, high - steps[-1])) + steps
    return placed.tolist()


def _size(axes: Axes) -> tuple[float, float]:
    """Return width and height of a panel in points."""
    figure: Any = axes.figure
    figure.draw_without_rendering()  # settles the layout
    return axes.bbox.width * 72 / figure.dpi, axes.bbox.height * 72 / figure.dpi
