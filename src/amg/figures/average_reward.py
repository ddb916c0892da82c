"""Rewards over episodes and the exact values beside them, for the figures that show both.

---
Average reward of the agents over episodes, beside the exact values of the game.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from amg.base.text import bootstrap_intervals, fixed, join_words, number
from amg.figures.sheet import Panel, Sheet, label_ends, note, stack
from amg.figures.style import COLUMN, GREY, SMALL, game_title, learner_look

UNIT = "reward per agent and episode"
REFERENCES = ("team optimum", "uniform play", "every CCE")  # those that figures show


@dataclass(frozen=True)
class Rewards:
    """Rewards of some learners on one game, averaged over agents."""

    game: str
    learners: list[tuple[str, pd.DataFrame]]  # labels and rows
    references: dict[str, float]  # exact values of the game

    def draw(self, panel: Panel, **look: Any) -> None:
        """Draw a line with its band for each learner, the first on top, and the references."""
        for j, (label, rows) in enumerate(self.learners):
            learner = learner_look(label)
            panel.line(
                learner.name, rows["episode"], rows["mean"], rows["low"], rows["high"],
                color=learner.colour, zorder=3 - 0.2 * j, **look,
            )  # fmt: skip
        panel.axes.set_xlim(0, max(rows["episode"].max() for _, rows in self.learners))
        panel.axes.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
        panel.axes.xaxis.set_major_formatter("{x:,.0f}")
        draw_references(panel, self.references)

    @property
    def block(self) -> int:
        """Return how many episodes each mean is taken over."""
        episodes = np.append(0, self.learners[0][1]["episode"])
        return round(float(np.median(np.diff(episodes))))

    def describe_late(self) -> str:
        """Return the mean of each learner over the last tenth of the episodes."""
        late = {
            learner_look(label).name: rows[rows["episode"] > 0.9 * rows["episode"].max()]
            for label, rows in self.learners
        }
        return join_words(f"{fixed(rows['mean'].mean())} for {name}" for name, rows in late.items())

    def describe_references(self) -> str:
        """Return "team optimum 20.67, uniform play 19.63"."""
        return ", ".join(f"{name} {fixed(value)}" for name, value in self.references.items())


def select(
    tables: Mapping[str, pd.DataFrame], algorithms: Sequence[str], most: int | None = None
) -> Rewards:
    """Return the rewards of the first game: of each algorithm at most so many learners."""
    returns, references = tables["returns"], tables["references"]
    game = str(returns["game"].iloc[0])
    average = returns[(returns["game"] == game) & (returns["agent"] == "average")]
    learners = [
        (str(learner), rows)
        for algorithm in algorithms
        for learner, rows in list(
            average[average["algorithm"] == algorithm].groupby("learner", sort=False)
        )[:most]
    ]
    exact = references[(references["game"] == game) & (references["agent"] == "average")]
    values = dict(zip(exact["reference"], exact["value"], strict=True))
    return Rewards(game, learners, {name: values[name] for name in REFERENCES if name in values})


def draw_references(panel: Panel, references: Mapping[str, float]) -> None:
    """Draw a dashed line across the panel for each reference."""
    for name, value in references.items():
        panel.level(name, value)


def label_references(panel: Panel, references: Mapping[str, float], lines: int = 2) -> None:
    """Name the references at the right of a panel whose axes are set; two lines add the values."""
    names = {name: f"{name}\n{fixed(v)}" if lines == 2 else name for name, v in references.items()}
    label_ends(panel, [(references[name], text, GREY) for name, text in names.items()], lines)


# ===== figures/average_reward

ALGORITHMS = ("v_learning",)


def draw(tables: Mapping[str, pd.DataFrame]) -> tuple[Figure, pd.DataFrame]:
    """Return the picture and the data in it."""
    rewards = select(tables, ALGORITHMS)
    sheet = Sheet(COLUMN, 2.5)
    axes = sheet.figure.subplots()
    inset = axes.inset_axes((0.25, 0.44, 0.73, 0.35))
    panel = sheet.panel(axes, "average reward by episode")
    rewards.draw(panel, linewidth=1.1)
    rewards.draw(sheet.panel(inset, "average reward by episode, magnified"), linewidth=0.8)

    inset.set_ylim(*_late_limits(rewards))
    inset.tick_params(labelsize=SMALL - 0.5)
    inset.xaxis.set_major_locator(MaxNLocator(3))
    note(inset, "magnified", (0.99, 1.0), GREY, ha="right", va="top")

    axes.margins(y=0.08)
    axes.set_xlabel("episode")
    axes.set_ylabel(UNIT)
    looks = [learner_look(label) for label, _ in rewards.learners]
    stack(axes, [(look.name, look.colour) for look in looks], (0.99, 0.91), "right")
    label_references(panel, rewards.references)
    return sheet.finish()


def describe(tables: Mapping[str, pd.DataFrame]) -> str:
    """Return the long caption."""
    rewards, returns = select(tables, ALGORITHMS), tables["returns"]
    text = (
        f"Return on the {game_title(rewards.game)}, mean over agents, seeds and blocks of "
        f"{number(rewards.block)} episodes; bands are "
        f"{bootstrap_intervals(returns['level'], returns['seeds'])}; the inset magnifies the late "
        f"part. Dashed lines are exact: {rewards.describe_references()}. Over the last tenth of "
        f"the episodes the mean is {rewards.describe_late()}."
    )
    falls = all(rows["mean"].iloc[-1] < rows["mean"].iloc[0] for _, rows in rewards.learners)
    exact = rewards.references
    if falls and exact.get("uniform play", -np.inf) > exact.get("every CCE", np.inf):
        text += (
            " Reward falls as the agents learn, for uniform play earns more than the equilibrium: "
            "a high reward is not a sign of learning here."
        )
    return text


def _late_limits(rewards: Rewards) -> tuple[float, float]:
    """Return limits of the y axis for the last nine tenths, with a reference if it is near."""
    late = pd.concat(
        [rows[rows["episode"] > 0.1 * rows["episode"].max()] for _, rows in rewards.learners]
    )
    low, high = late["low"].min(), late["high"].max()
    low = min([low, *(v for v in rewards.references.values() if abs(v - low) < high - low)])
    return low - 0.1 * (high - low), high + 0.1 * (high - low)
