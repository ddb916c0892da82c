"""A sweep: its cells, the runs they share, and the jobs that make and evaluate them."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from amg.plan import Batch, Item, Lot, Series
from amg.sweep.axes import Axis
from amg.sweep.cost import spoken, training_seconds
from amg.sweep.settings import Chosen

if TYPE_CHECKING:
    from amg.sweep.findings import Finding

JOB_SECONDS = 10.0  # what a job should train for; starting it costs about one


@dataclass(frozen=True)
class Cell:
    """One combination of the axes' values."""

    variant: str
    at: dict[str, str]  # the value of each axis, as it was written
    chosen: Chosen


@dataclass(frozen=True, eq=False)
class Sweep:
    """A sweep file that has been read."""

    name: str
    title: str
    axes: tuple[Axis, ...]
    variants: tuple[str, ...]  # what is compared; one without a name if nothing is
    seeds: int
    measures: tuple[str, ...]
    target: float | None
    cells: tuple[Cell, ...]
    findings: tuple[Finding, ...]

    def series(self, cell: Cell) -> Series:
        """The runs of a cell; cells that differ in nothing that is read have the same."""
        chosen = cell.chosen
        return Series(
            experiment=self.name,
            game_label=chosen.game_label,
            learner_label=chosen.learner_label,
            settings={},
            game=chosen.game,
            game_spec=chosen.game_spec,
            parameters=chosen.parameters,
            episodes=(chosen.episodes,),
            seeds=self.seeds,
            record=0,
        )

    @cached_property
    def distinct(self) -> dict[str, Series]:
        """Every series once, by the name that `key` gives it."""
        found: dict[str, Series] = {}
        for cell in self.cells:
            series = self.series(cell)
            found.setdefault(key(series), series)
        return found

    @cached_property
    def seconds(self) -> dict[str, float]:
        """Estimated training time of one run of each series."""
        return {
            name: training_seconds(series.game, series.parameters, series.episodes[0])
            for name, series in self.distinct.items()
        }

    def lots(self) -> list[Lot]:
        """Series that one job evaluates: short ones of one K together, long ones each alone.

        Which of the short ones go together is told by their names, so that a cell that is added
        later leaves the jobs of nearly all others as they are.
        """
        pools: dict[str, list[str]] = defaultdict(list)
        for name, series in self.distinct.items():
            pool = f"{series.parameters.algorithm}-K{series.episodes[0]}"
            alone = self.seconds[name] * self.seeds >= JOB_SECONDS
            pools[f"{pool}-{_digest(name):08x}" if alone else pool].append(name)
        return [lot for pool, names in pools.items() for lot in self._cut(pool, names)]

    def _cut(self, pool: str, names: list[str]) -> list[Lot]:
        """A pool as lots of about `JOB_SECONDS`; a power of two of them, which changes seldom."""
        total = sum(self.seconds[name] for name in names) * self.seeds
        bits = int(total / JOB_SECONDS).bit_length() if len(names) > 1 else 0
        parts: dict[int, list[str]] = defaultdict(list)
        for name in names:
            parts[_digest(name) >> (32 - bits)].append(name)
        return [
            Lot(
                f"{pool}-{part + 1}of{1 << bits}" if bits else pool,
                tuple(({"series": name}, self.distinct[name]) for name in parts[part]),
            )
            for part in sorted(parts)
        ]

    def batches(self) -> list[Batch]:
        """The training jobs: one for each lot, or several for a lot of many seconds."""
        return [batch for lot in self.lots() for batch in self._batches(lot)]

    def _batches(self, lot: Lot) -> list[Batch]:
        items = tuple(_item(series, 1, self.seeds) for _, series in lot.members)
        if len(items) > 1:
            title = f"{len(items)} cells, K = {items[0].episodes:,}"
            return [Batch(f"{lot.name}/all", title, items)]
        ((labels, series),) = lot.members
        each = max(1, int(JOB_SECONDS / self.seconds[labels["series"]]))
        return [
            Batch(f"{lot.name}/{first}-{last}", _title(series, first, last), (item,))
            for first in range(1, self.seeds + 1, each)
            for last in [min(first + each - 1, self.seeds)]
            for item in [_item(series, first, last)]
        ]

    def outlook(self) -> str:
        """What is ahead, for people."""
        runs = len(self.distinct) * self.seeds
        episodes = sum(series.episodes[0] for series in self.distinct.values()) * self.seeds
        seconds = sum(self.seconds.values()) * self.seeds
        return (
            f"sweep {self.name}: {len(self.cells)} cells × {self.seeds} seeds, {runs:,} different "
            f"runs with {episodes:.3g} episodes in all; training takes about {spoken(seconds)} of "
            f"one core, less what is there already"
        )


def key(series: Series) -> str:
    """What a series of a sweep is, in one text."""
    return f"{series.place}/K{series.episodes[0]}"


def _item(series: Series, first: int, last: int) -> Item:
    return Item(series, series.episodes[0], tuple(range(first, last + 1)), record=0)


def _title(series: Series, first: int, last: int) -> str:
    what = f"{series.learner_label} on {series.game_label}, K = {series.episodes[0]:,}"
    return f"{what}, seed {first}" if first == last else f"{what}, seeds {first} to {last}"


def _digest(name: str) -> int:
    return int(hashlib.sha256(name.encode()).hexdigest()[:8], 16)
