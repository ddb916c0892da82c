"""How all other values of an axis fare against one of them, everything else being equal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from amg.sweep.findings.options import Options
from amg.sweep.findings.words import begin, cell, interval, on, part, percent, ratios, rows_of
from amg.sweep.measures import measure

if TYPE_CHECKING:
    from amg.sweep.table import Results


@dataclass(frozen=True)
class Against:
    axis: str
    value: str
    measure: str
    where: dict[str, str]

    @classmethod
    def read(cls, options: Options) -> Against:
        options.fields(["axis", "value", "measure"], ["where"])
        axis = options.axis("axis")
        value, measured = options.value("value", axis), options.measure("measure")
        return cls(axis, value, measured, options.where())

    def sentence(self, results: Results, table: pd.DataFrame) -> str:
        rows = rows_of(table, self.measure, self.where)
        said = [self._compare(str(variant), group, results.axes)
                for variant, group in rows.groupby("variant", sort=False)]  # fmt: skip
        level = f"{table['level'].iloc[0]:.0%}"
        title = begin(measure(self.measure).title)
        return (
            f"**{title} against {self.axis} = {self.value}{part(self.where)}**, everything else "
            f"equal: {'; '.join(said)}. Clearly means that the two {level} intervals do not "
            f"overlap; nothing is corrected for the number of comparisons."
        )

    def _compare(self, variant: str, rows: pd.DataFrame, axes: list[str]) -> str:
        others = ["variant", *(axis for axis in axes if axis != self.axis)]
        base = rows[rows[self.axis] == self.value]
        pairs = rows[rows[self.axis] != self.value].merge(base, on=others, suffixes=("", "_base"))
        ratio = ratios(pairs["mean"], pairs["mean_base"])
        better = int((pairs["high"] < pairs["low_base"]).sum())
        worse = int((pairs["low"] > pairs["high_base"]).sum())
        counts = (
            f"{on(variant)}{better} of {len(pairs)} settings are clearly below, {worse} clearly "
            f"above"
        )
        if ratio.empty:
            return f"{counts}; no ratio can be given"
        best = pairs.loc[ratio.idxmin()]
        free = [axis for axis in axes if axis not in self.where]
        return (
            f"{counts}; the median is {percent(float(ratio.median()))}, the lowest "
            f"{percent(float(ratio.min()))} ({interval(best)}, {cell(best, free)}), the highest "
            f"{percent(float(ratio.max()))}"
        )
