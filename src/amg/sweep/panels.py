"""What the figure of a sweep shows: the shape of the sweep decides the panels.

The longest axis of a measure is x, and the next one has colours. If there is no next one, the
variants have colours. Variants and other axes have panels, as long as panels are few. Values of the
remaining axes are beside each other in a panel. If a finding compares a measure of three axes or
more `against` one value, the measure is drawn relative to it.
"""

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from amg.base.text import FEWEST_SEEDS, join_words
from amg.sweep.findings import MEASURED, Against
from amg.sweep.grid import Axis, Point, Sweep
from amg.sweep.names import place_title
from amg.sweep.table import COLUMNS, GAP, axes_of, axis_name, beside, part

FEW, MOST = 9, 24  # panels that are enough, and the most of a figure
APART = ("clearly larger", "no clear difference", "clearly smaller")  # than at the base
VERDICT = ""  # the axis of these three; axes of a sweep have names
LOG = {"value": "log"}


@dataclass(frozen=True)
class Panel:
    """One measure, for one value of each axis that is neither x, colour nor merged."""

    measure: str
    facet: str  # what tells it from other panels of the measure
    x: Axis
    colour: Axis
    merged: tuple[Axis, ...]
    rows: pd.DataFrame
    scale: Mapping[str, Any]  # of the measure, as matplotlib takes it
    base: str = ""  # what means are relative to: coefficient = fixed

    @property
    def title(self) -> str:
        """What is measured."""
        title = COLUMNS[self.measure].title
        return f"{title} relative to {self.base}" if self.base else title

    @property
    def upright(self) -> bool:
        """Whether x goes from left to right. Words have a row each, so that long ones fit."""
        return self.x.numbers is not None

    @property
    def comparable(self) -> bool:
        """Whether the measure has the same unit in all panels."""
        return bool(self.base) or self.measure == GAP or COLUMNS[self.measure].share

    @property
    def settings(self) -> list[dict[str, str]]:
        """All combinations of the values of merged axes."""
        names = [axis.name for axis in self.merged]
        values = itertools.product(*(axis.texts for axis in self.merged))
        return [dict(zip(names, texts, strict=True)) for texts in values]


def panels(sweep: Sweep, table: pd.DataFrame) -> list[Panel]:
    """Return the panels; measures are in the order in which findings speak of them."""
    named = [getattr(one, key) for one in sweep.findings for key in MEASURED if hasattr(one, key)]
    every = list[Panel]()
    there = [name for name in sweep.measures if name in set(table["measure"])]
    for name in sorted(there or sweep.measures, key=[*named, *sweep.measures].index):
        every += _panels_of(sweep, table, name, FEW - len(every))
    return every


def _panels_of(sweep: Sweep, table: pd.DataFrame, name: str, few: int) -> Iterator[Panel]:
    """Yield the panels of a measure, a few if that can be; variants are beside each other."""
    variants, axes, base = _axis("variant", sweep.variants), axes_of(sweep, name), ""
    rows = table[table["measure"] == name].drop(columns=["measure", "level"])
    scale = _scale(rows["mean"], COLUMNS[name].positive)
    x, colour = [*sorted(axes, key=lambda axis: -len(axis.points)), variants, variants][:2]
    against = [f for f in sweep.findings if isinstance(f, Against) and f.measure == name]
    if len(axes) > 2 and against and len(ratios := _ratios(rows, against[0])):
        x = next(axis for axis in axes if axis.name == against[0].axis)
        x = _axis(x.name, [text for text in x.texts if text != against[0].value])
        counts = {
            text: f"{text}: {sum(ratios[VERDICT] == text)} of {len(ratios)}" for text in APART
        }
        colour, rows = _axis(VERDICT, counts.values()), ratios.replace({VERDICT: counts})
        scale = _scale(rows["mean"], positive=True, decade=1)
        base = f"{axis_name(x.name)} = {against[0].value}"
    facets, merged = list[Axis](), list[Axis]()
    for axis in (variants, *axes):
        if axis.name not in (x.name, colour.name):
            count = math.prod(len(one.points) for one in (*facets, axis))
            (facets if axis is variants or count <= few else merged).append(axis)
    ordered = sorted(facets, key=lambda axis: axis is variants)
    for values in itertools.product(*(axis.texts for axis in ordered)):
        at = dict(zip((axis.name for axis in ordered), values, strict=True))
        facet = ", ".join(filter(None, (place_title(axis, at[axis.name]) for axis in facets)))
        yield Panel(name, facet, x, colour, tuple(merged), part(rows, at), scale, base)


def _axis(name: str, texts: Iterable[str]) -> Axis:
    return Axis(name, tuple(Point(text, {}) for text in texts))


def _ratios(rows: pd.DataFrame, against: Against) -> pd.DataFrame:
    """Return other rows relative to those of one value, if these are positive; else none."""
    base = rows[against.axis] == against.value
    pairs = beside(rows[~base], rows[base], against.axis)
    larger, smaller = pairs["low"] > pairs["high_base"], pairs["high"] < pairs["low_base"]
    apart = np.select([larger, smaller], [APART[0], APART[2]], APART[1])
    apart[pairs["seeds"] < FEWEST_SEEDS] = APART[1]  # ranges of few seeds tell nothing
    ratios = {column: pairs[column] / pairs["mean_base"] for column in ("mean", "low", "high")}
    return pairs.assign(**{VERDICT: apart}, **ratios)[
        : len(pairs) * bool((pairs["mean_base"] > 0).all())
    ]


def _scale(means: pd.Series, positive: bool, decade: float = 10) -> Mapping[str, Any]:
    """Return a logarithmic scale for positive means that span decades, linear around a zero."""
    means = means[np.isfinite(means)]
    above = means[means > 0]
    zero = len(above) < len(means)
    span = above.max() / above.min() if len(above) else 1.0
    if not positive or span < (100 if zero else decade):
        return {"value": "linear"}
    return {"value": "symlog", "linthresh": above.min(), "linscale": 0.5} if zero else LOG


def notes(every: list[Panel]) -> list[str]:
    """Return sentences for the caption about what the figure does not say itself."""
    found = dict.fromkeys(
        f"The figure gives the {panel.title}, everything else being equal; clearly means that the "
        f"two intervals do not overlap."
        for panel in every if panel.base
    )  # fmt: skip
    for panel in every:
        if panel.merged:
            names = join_words(axis_name(axis.name) for axis in panel.merged)
            what = COLUMNS[panel.measure].title
            found[f"Values of {names} are beside each other in the panels of {what}."] = None
    if len(every) > MOST:
        found[f"The figure shows {MOST} of {len(every)} panels; the table has all cells."] = None
    return list(found)
