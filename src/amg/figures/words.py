"""Words of labels and captions, numbers as words above all."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import pandas as pd

NO_STAGE = "no stage was completed"
SUPERSCRIPTS = str.maketrans("-.0123456789", "⁻·⁰¹²³⁴⁵⁶⁷⁸⁹")


def fixed(value: float, digits: int = 2) -> str:
    """With so many decimals, a true minus sign, and no negative zero."""
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")


def significant(value: float, digits: int = 2) -> str:
    """With so many significant digits, without an exponent."""
    if value == 0:
        return "0"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return fixed(value, decimals)


def count(value: float) -> str:
    """A number of episodes: a (half) power of ten as one, others with thousands apart."""
    halves = round(2 * math.log10(value))
    if halves >= 6 and int(value) == round(10 ** (halves / 2)):
        return f"10{f'{halves / 2:g}'.translate(SUPERSCRIPTS)}"
    return f"{int(value):,}"


def estimate(value: float, low: float, high: float, digits: int = 2) -> str:
    """A value with its interval."""
    return f"{fixed(value, digits)} [{fixed(low, digits)}, {fixed(high, digits)}]"


def listed(items: Iterable[str]) -> str:
    """a, b and c"""
    words = list(items)
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def plain(value: float, digits: int = 2) -> str:
    """With so many decimals, or so many digits and an exponent where decimals would say nothing."""
    if 1e-3 <= abs(value) < 1e9:
        return fixed(value, digits)
    return f"{value + 0.0:.{digits}g}".replace("-", "−")


def span(values: Sequence[float] | pd.Series, digits: int = 2) -> str:
    """The least and the greatest of several values, or the one that all round to."""
    low, high = plain(min(values), digits), plain(max(values), digits)
    return low if low == high else f"{low} to {high}"


def intervals(table: pd.DataFrame) -> str:
    """What the bands of a table are."""
    levels = listed(f"{100 * level:g}%" for level in sorted(table["level"].unique()))
    seeds = sorted(table["seeds"].unique())
    runs = f"{seeds[0]}" if len(seeds) == 1 else f"{seeds[0]} to {seeds[-1]}"
    return f"{levels} bootstrap intervals over {runs} seeds"
