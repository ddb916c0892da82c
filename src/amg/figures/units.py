"""Rewards in a unit that figures can show.

Matplotlib takes an axis shorter than 1e-287 for a single point, and two decimals take a thousandth
for 0. So what is far from everyday numbers is shown in units of 10ⁿ, and the figure says so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from amg.figures.style import SMALL, styled
from amg.figures.words import SUPERSCRIPTS

# The largest reward of a figure that is shown as it is, between these:
EVERYDAY = 0.1, 1e9
LOGARITHMIC = 1e-120, 1e150  # on a logarithmic scale, whose limits are found by products
LEAST = -300  # the least n: 10ⁿ of less would have fewer digits

Tables = Mapping[str, pd.DataFrame]
Rewards = Mapping[str, Sequence[str]]  # columns that hold rewards, by table; the first sets n


def power(tables: Tables, rewards: Rewards) -> int:
    """n for the rewards that a figure shows."""
    first, columns = next(iter(rewards.items()), ("", ()))
    table = tables.get(first, pd.DataFrame())
    if "game" in table:
        table = table[table["game"] == table["game"].iloc[0]]  # the one that is shown
    return exponent(table[list(columns)].to_numpy(dtype=float))


def exponent(rewards: NDArray[np.float64], plain: tuple[float, float] = EVERYDAY) -> int:
    """n: 0, or else the exponent of how far these rewards are apart, a multiple of three."""
    values = rewards[np.isfinite(rewards)]
    largest = float(abs(values).max(initial=0.0))
    if largest == 0 or plain[0] <= largest < plain[1]:
        return 0
    apart = float(np.ptp(values)) or largest
    return max(3 * math.floor(math.log10(apart) / 3), LEAST)


def in_units(tables: Tables, rewards: Rewards, n: int) -> Tables:
    """The tables with rewards in units of 10ⁿ."""
    if n == 0:
        return tables
    with np.errstate(over="ignore"):  # of another game, which is not shown
        return {
            label: table.assign(**{c: table[c] / 10.0**n for c in rewards.get(label, ())})
            for label, table in tables.items()
        }


def name(n: int) -> str:
    """10ⁿ"""
    return f"10{str(n).translate(SUPERSCRIPTS)}"


def sentence(n: int) -> str:
    """What is to be said of it; nothing of everyday numbers."""
    return f"Rewards are in units of {name(n)}." if n else ""


@styled()
def say(figure: Figure, n: int) -> None:
    """Say it above the figure."""
    if n:
        figure.suptitle(sentence(n), fontsize=SMALL)
