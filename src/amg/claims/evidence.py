"""A verdict: one of four words, the number it rests on, and the reason in a sentence.

---
Look up numbers in the study's tables: the evidence for the rules and for the findings.

A look-up that finds nothing raises `NotTestable`. A claim is then "not testable", and a finding is
left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import pandas as pd

from amg.base import text

Word = Literal["reproduced", "reproduced with a caveat", "not reproduced", "not testable"]
VERDICTS: tuple[Word, ...] = get_args(Word)
REPRODUCED, CAVEAT, NOT_REPRODUCED, NOT_TESTABLE = VERDICTS
SIGNS = dict(zip(VERDICTS, "✓≈✗?", strict=True))  # so that no reader needs to see colours
THRESHOLDS = (  # printed wherever verdicts are printed
    "The paper states no thresholds. Ours stand in config/claims.yaml; they were chosen after a "
    "first look at the study's tables, so a verdict that hangs on one of them is no preregistered "
    "test."
)


@dataclass(frozen=True)
class Verdict:
    """The result of a rule. There is a caveat if and only if the verdict is `CAVEAT`."""

    verdict: Word
    why: str  # one sentence with the numbers behind the verdict
    number: str = "—"  # with its unit
    interval: str | None = None
    seeds: int | None = None
    caveat: str | None = None

    def __post_init__(self) -> None:
        assert self.verdict in VERDICTS, self.verdict
        assert (self.caveat is not None) == (self.verdict == CAVEAT), self


@dataclass(frozen=True)
class Measurement:
    """The measured number of a verdict, before it is judged."""

    number: str
    interval: str | None = None
    seeds: int | None = None

    def reproduced(self, why: str, caveat: str | None = None) -> Verdict:
        """Return the verdict "reproduced", with the caveat if there is one."""
        verdict = REPRODUCED if caveat is None else CAVEAT
        return Verdict(verdict, why, self.number, self.interval, self.seeds, caveat)

    def not_reproduced(self, why: str) -> Verdict:
        """Return the verdict "not reproduced"."""
        return Verdict(NOT_REPRODUCED, why, self.number, self.interval, self.seeds)

    def not_testable(self, why: str) -> Verdict:
        """Return the verdict "not testable"."""
        return Verdict(NOT_TESTABLE, why, self.number, self.interval, self.seeds)


# ===== claims/evidence

Tables = Mapping[str, pd.DataFrame]


class NotTestable(Exception):
    """The tables lack what a rule or a finding needs; the message says what."""


class Coverage(NamedTuple):
    """In how many runs both bounds of the confidence lemma hold at every node."""

    table: pd.DataFrame
    holding: int
    runs: int

    def __str__(self) -> str:
        """Return "12 of 20 runs"."""
        return f"{text.number(self.holding)} of {text.number(self.runs)} runs"


@dataclass(frozen=True)
class Evidence:
    """The tables of a study, by name."""

    tables: Tables

    def rows(self, table: str, **where: object) -> pd.DataFrame:
        """Return the rows of a table with these values in these columns, at least one."""
        if table not in self.tables or self.tables[table].empty:
            raise NotTestable(f"this study has no table {table}, or an empty one")
        matching = self.tables[table]
        for column, value in where.items():
            if column not in matching:
                raise NotTestable(f"table {table} has no column {column}")
            matching = matching[matching[column] == value]
            if matching.empty:
                raise NotTestable(f"table {table} has nothing for {column} = {value}")
        return matching

    def gap(self, game: str, learner: str, measure: str = "max_gap") -> pd.Series:
        """Return the row of the gap at the largest K."""
        return last(self.rows("gaps", game=game, learner=learner, measure=measure), "episodes")

    def reward(self, game: str, learner: str) -> pd.Series:
        """Return the row of the mean reward per agent over the last block of episodes."""
        return last(self.rows("returns", game=game, learner=learner, agent="average"), "episode")

    def slope(self, game: str, learner: str, measure: str = "max_gap") -> pd.Series:
        """Return the row of the fitted slope of log ε in log K."""
        return self.rows("slopes", game=game, learner=learner, measure=measure).iloc[0]

    def reference(self, game: str, name: str) -> float | None:
        """Return an exact reference value, averaged over agents, or None if it is not known."""
        try:
            matching = self.rows("references", game=game, reference=name, agent="average")
        except NotTestable:
            return None
        return float(matching["value"].iloc[0])

    def random_play_pays(self, game: str) -> tuple[float, float] | None:
        """Return what uniform play and every equilibrium pay, if uniform play pays more.

        Where that is so, reward does not measure learning.
        """
        uniform = self.reference(game, "uniform play")
        equilibrium = self.reference(game, "every CCE")
        if equilibrium is None or uniform is None or uniform <= equilibrium:
            return None
        return uniform, equilibrium

    def least_constant(self, learners: Iterable[str], measure: str) -> float:
        """Return the least constant with which the theorem's bound holds at every K."""
        names = list(learners)
        theory = self.rows("theory", measure=measure)
        theory = theory[theory["learner"].isin(names)]
        if theory.empty:
            raise NotTestable(f"table theory has nothing for {text.join_words(names)}")
        return float(theory["constant"].max())

    def coverage(self) -> Coverage:
        """Return the coverage of the confidence lemma over all games, learners and K."""
        table = self.rows("coverage")
        return Coverage(table, int(table["runs_holding"].sum()), int(table["runs"].sum()))


def last(frame: pd.DataFrame, column: str) -> pd.Series:
    """Return the row with the largest value in a column."""
    if column not in frame:
        raise NotTestable(f"the table has no column {column}")
    return frame.loc[frame[column].idxmax()]


def above(one: pd.Series, other: pd.Series) -> bool:
    """Return whether the whole interval of one row is above that of the other."""
    return bool(one["low"] > other["high"])


def interval(row: pd.Series, digits: int = 3) -> str:
    """Return [low, high] of a row."""
    return text.interval(row["low"], row["high"], digits)


def estimate(row: pd.Series, digits: int = 3) -> str:
    """Return mean [low, high] of a row."""
    return text.estimate(row["mean"], row["low"], row["high"], digits)


def seeds(*measured: pd.Series) -> int:
    """Return the smallest number of seeds behind these rows."""
    return min(int(row["seeds"]) for row in measured)
