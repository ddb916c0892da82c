"""Names beside the lines they belong to, placed so that none overlap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from amg.figures.sheet import Panel
from amg.figures.style import SMALL

Label = tuple[str, str]  # text, colour


def note(axes: Axes, text: str, place: tuple[float, float], colour: str, **look: Any) -> None:
    """Text at a place in shares of the panel, unless `xycoords` says otherwise."""
    style = {"xycoords": "axes fraction", "textcoords": "offset points", "xytext": (0.0, 0.0)}
    axes.annotate(text, place, color=colour, fontsize=SMALL, **{**style, **look})


def stack(axes: Axes, labels: Sequence[Label], place: tuple[float, float], ha: str) -> None:
    """Names one below the other from this place, in shares of the panel."""
    for j, (text, colour) in enumerate(labels):
        note(axes, text, place, colour, xytext=(0.0, -1.25 * SMALL * j), ha=ha, va="top")


def label_ends(panel: Panel, labels: Sequence[tuple[float, str, str]], lines: int = 1) -> None:
    """Labels (y, text, colour) right of a panel whose axes are set, each as near to y as can be."""
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
    """Name lines (text, x, y, colour) above or below each, where other lines leave room.

    Of the places with room the one nearest to the panel's middle is taken, else the roomiest.
    The panel has linear axes, which are set.
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
    taken: list[tuple[float, float, float]] = []  # where names stand: middle, reach, height
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
    """Places nearest to those wanted, at least `gap` apart, within [low, high] if they fit."""
    order = np.argsort(wanted, kind="stable")
    steps = gap * np.arange(len(wanted))
    nearest = _rising(np.clip(wanted, low, high)[order] - steps)
    placed = np.empty(len(wanted))
    placed[order] = np.clip(nearest, low, max(low, high - steps[-1])) + steps
    return placed.tolist()


def _rising(values: NDArray[np.float64]) -> list[float]:
    """The nearest sequence that never falls (pool adjacent violators)."""
    pools: list[tuple[float, int]] = []
    for value in values:
        pools.append((float(value), 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (a, m), (b, n) = pools[-2:]
            pools[-2:] = [((a * m + b * n) / (m + n), m + n)]
    return [value for value, n in pools for _ in range(n)]


def _size(panel: Panel) -> tuple[float, float]:
    """Width and height of the panel in points."""
    figure = panel.sheet.figure
    figure.draw_without_rendering()  # settles the layout
    box = panel.axes.bbox
    return box.width * 72 / figure.dpi, box.height * 72 / figure.dpi


def _share(axes: Axes, y: float) -> float:
    """Where y is between the bottom (0) and the top (1) of the panel."""
    place = axes.transAxes.inverted().transform(axes.transData.transform((axes.get_xlim()[0], y)))
    return float(place[1])
