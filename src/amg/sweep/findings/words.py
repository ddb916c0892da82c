"""How findings speak of cells and numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd


def begin(text: str) -> str:
    """As a sentence begins; V and T stay what they are."""
    return text[:1].upper() + text[1:]


def number(value: float) -> str:
    """Three digits, and never more zeros than one can read."""
    if abs(value) >= 1000:
        return f"{value:,.0f}" if abs(value) < 1e7 else f"{value:.3g}"
    return f"{value:.3g}"


def interval(row: pd.Series) -> str:
    """mean [low, high]."""
    return f"{number(row['mean'])} [{number(row['low'])}, {number(row['high'])}]"


def cell(row: pd.Series, axes: Sequence[str]) -> str:
    """Where a value stands: axis = value, …"""
    return ", ".join(f"{axis} = {row[axis]}" for axis in axes if isinstance(row[axis], str))


def part(where: Mapping[str, str]) -> str:
    """The part of a sweep that is spoken of."""
    return "".join(f", {axis} = {text}" for axis, text in where.items()).replace(", ", " at ", 1)


def on(variant: str) -> str:
    return f"on `{variant}` " if variant else ""


def percent(ratio: float) -> str:
    """A ratio as a change; a large one as a factor."""
    return f"{ratio - 1:+.0%}" if ratio < 3 else f"× {ratio:.3g}"


def ratios(means: pd.Series, base: pd.Series) -> pd.Series:
    """Means relative to others, where those are positive: nothing is so many percent of 0."""
    return (means / base.where(base > 0)).dropna()


def rows_of(table: pd.DataFrame, measure: str, where: Mapping[str, str]) -> pd.DataFrame:
    """A measure's rows in a part of the sweep."""
    rows = table[table["measure"] == measure]
    for axis, text in where.items():
        rows = rows[rows[axis] == text]
    return rows
