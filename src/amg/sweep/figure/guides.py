"""Lines to compare a curve with. A new one is an entry of `GUIDES`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from amg.sweep.grid import Cell
from amg.sweep.measures import EPISODES_TO
from amg.theory import iota

GAPS = frozenset({"max_gap", "relative_gap", "max_informed_gap", "max_own_bound"})
DERIVED = frozenset({EPISODES_TO})

Line = tuple[list[float], list[float]]
Cells = Mapping[float, Cell]  # of the variant whose first point a guide goes through, by x


@dataclass(frozen=True)
class Guide:
    """A law for measures along an axis, scaled to go through the first point of a curve."""

    axis: str
    measures: frozenset[str]
    label: str
    line: Callable[[Cells, float, float], Line | None]  # None where it means nothing


def power(exponent: float) -> Callable[[Cells, float, float], Line | None]:
    """y ∝ x^exponent."""

    def line(cells: Cells, x0: float, y0: float) -> Line | None:
        x = np.geomspace(x0, max(cells), 100)
        return x.tolist(), (y0 * (x / x0) ** exponent).tolist()

    return line


def theorem(cells: Cells, x0: float, y0: float) -> Line | None:
    """K ∝ ι(K) = log(2 N S A_max K T/p): what Theorem III.1 asks for when N alone changes.

    K is on both sides; the right one grows so slowly that iterating settles it.
    """
    if any("p" not in cell.chosen.parameters.as_dict() for cell in cells.values()):
        return None
    x = sorted(x for x in cells if x >= x0)
    y = []
    for place in x:
        K = y0
        for _ in range(50):
            K = y0 * _iota(cells[place], K) / _iota(cells[x0], y0)
        y.append(K)
    return x, y


def _iota(cell: Cell, episodes: float) -> float:
    p = cell.chosen.parameters.as_dict()["p"]
    return iota(cell.chosen.game, 1, float(p)) + math.log(episodes)


def joint_actions(cells: Cells, x0: float, y0: float) -> Line | None:
    """y ∝ A^N: the entries of a table of joint actions."""
    actions = cells[x0].chosen.game.A_max
    x = np.linspace(x0, max(cells), 400)
    with np.errstate(over="ignore"):
        y = y0 * np.float64(actions) ** (x - x0)
    return x.tolist(), y.tolist()


GUIDES = (
    Guide("episodes", GAPS, r"$\propto K^{-1/2}$", power(-0.5)),
    Guide("agents", DERIVED, r"theorem: $\propto\iota$", theorem),
    Guide("agents", DERIVED, r"joint actions: $\propto A^N$", joint_actions),
    Guide("horizon", DERIVED, r"theorem: $\propto T^5$", power(5)),
)


def guides(axis: str, measure: str) -> list[Guide]:
    """Those that mean something for a measure along an axis."""
    return [guide for guide in GUIDES if guide.axis == axis and measure in guide.measures]
