"""What a sweep shows, in sentences whose numbers are all computed.

A sweep file lists findings by kind, each with options. A new kind is a subclass of `Finding` and an
entry of `FindingEntry`.
"""

import math
from collections.abc import Iterable, Mapping
from typing import ClassVar

import numpy as np
import pandas as pd
from pydantic import Field

from amg.base.text import (
    capitalise,
    change,
    choices,
    estimate,
    fixed,
    fixed_estimate,
    join_words,
    number,
)
from amg.game.model import iota
from amg.inputs.document import Node
from amg.inputs.models import Model, Real, Text
from amg.learning.parameters import VLearning
from amg.sweep.grid import Axis
from amg.sweep.table import COLUMNS, EPISODES_TO, Results, axis_name, beside, part, value_of
from amg.tables.intervals import logs, slope

ROUNDING = 1e-12  # relative
MEASURED = ("measure", "most", "least")  # options that name a measure


class Finding(Model):
    """One thing to say about a sweep, for each of the things that are compared."""

    HEADING: ClassVar[str] = ""  # with the names of options in braces
    NOTE: ClassVar[str] = ""  # at the end, with {level} of the intervals
    NUMERIC: ClassVar[bool] = False  # the axis must be one of numbers
    where: dict[str, Text] = Field({}, description="The part to look at: values by axis")

    def heading(self) -> str:
        """Return what it is about."""
        titles = {key: COLUMNS[name].title for key, name in self if key in MEASURED}
        axis = {"axis": axis_name(getattr(self, "axis", ""))}
        return self.HEADING.format(**{**self.model_dump(), **titles, **axis})

    def describe(self, results: Results, table: pd.DataFrame, variant: str) -> str:
        """Return what there is to say about one of the things that are compared."""
        raise NotImplementedError

    def sentence(self, results: Results, table: pd.DataFrame) -> str:
        """Return the finding in Markdown."""
        texts = {v: self.describe(results, table, v) for v in results.sweep.variants}
        parts = [f"on `{variant}` {text}" if variant else text for variant, text in texts.items()]
        where = ", ".join(f"{axis_name(axis)} = {value}" for axis, value in self.where.items())
        heading = capitalise(self.heading()) + (where and f" at {where}")
        return (
            f"**{heading}**: {'; '.join(parts)}.{self.NOTE.format(level=results.intervals.level)}"
        )

    def check(self, node: Node, axes: Mapping[str, Axis], measures: Iterable[str]) -> None:
        """Refuse names that the sweep does not have."""
        for name, value in self.where.items():
            check_known(node.at("where", name), name, axes, "an axis")
            check_known(node.at("where", name), value, axes[name].texts, f"a value of {name}")
        if axis := getattr(self, "axis", ""):
            check_known(node.at("axis"), axis, axes, "an axis")
            if self.NUMERIC and axes[axis].numbers is None:
                node.at("axis").refuse(f"{axis} has values that are not numbers; name another axis")
            if value := getattr(self, "value", ""):
                check_known(node.at("value"), value, axes[axis].texts, f"a value of {axis}")
        for key in (*MEASURED, "then"):
            names = getattr(self, key, [])
            for name in [names] if isinstance(names, str) else names:
                check_known(node.at(key), name, measures, "a measure of this sweep")

    def rows(self, table: pd.DataFrame, name: str, variant: str) -> pd.DataFrame:
        """Return the rows of a measure in the part that is looked at."""
        return part(table, {"measure": name, "variant": variant, **self.where})

    def place(self, row: pd.Series, results: Results) -> str:
        """Return where a value is, on the axes that `where` leaves open."""
        axes = [axis for axis in results.axes if axis not in self.where]
        at = {axis_name(axis): row[axis] for axis in axes if isinstance(row[axis], str)}
        return ", ".join(f"{axis} = {value}" for axis, value in at.items())


class Extremes(Finding):
    """Where a measure is least and where it is most."""

    HEADING: ClassVar[str] = "{measure}"
    measure: Text = Field(description="The measure")

    def describe(self, results: Results, table: pd.DataFrame, variant: str) -> str:
        rows = self.rows(table, self.measure, variant)
        rows = rows[np.isfinite(rows["mean"])]
        if rows.empty:
            return "there is no value"
        least, most = rows.loc[rows["mean"].idxmin()], rows.loc[rows["mean"].idxmax()]
        if least["mean"] == most["mean"]:
            return _estimate(least)
        low, high = (f"{_estimate(r)} ({self.place(r, results)})" for r in (least, most))
        return f"from {low} to {high}"


