"""From which value of an axis on a measure keeps a level, and what other measures are there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from amg.sweep.findings.options import Options
from amg.sweep.findings.words import number, on, part, percent, ratios, rows_of
from amg.sweep.measures import measure

if TYPE_CHECKING:
    from amg.sweep.table import Results


@dataclass(frozen=True)
class Least:
    axis: str
    measure: str
    level: float
    then: tuple[str, ...]  # measures to compare there with the axis' last value
    where: dict[str, str]

    @classmethod
    def read(cls, options: Options) -> Least:
        options.fields(["axis", "measure", "level"], ["then", "where"])
        then = options.measure_list("then") if "then" in options.given else ()
        return cls(options.axis("axis"), options.measure("measure"), options.number("level"),
                   then, options.where())  # fmt: skip

    def sentence(self, results: Results, table: pd.DataFrame) -> str:
        said = [self._find(results, table, variant) for variant in results.sweep.variants]
        title = measure(self.measure).title
        return (
            f"**Least {self.axis} with {title} ≥ {self.level:g}{part(self.where)}**, there and at "
            f"every larger value: {'; '.join(said)}."
        )

    def _find(self, results: Results, table: pd.DataFrame, variant: str) -> str:
        part_of_it = {"variant": variant, **self.where}
        rows = rows_of(table, self.measure, part_of_it)
        worst = rows.groupby(self.axis, sort=False)["mean"].min()  # over all other axes
        texts = sorted(worst.index, key=float)
        kept = len(texts)
        while kept and worst[texts[kept - 1]] >= self.level:
            kept -= 1
        if kept == len(texts):
            return f"{on(variant)}none up to {texts[-1]}"
        found, last = texts[kept], texts[-1]
        below = f" ({number(float(worst[texts[kept - 1]]))} at {texts[kept - 1]})" if kept else ""
        there = "".join(
            self._there(results.axes, rows_of(table, name, part_of_it), name, found, last)
            for name in self.then
        )
        return f"{on(variant)}{found}{below}{there}"

    def _there(self, axes: list[str], rows: pd.DataFrame, name: str, found: str, last: str) -> str:
        """How another measure changes from the axis' last value to the one that is found."""
        others = ["variant", *(axis for axis in axes if axis != self.axis)]
        pairs = rows[rows[self.axis] == found].merge(
            rows[rows[self.axis] == last], on=others, suffixes=("", "_last")
        )
        ratio = ratios(pairs["mean"], pairs["mean_last"])
        if ratio.empty:
            return f", {measure(name).title} not positive for {self.axis} = {last}"
        low, high = percent(float(ratio.min())), percent(float(ratio.max()))
        span = low if low == high else f"{low} to {high}"
        return f", {measure(name).title} {span} against {self.axis} = {last}"
