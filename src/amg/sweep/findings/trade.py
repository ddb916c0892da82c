"""Whether two measures agree on which cells are good."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from amg.sweep.findings.options import Options
from amg.sweep.findings.words import begin, cell, number, on, part, rows_of
from amg.sweep.measures import measure

if TYPE_CHECKING:
    from amg.sweep.table import Results


ROUNDING = 1e-12  # relative


@dataclass(frozen=True)
class Trade:
    most: str  # a measure that should be large
    least: str  # one that should be small
    where: dict[str, str]

    @classmethod
    def read(cls, options: Options) -> Trade:
        options.fields(["most", "least"], ["where"])
        return cls(options.measure("most"), options.measure("least"), options.where())

    def sentence(self, results: Results, table: pd.DataFrame) -> str:
        said = [self._compare(results, table, variant) for variant in results.sweep.variants]
        most, least = measure(self.most).title, measure(self.least).title
        return f"**{begin(most)} against {least}{part(self.where)}**: {'; '.join(said)}."

    def _compare(self, results: Results, table: pd.DataFrame, variant: str) -> str:
        axes = ["variant", *results.axes]
        where = {"variant": variant, **self.where}
        first, second = (rows_of(table, name, where) for name in (self.most, self.least))
        both = first.merge(second, on=axes, suffixes=("", "_least"))
        top, bottom = both.loc[both["mean"].idxmax()], both.loc[both["mean_least"].idxmin()]
        if both["mean"].max() - both["mean"].min() <= ROUNDING * both["mean"].abs().max():
            return (
                f"{on(variant)}{measure(self.most).title} is {number(top['mean'])} in all "
                f"{len(both)} cells and tells nothing"
            )
        ranks = both[["mean", "mean_least"]].rank()
        free = [axis for axis in results.axes if axis not in self.where]
        one, other = measure(self.most).title, measure(self.least).title
        return (
            f"{on(variant)}the most {one} is {number(top['mean'])} ({cell(top, free)}) and has "
            f"{other} {number(top['mean_least'])}, the least {other} is "
            f"{number(bottom['mean_least'])} ({cell(bottom, free)}) and has {one} "
            f"{number(bottom['mean'])}{_correlation(ranks)}"
        )


def _correlation(ranks: pd.DataFrame) -> str:
    """Of two measures; nothing is said where one of them is the same everywhere."""
    if (ranks.nunique() < 2).any():
        return ""
    rank = ranks["mean"].corr(ranks["mean_least"])
    return f"; the rank correlation of the two over {len(ranks)} cells is {rank:+.2f}"