class Against(Finding):
    """How the other values of an axis compare with one of them, everything else being equal."""

    HEADING: ClassVar[str] = "{measure} against {axis} = {value}"
    NOTE: ClassVar[str] = (
        " Everything else is equal. Clearly means that the two {level:.0%} intervals do not "
        "overlap; there is no correction for the number of comparisons."
    )
    axis: Text = Field(description="The axis")
    value: Text = Field(description="The value that the others are compared with")
    measure: Text = Field(description="The measure")

    def describe(self, results: Results, table: pd.DataFrame, variant: str) -> str:
        rows = self.rows(table, self.measure, variant)
        base = rows[self.axis] == self.value
        pairs = beside(rows[~base], rows[base], self.axis)
        lower = int((pairs["high"] < pairs["low_base"]).sum())
        higher = int((pairs["low"] > pairs["high_base"]).sum())
        counts = f"{lower} of {len(pairs)} settings are clearly below, {higher} clearly above"
        ratio = _ratios(pairs)
        if ratio.empty:
            return f"{counts}; no ratio can be given"
        best = pairs.loc[ratio.idxmin()]
        return (
            f"{counts}; the median is {change(ratio.median())}, the lowest {change(ratio.min())} "
            f"({_estimate(best)}, {self.place(best, results)}), the highest "
            f"{change(ratio.max())}"
        )


class Power(Finding):
    """The power of an axis that a measure follows, fitted over its upper values."""

    HEADING: ClassVar[str] = "{measure} as a power of {axis}"
    NUMERIC: ClassVar[bool] = True
    axis: Text = Field(description="The axis, of numbers")
    measure: Text = Field(description="The measure")
    theorem: Real | None = Field(None, description="The theorem's exponent")
    least_value: Real = Field(0.0, alias="from", description="Smaller values are left out")

    def heading(self) -> str:
        theorem = f" (the theorem's: {number(self.theorem)})" if self.theorem is not None else ""
        return super().heading() + theorem

    def describe(self, results: Results, table: pd.DataFrame, variant: str) -> str:
        rows = part(results.frame, {"variant": variant, **self.where})
        every = {
            str(text): results.log_mean(group, self.measure)
            for text, group in rows.groupby(self.axis, sort=False)
            if value_of(text) >= self.least_value
        }
        points = {text: one for text, one in every.items() if one is not None}
        used = {t: one for t, one in points.items() if value_of(t) > 0 and 0 < one.mean < np.inf}
        ordered = sorted(used, key=value_of)
        fit = results.intervals.exponent([value_of(t) for t in used], list(used.values()))
        if fit is None:
            return "no exponent can be fitted"
        left_out = len(points) - len(used)
        lost = f", without {left_out} values that are not positive" if left_out else ""
        span = f"from {ordered[0]} to {ordered[-1]}{lost}"
        return f"{fixed_estimate(fit['slope'], fit['low'], fit['high'])} {span}"


class Least(Finding):
    """From which value of an axis on a measure keeps a level, and what others are there."""

    HEADING: ClassVar[str] = "least {axis} from which on {measure} ≥ {level:g}"
    NUMERIC: ClassVar[bool] = True
    axis: Text = Field(description="The axis, of numbers")
    measure: Text = Field(description="The measure")
    level: Real = Field(description="The level to keep")
    then: list[Text] = Field([], description="Measures to compare there with the largest value")

    def describe(self, results: Results, table: pd.DataFrame, variant: str) -> str:
        rows = self.rows(table, self.measure, variant)
        worst = rows.groupby(self.axis, sort=False)["mean"].min()  # over all other axes
        texts = sorted(worst.index, key=value_of)
        j = len(texts)
        while j and worst[texts[j - 1]] >= self.level:
            j -= 1
        if j == len(texts):
            return f"none up to {texts[-1]}" if texts else "there is no value"
        below = f" ({number(worst[texts[j - 1]])} at {texts[j - 1]})" if j else ""
        others = [self._compare(self.rows(table, name, variant), name, texts[j], texts[-1])
                  for name in self.then]  # fmt: skip
        return ", ".join([f"{texts[j]}{below}", *others])

    def _compare(self, rows: pd.DataFrame, name: str, text: str, last: str) -> str:
        """Return how another measure changes from the axis' largest value to another value."""
        there, base = (part(rows, {self.axis: value}) for value in (text, last))
        ratio = _ratios(beside(there, base, self.axis))
        if ratio.empty:
            return f"{COLUMNS[name].title} has no ratio to {axis_name(self.axis)} = {last}"
        low, high = change(ratio.min()), change(ratio.max())
        span = low if low == high else f"{low} to {high}"
        return f"{COLUMNS[name].title} {span} against {axis_name(self.axis)} = {last}"


