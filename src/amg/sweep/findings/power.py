"""The power of an axis that a measure follows, fitted over its upper values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from amg.analysis.gaps import slope
from amg.sweep.findings.options import Options
from amg.sweep.findings.words import begin, on, part
from amg.sweep.measures import measure

if TYPE_CHECKING:
    from amg.sweep.table import Results


@dataclass(frozen=True)
class Power:
    axis: str
    measure: str
    theorem: float | None  # what the theorem has for it
    least: float  # values of the axis below it are left out
    where: dict[str, str]

    @classmethod
    def read(cls, options: Options) -> Power:
        options.fields(["axis", "measure"], ["theorem", "from", "where"])
        given = options.given
        return cls(
            options.axis("axis"),
            options.measure("measure"),
            options.number("theorem") if "theorem" in given else None,
            options.number("from") if "from" in given else 0.0,
            options.where(),
        )

    def sentence(self, results: Results, table: pd.DataFrame) -> str:
        said = [self._fit(results, variant) for variant in results.sweep.variants]
        theorem = f"; the theorem's is {self.theorem:g}" if self.theorem is not None else ""
        title = begin(measure(self.measure).title)
        return (
            f"**{title} as a power of {self.axis}{part(self.where)}**: {'; '.join(said)}{theorem}."
        )

    def _fit(self, results: Results, variant: str) -> str:
        rows = results.where(variant=variant, **self.where)
        x, means, resampled = [], [], []
        for shift, (text, group) in enumerate(rows.groupby(self.axis, sort=False)):
            estimate = results.estimate(group, self.measure, shift)
            if estimate is not None and float(str(text)) >= self.least:
                x.append(float(str(text)))
                means.append(estimate.mean)
                resampled.append(estimate.resampled)
        good = [j for j, mean in enumerate(means) if x[j] > 0 and 0 < mean < np.inf]
        if len(good) < 2:
            return f"{on(variant)}no exponent can be fitted"
        at = np.log(np.array(x)[good])
        values = np.stack(resampled)[good]
        with np.errstate(divide="ignore", invalid="ignore"):
            slopes = slope(at, np.log(values))
        low, high = results.bootstrap.interval(slopes[np.isfinite(slopes)])
        fitted = float(slope(at, np.log(np.array(means)[good])))
        lost = "" if len(good) == len(means) else f", {len(means) - len(good)} values left out"
        return (
            f"{on(variant)}{fitted:.2f} [{low:.2f}, {high:.2f}] from {np.exp(at.min()):.6g} to "
            f"{np.exp(at.max()):.6g}{lost}"
        )
