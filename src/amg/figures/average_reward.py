"""Average reward of the agents over episodes, beside the exact values of the game.

`Rewards` holds what is drawn. The figure of three algorithms shows it with other learners.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from amg.base.text import fixed, intervals_over, join_words, number
from amg.figures import style
from amg.figures.style import COLUMN, GREY, Sheet, Tables

ALGORITHMS = ("v_learning",)
REFERENCES = ("team optimum", "uniform play", "every CCE")  # those that figures show
PANEL = "average reward by episode"


def draw(tables: Tables) -> Sheet:
    """Return the picture with its data."""
    rewards = Rewards(tables, ALGORITHMS)
    sheet = Sheet(COLUMN, 2.5)
    axes = sheet.subplots(subplot_kw={"label": PANEL})
    inset = axes.inset_axes((0.25, 0.44, 0.73, 0.35), label=f"{PANEL}, magnified")
    rewards.draw(sheet, axes)
    rewards.draw(sheet, inset, width=0.8)
    inset.set_ylim(*rewards.late_limits())
    inset.xaxis.set_major_locator(MaxNLocator(3))
    style.note(inset, "magnified", (0.99, 1.0), GREY, ha="right", va="top")
    style.label_corner(axes, (0.99, 0.91))
    rewards.label(axes)
    return sheet


def describe(tables: Tables) -> str:
    """Return the long caption."""
    rewards, returns = Rewards(tables, ALGORITHMS), tables["returns"]
    lines, references, late = rewards.describe()
    text = (
        f"{lines}; bands are {intervals_over(returns['level'], returns['seeds'])}; the inset "
        f"magnifies the late part. Dashed lines are exact: {references}. {late}."
    )
    falls = all(rows["mean"].iloc[-1] < rows["mean"].iloc[0] for _, rows in rewards.learners)
    exact = rewards.references
    if falls and exact.get("uniform play", -np.inf) > exact.get("every CCE", np.inf):
        text += (
            " Reward falls as the agents learn, for uniform play earns more than the equilibrium: "
            "a high reward is not a sign of learning here."
        )
    return text


class Rewards:
    """Rewards on the first game, averaged over agents: of each algorithm at most `most` learners.

    `learners` are pairs of a look and rows, `references` the exact values of the game.
    """

    def __init__(self, tables: Tables, algorithms: Iterable[str], most: int | None = None) -> None:
        self.game = str(tables["returns"]["game"].iloc[0])
        own = "game == @self.game and agent == 'average'"
        average, exact = tables["returns"].query(own), tables["references"].query(own)
        self.learners = []
        for algorithm in algorithms:
            groups = average[average["algorithm"] == algorithm].groupby("learner", sort=False)
            self.learners += [
                (style.learner_look(label), rows) for label, rows in list(groups)[:most]
            ]
        values = dict(zip(exact["reference"], exact["value"], strict=True))
        self.references = {name: values[name] for name in REFERENCES if name in values}

    def draw(self, sheet: Sheet, axes: Axes, width: float = 1.1) -> None:
        """Draw a line with its band for each learner, the first on top, and the references."""
        for j, (learner, rows) in enumerate(self.learners):
            look: Any = {"color": learner.colour, "linewidth": width, "zorder": 3 - 0.2 * j}
            sheet.line(axes, learner.name, *style.estimates(rows, "episode"), **look)
        axes.set_xlim(0, max(rows["episode"].max() for _, rows in self.learners))
        axes.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
        axes.xaxis.set_major_formatter("{x:,.0f}")
        sheet.levels(axes, self.references)

    def label(self, axes: Axes) -> None:
        """Name the axes and, at the right, the references."""
        axes.margins(y=0.08)
        axes.set(xlabel="episode", ylabel="reward per agent and episode")
        style.label_ends(
            axes, [(y, f"{name}\n{fixed(y)}", GREY) for name, y in self.references.items()]
        )

    def describe(self) -> tuple[str, str, str]:
        """Return parts of a caption: what the lines are, the references, the last means."""
        block = np.median(np.diff(self.learners[0][1]["episode"], prepend=0))
        lines = (
            f"Return on the {style.game_title(self.game)}, mean over agents, seeds and blocks of "
            f"{number(round(block))} episodes"
        )
        exact = ", ".join(f"{name} {fixed(value)}" for name, value in self.references.items())
        late = [
            f"{fixed(rows[rows['episode'] > 0.9 * rows['episode'].max()]['mean'].mean())} for "
            f"{learner.name}"
            for learner, rows in self.learners
        ]
        return lines, exact, f"Over the last tenth of the episodes the mean is {join_words(late)}"

    def late_limits(self) -> tuple[float, float]:
        """Return limits of the y axis for the last nine tenths, with a reference if it is near."""
        rows = pd.concat([rows for _, rows in self.learners])
        late = rows[rows["episode"] > 0.1 * rows["episode"].max()]
        ends = late[["mean", "low", "high"]]  # only means, if seeds are few
        low, high = ends.min(axis=None), ends.max(axis=None)
        low = min([low, *(v for v in self.references.values() if abs(v - low) < high - low)])
        return low - 0.1 * (high - low), high + 0.1 * (high - low)
