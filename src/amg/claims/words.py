"""Numbers in sentences."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd


def number(value: float, digits: int = 3) -> str:
    """With so many significant digits, thousands apart and a true minus sign; 1e20 has a power."""
    large = 10 ** (digits - 1) <= abs(value) < 1e15
    return (f"{value:,.0f}" if large else f"{value:.{digits}g}").replace("-", "−")


def interval(row: pd.Series, digits: int = 3) -> str:
    """[low, high]"""
    return f"[{number(row['low'], digits)}, {number(row['high'], digits)}]"


def estimate(row: pd.Series, digits: int = 3) -> str:
    """mean [low, high]"""
    return f"{number(row['mean'], digits)} {interval(row, digits)}"


def listed(parts: Iterable[str]) -> str:
    """a, b and c"""
    words = list(parts)
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def seeds(*rows: pd.Series) -> int:
    """The fewest seeds behind these."""
    return min(int(row["seeds"]) for row in rows)


def sentence(parts: list[str]) -> str | None:
    """One sentence of these, or none."""
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}." if text else None
