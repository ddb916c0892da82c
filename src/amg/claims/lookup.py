"""Looking things up in tables; what is not there makes a claim not testable, and nothing worse."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from amg.claims.verdict import NotTestable

Tables = Mapping[str, pd.DataFrame]


def rows(tables: Tables, table: str, **where: object) -> pd.DataFrame:
    """The rows with these values in these columns, at least one."""
    if table not in tables or tables[table].empty:
        raise NotTestable(f"this study has no table {table}, or an empty one")
    found = tables[table]
    for column, value in where.items():
        if column not in found:
            raise NotTestable(f"table {table} has no column {column}")
        found = found[found[column] == value]
        if found.empty:
            raise NotTestable(f"table {table} has nothing for {column} = {value}")
    return found


def last(found: pd.DataFrame, column: str) -> pd.Series:
    """The row with the largest value of a column."""
    if column not in found:
        raise NotTestable(f"the table has no column {column}")
    return found.loc[found[column].idxmax()]


def gap(tables: Tables, game: str, learner: str, measure: str = "max_gap") -> pd.Series:
    """The gap at the largest K."""
    return last(rows(tables, "gaps", game=game, learner=learner, measure=measure), "episodes")


def reward(tables: Tables, game: str, learner: str, agent: str = "average") -> pd.Series:
    """The mean reward per agent over the last block of episodes."""
    return last(rows(tables, "returns", game=game, learner=learner, agent=agent), "episode")


def reference(tables: Tables, game: str, name: str) -> float | None:
    """An exact reference value, the average over agents; None where it is not known."""
    try:
        found = rows(tables, "references", game=game, reference=name, agent="average")
    except NotTestable:
        return None
    return float(found["value"].iloc[0])


def above(one: pd.Series, other: pd.Series) -> bool:
    """Is the whole interval of the one above that of the other?"""
    return bool(one["low"] > other["high"])
