"""The table of a sweep, looked up: the values of one measure by where they are."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd

from amg.figures import units
from amg.sweep.axes import Axis
from amg.sweep.grid import Sweep
from amg.sweep.measures import EPISODES_TO, Measure, measure

Place = tuple[str, ...]  # a variant, then the text of each axis


class Value(NamedTuple):
    """A mean over seeds and its interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Block:
    """A measure with the axes that it depends on, and its values."""

    name: str
    axes: tuple[Axis, ...]
    variants: tuple[str, ...]
    values: dict[Place, Value]
    at_most: frozenset[Place]  # where the target was reached at the least K already: K or less
    exponent: int = 0  # values are in units of 10 to this power

    @property
    def measure(self) -> Measure:
        shown = measure(self.name)
        unit = f" in units of {units.name(self.exponent)}" if self.exponent else ""
        return shown._replace(title=f"{shown.title}{unit}")

    @property
    def finite(self) -> list[float]:
        """Every mean that is a number."""
        return [value.mean for value in self.values.values() if math.isfinite(value.mean)]

    @property
    def logarithmic(self) -> bool:
        """Orders of magnitude: what is not positive is then shown at the edge.

        No positive mean is taken for a rounding error: pay may be in units of 1e-300, and gaps that
        are rounding errors are 0 since they were measured (amg/analysis/evaluations.py).
        """
        return self.measure.positive and any(mean > 0 for mean in self.finite)


def blocks(sweep: Sweep, table: pd.DataFrame) -> list[Block]:
    """What is to be drawn, measure by measure; the derived one has no axis of episodes."""
    found = [_block(sweep, table, name, sweep.axes) for name in sweep.measures]
    if sweep.target is not None:
        axes = tuple(axis for axis in sweep.axes if axis.name != "episodes")
        found.append(_block(sweep, table, EPISODES_TO, axes))
    return found


def _block(sweep: Sweep, table: pd.DataFrame, name: str, axes: tuple[Axis, ...]) -> Block:
    rows = table[table["measure"] == name]
    places = rows[["variant", *(axis.name for axis in axes)]].itertuples(index=False, name=None)
    numbers = rows[["mean", "low", "high"]].to_numpy(dtype=float)
    plain = units.LOGARITHMIC if measure(name).positive else units.EVERYDAY
    exponent = 0 if measure(name).share else units.exponent(numbers, plain)
    numbers = numbers / 10.0**exponent
    values = {place: Value(*row) for place, row in zip(places, numbers.tolist(), strict=True)}
    at_most = _at_most(sweep, axes, values) if name == EPISODES_TO else frozenset()
    return Block(name, axes, sweep.variants, values, at_most, exponent)


def _at_most(sweep: Sweep, axes: tuple[Axis, ...], values: dict[Place, Value]) -> frozenset[Place]:
    """Places whose mean is the least K that was run there."""
    least: dict[Place, int] = {}
    for cell in sweep.cells:
        place = (cell.variant, *(cell.at[axis.name] for axis in axes))
        least[place] = min(cell.chosen.episodes, least.get(place, cell.chosen.episodes))
    return frozenset(place for place, value in values.items() if value.mean <= least[place])
