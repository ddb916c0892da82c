"""What a rule works with: the evidence in the study's tables, and the verdict that it returns.

A verdict is one of four words, the number it rests on, and the reason in a sentence. A look-up that
finds nothing raises `NotTestable`. A claim is then "not testable", and a finding is left out.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, Self, get_args

import numpy as np
import pandas as pd
from pydantic import Field

from amg.base import text
from amg.inputs.models import Model, Text

Names = Annotated[list[Text], Field(min_length=1)]  # of games or learners: a threshold of a rule
By = Literal["reward", "value", "gap"]  # while learning; of the learned policy, and its gap

Word = Literal["reproduced", "reproduced with a caveat", "not reproduced", "not testable"]
VERDICTS: tuple[Word, ...] = get_args(Word)
REPRODUCED, CAVEAT, NOT_REPRODUCED, NOT_TESTABLE = VERDICTS
SIGNS = dict(zip(VERDICTS, "✓≈✗?", strict=True))  # so that no reader needs to see colours
Tables = Mapping[str, pd.DataFrame]
GAPS = ("max_gap", "max_gap_low", "max_informed_gap")


class Verdict(Model, strict=True):
    """What a rule returns. It begins with what was measured, then calls one of the methods."""

    verdict: Word = NOT_TESTABLE
    caveat: str | None = None  # only if the verdict is `CAVEAT`
    why: str = ""  # a sentence with the numbers behind the verdict
    number: str = "—"  # with its unit
    interval: str | None = None
    seeds: int | None = None
    effect: float | None = None  # what the verdict turns on, as one number; claims.yaml names it
    turns_at: tuple[float, ...] = ()  # the effects at which the verdict changes

    @property
    def result(self) -> str:
        """The number and its interval."""
        return f"{self.number} {self.interval or ''}".rstrip()

    def turning(self, effect: float, *turns_at: float) -> Self:
        """Return the verdict with the number that it turns on, if finite, and where it turns."""
        known = float(effect) if math.isfinite(effect) else None
        return self.model_copy(update={"effect": known, "turns_at": turns_at})

    def reproduced(self, why: str, caveat: str | None = None) -> Self:
        """Return the verdict "reproduced", with the caveat if there is one."""
        verdict = CAVEAT if caveat else REPRODUCED
        return self.model_copy(update={"verdict": verdict, "why": why, "caveat": caveat})

    def not_reproduced(self, why: str) -> Self:
        """Return the verdict "not reproduced"."""
        return self.model_copy(update={"verdict": NOT_REPRODUCED, "why": why})


class NotTestable(Exception):
    """The tables lack what a rule or a finding needs; the message says what."""


@dataclass(frozen=True)
class Evidence:
    """The tables of a study, by name.

    Rewards and gaps are those at the largest K, or at the largest one up to `shown`. Rates and
    bounds are judged over all K.
    """

    tables: Tables
    shown: float = math.inf

    def rows(self, table: str, **where: object) -> pd.DataFrame:
        """Return the rows of a table with these values in these columns, at least one."""
        if table not in self.tables or self.tables[table].empty:
            raise NotTestable(f"this study has no table {table}, or an empty one")
        frame = self.tables[table]
        matching = np.ones(len(frame), dtype=bool)
        for column, value in where.items():
            matching &= frame[column].to_numpy() == value
            if not matching.any():
                raise NotTestable(f"table {table} has nothing for {column} = {value}")
        return frame[matching]

    def last(self, table: str, column: str, **where: object) -> pd.Series:
        """Return the matching row with the largest value in a column."""
        rows = self.rows(table, **where).dropna(subset=[column])
        if rows.empty:
            raise NotTestable(f"table {table} has no {column} for {where}")
        return rows.loc[rows[column].idxmax()]

    def gap(
        self, game: str, learner: str, measure: str = "max_gap", table: str = "gaps"
    ) -> pd.Series:
        """Return the row of the gap, or another measure, at the largest K.

        A gap below 0 counts as 0: the policy is a CCE, and none is more of one than another.
        """
        rows = self.rows(table, game=game, learner=learner, measure=measure)
        row = self._at_largest(rows).iloc[0].copy()
        for end in ("mean", "low", "high") if measure in GAPS else ():
            row[end] = max(row[end], 0.0)  # NaN, an end that is not known, stays
        return row

    def returns(self, game: str, learner: str) -> pd.DataFrame:
        """Return the rewards over the episodes of the runs of the largest K."""
        return self._at_largest(self.rows("returns", game=game, learner=learner))

    def rewards(self, game: str, learner: str) -> pd.DataFrame:
        """Return the rewards over the last tenth of the episodes, of each agent and on average."""
        return self._at_largest(self.rows("late_returns", game=game, learner=learner))

    def reward(self, game: str, learner: str) -> pd.Series:
        """Return the row of the mean reward per agent over the last tenth of the episodes."""
        rows = self.rewards(game, learner)
        return rows[rows["agent"] == "average"].iloc[0]

    def compared(self, game: str, learner: str, by: By) -> pd.Series:
        """Return the row of the reward while learning, the value of the policy, or its gap."""
        if by == "reward":
            return self.reward(game, learner)
        return self.gap(game, learner, {"value": "mean_value", "gap": "max_gap"}[by])

    def _at_largest(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return the rows of the largest K, of those up to `shown`."""
        known = rows[rows["episodes"] <= self.shown]
        if known.empty:
            raise NotTestable(f"there are no runs with K up to {text.number(self.shown)}")
        return known[known["episodes"] == known["episodes"].max()]

    def local_slopes(self, game: str, learner: str, measure: str, first: float = 0) -> pd.DataFrame:
        """Return the slope of log ε in log K in each window that begins at K = `first` or later."""
        rows = self.rows("local_slopes", game=game, learner=learner, measure=measure)
        if rows["from"].max() < first:
            raise NotTestable(f"no window of K on {game} begins at {text.number(first)} or later")
        return rows[rows["from"] >= first]

    def slopes(self, games: Iterable[str], learner: str, measure: str) -> pd.DataFrame:
        """Return the fitted slope of log ε in log K of each game; the index is the game."""
        rows = [self.rows("slopes", game=g, learner=learner, measure=measure)[:1] for g in games]
        return pd.concat(rows).set_index("game")

    def reference(self, game: str, name: str) -> float:
        """Return an exact reference value, averaged over agents."""
        rows = self.rows("references", game=game, reference=name, agent="average")
        return float(rows["value"].iloc[0])

    def random_play_pays(self, game: str) -> tuple[float, float]:
        """Return what uniform play and every equilibrium pay, if uniform play pays more.

        Where that is so, reward does not measure learning.
        """
        uniform, equilibrium = (self.reference(game, x) for x in ("uniform play", "every CCE"))
        if uniform <= equilibrium:
            raise NotTestable("uniform play pays no more than every equilibrium")
        return uniform, equilibrium

    def least_constant(self, learners: Sequence[str], measure: str) -> float:
        """Return the least constant with which the theorem's bound holds at every K."""
        theory = self.rows("theory", measure=measure)
        theory = theory[theory["learner"].isin(learners)]
        if theory.empty:
            raise NotTestable(f"table theory has nothing for {text.join_words(learners)}")
        return float(theory["constant"].max())

    def coverage(self, table: str = "coverage") -> tuple[int, int, str]:
        """Return in how many runs the lemma holds, of how many that test it, and as text."""
        rows = self.rows(table)
        holding, runs = int(rows["runs_holding"].sum()), int(rows["runs_tested"].sum())
        return holding, runs, f"{text.number(holding)} of {text.number(runs)} runs"