class Trade(Finding):
    """Whether two measures agree on which cells are good."""

    HEADING: ClassVar[str] = "{most} against {least}"
    most: Text = Field(description="A measure that should be large")
    least: Text = Field(description="A measure that should be small")

    def describe(self, results: Results, table: pd.DataFrame, variant: str) -> str:
        both = beside(*(self.rows(table, name, variant) for name in (self.most, self.least)))
        if both.empty:
            return "there is no value"
        top, bottom = both.loc[both["mean"].idxmax()], both.loc[both["mean_base"].idxmin()]
        one, other = COLUMNS[self.most].title, COLUMNS[self.least].title
        if both["mean"].max() - both["mean"].min() <= ROUNDING * both["mean"].abs().max():
            return f"{one} is {number(top['mean'])} in all {len(both)} cells and tells nothing"
        text = (
            f"the most {one} is {number(top['mean'])} ({self.place(top, results)}) with {other} "
            f"{number(top['mean_base'])}, the least {other} is {number(bottom['mean_base'])} "
            f"({self.place(bottom, results)}) with {one} {number(bottom['mean'])}"
        )
        if both["mean_base"].nunique() < 2:
            return text
        rank = both["mean"].rank().corr(both["mean_base"].rank())
        return f"{text}; the rank correlation of the two over {len(both)} cells is {fixed(rank)}"


class ManyAgents(Finding):
    """How the episodes to a fixed gap grow with the number of agents: the curse of multiagents."""

    HEADING: ClassVar[str] = "episodes to the target, by number of agents"
    NUMERIC: ClassVar[bool] = True
    measure: ClassVar[str] = EPISODES_TO  # which a sweep without a target does not have
    axis: Text = Field(description="The axis of the numbers of agents")

    def describe(self, results: Results, table: pd.DataFrame, variant: str) -> str:
        rows = self.rows(table, EPISODES_TO, variant)
        rows = rows.assign(N=rows[self.axis].map(value_of)).sort_values("N")
        reached = rows[np.isfinite(rows["mean"])]
        if len(reached) < 2:
            return f"reached for {len(reached)} of {len(rows)} numbers of agents"
        first, last = reached.iloc[0], reached.iloc[-1]
        power = float(slope(logs(reached["N"]), logs(reached["mean"])))
        missed = rows[~np.isfinite(rows["mean"])][self.axis]
        never = f", never for N = {join_words(missed)}" if len(missed) else ""
        return (
            f"{_estimate(first)} for N = {first[self.axis]} and {_estimate(last)} for N = "
            f"{last[self.axis]}, a factor of {number(last['mean'] / first['mean'])} (fitted power "
            f"of N: {fixed(power)}){never}{self._theory(results, variant, first, last)}"
        )

    def _theory(self, results: Results, variant: str, first: pd.Series, last: pd.Series) -> str:
        """Return how the theorem's log factor and a table of joint actions grow."""
        series = {c.at[self.axis]: c.series for c in results.sweep.cells if c.variant == variant}
        small, large = series[first[self.axis]], series[last[self.axis]]
        digits = (large.game.N - small.game.N) * math.log10(large.game.A_max)
        joint = f"a table of joint actions grows by 10^{digits:.0f}"
        if not isinstance(small.parameters, VLearning):
            return f"; {joint}"
        before, after = (iota(one.game, int(row["mean"]), small.parameters.p)
                         for one, row in ((small, first), (large, last)))  # fmt: skip
        return f"; the theorem's log factor grows by {fixed(after / before)}, {joint}"


class FindingEntry(Model):
    """One finding, by its kind."""

    extremes: Extremes | None = Field(None, description="Where a measure is least and most")
    against: Against | None = Field(None, description="Other values of an axis against one")
    power: Power | None = Field(None, description="The fitted exponent, beside the theorem's")
    least: Least | None = Field(None, description="From which value on a level is kept")
    trade: Trade | None = Field(None, description="Whether two measures agree")
    many_agents: ManyAgents | None = Field(None, description="Episodes to the target against N")

    @property
    def given(self) -> dict[str, Finding]:
        """The findings of this entry, by kind."""
        return {kind: finding for kind, finding in self if finding is not None}


def check_known(node: Node, name: str, known: Iterable[str], what: str) -> None:
    """Refuse a name that is not among the known ones."""
    if name not in known:
        node.refuse(f"{name!r} is not {what}; there are {choices(known)}")


def _estimate(row: pd.Series) -> str:
    return estimate(row["mean"], row["low"], row["high"])


def _ratios(pairs: pd.DataFrame) -> pd.Series:
    """Return means relative to those beside them, where these are positive."""
    base = pairs["mean_base"]
    return (pairs["mean"] / base.where(base > 0)).dropna()
