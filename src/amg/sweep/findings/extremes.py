"""Where a measure is least and where it is most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from amg.sweep.findings.options import Options
from amg.sweep.findings.words import begin, cell, interval, on, part, rows_of
from amg.sweep.measures import measure

if TYPE_CHECKING:
    from amg.sweep.table import Results


@dataclass(frozen=True)
class Extremes:
    measure: str
    where: dict[str, str]

    @classmethod
    def read(cls, options: Options) -> Extremes:
        options.fields(["measure"], ["where"])
        return cls(options.measure("measure"), options.where())

    def sentence(self, results: Results, table: pd.DataFrame) -> str:
        rows = rows_of(table, self.measure, self.where)
        rows = rows[np.isfinite(rows["mean"])]
        free = [axis for axis in results.axes if axis not in self.where]
        said = []
        for variant, group in rows.groupby("variant", sort=False):
            said.append(f"{on(str(variant))}{_span(group, free)}")
        return f"**{begin(measure(self.measure).title)}{part(self.where)}**: {'; '.join(said)}."


def _span(rows: pd.DataFrame, free: list[str]) -> str:
    least, most = rows.loc[rows["mean"].idxmin()], rows.loc[rows["mean"].idxmax()]
    if least["mean"] == most["mean"]:
        return interval(least)
    return f"from {interval(least)} ({cell(least, free)}) to {interval(most)} ({cell(most, free)})"