def ends(row: pd.Series) -> tuple[float, float]:
    """Return the ends of an interval, without which nothing can be judged."""
    if pd.isna(row["low"]) or pd.isna(row["high"]):
        raise NotTestable(f"fewer than {text.FEWEST_SEEDS} seeds have no interval")
    return float(row["low"]), float(row["high"])


def above(one: pd.Series, other: pd.Series) -> bool:
    """Return whether the whole interval of one row is above that of the other."""
    return ends(one)[0] > ends(other)[1]


def interval(row: pd.Series, digits: int = 3) -> str:
    """Return [low, high] of a row; nothing if it has no interval."""
    return text.interval(row["low"], row["high"], digits)


def estimate(row: pd.Series, digits: int = 3) -> str:
    """Return mean [low, high] of a row."""
    return text.estimate(row["mean"], row["low"], row["high"], digits)


def measured(what: str, *rows: pd.Series, digits: int = 3) -> Verdict:
    """Return what was measured, with the intervals of these rows, before it is judged."""
    intervals = text.join_words(filter(None, (interval(row, digits) for row in rows)))
    return Verdict(number=what, interval=intervals or None, seeds=seeds(*rows))


def seeds(*rows: pd.Series) -> int:
    """Return the smallest number of seeds behind these rows."""
    return min(int(row["seeds"]) for row in rows)
