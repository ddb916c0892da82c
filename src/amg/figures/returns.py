"""Rewards over episodes: what the figures of them share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from amg.figures import palette
from amg.figures.sheet import Panel
from amg.figures.words import fixed, listed

UNIT = "reward per agent and episode"

Series = list[tuple[str, pd.DataFrame]]  # learners and their rows


def game(returns: pd.DataFrame) -> str:
    """The game that is shown: the first."""
    return str(returns["game"].iloc[0])


def series(returns: pd.DataFrame, algorithms: Sequence[str]) -> Series:
    """Learners with these algorithms, in their order, with the average over agents."""
    shown = returns[(returns["game"] == game(returns)) & (returns["agent"] == "average")]
    return [
        (str(learner), rows)
        for algorithm in algorithms
        for learner, rows in shown[shown["algorithm"] == algorithm].groupby("learner", sort=False)
    ]


def reward_lines(panel: Panel, drawn: Series, **look: Any) -> None:
    """A line with its band for each learner, the first on top."""
    for j, (label, rows) in enumerate(drawn):
        shown = palette.learner(label)
        panel.line(
            shown.name, rows["episode"], rows["mean"], rows["low"], rows["high"],
            color=shown.colour, zorder=3 - 0.2 * j, **look,
        )  # fmt: skip


def episodes_axis(axes: Axes, drawn: Series) -> None:
    """From the beginning to the last episode."""
    axes.set_xlim(0, max(rows["episode"].max() for _, rows in drawn))
    axes.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    axes.xaxis.set_major_formatter("{x:,.0f}")


def block(drawn: Series) -> int:
    """How many episodes each mean is taken over."""
    episodes = np.append(0, drawn[0][1]["episode"])
    return round(float(np.median(np.diff(episodes))))


def late(drawn: Series) -> str:
    """The mean over the last tenth of the episodes of each learner, in words."""
    means = {
        palette.learner(label).name: rows[rows["episode"] > 0.9 * rows["episode"].max()]["mean"]
        for label, rows in drawn
    }
    return listed(f"{fixed(values.mean())} for {name}" for name, values in means.items())
