"""Rewards of the three algorithms, and how independent Q's place depends on its exploration."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from amg.base.text import bootstrap_intervals, fixed, fixed_estimate, number
from amg.figures.average_reward import UNIT, Rewards, draw_references, label_references, select
from amg.figures.sheet import Sheet, label_ends, label_lines
from amg.figures.style import GREY, PAGE, game_title, learner_look

ALGORITHMS = ("v_learning", "centralized_q", "independent_q")
RETURN, GAP = "mean_return", "max_gap"


def draw(tables: Mapping[str, pd.DataFrame]) -> tuple[Figure, pd.DataFrame]:
    """Return the picture and the data in it."""
    rewards = select(tables, ALGORITHMS, most=1)
    sheet = Sheet(PAGE, 2.9)
    grid = sheet.figure.add_gridspec(2, 2, width_ratios=[1.6, 1])
    left = sheet.figure.add_subplot(grid[:, 0])
    upper = sheet.figure.add_subplot(grid[0, 1])
    lower = sheet.figure.add_subplot(grid[1, 1], sharex=upper)
    _draw_episodes(sheet, left, rewards)
    _draw_exploration(sheet, upper, lower, tables["exploration"], rewards.references)
    return sheet.finish()


def _draw_episodes(sheet: Sheet, axes: Axes, rewards: Rewards) -> None:
    panel = sheet.panel(axes, "average reward by episode")
    rewards.draw(panel)
    axes.margins(y=0.08)
    axes.set_xlabel("episode")
    axes.set_ylabel(UNIT)
    axes.set_title("(a) rewards over episodes")
    label_references(panel, rewards.references)
    looks = [(learner_look(label), rows) for label, rows in rewards.learners]
    label_lines(panel, [(x.name, rows["episode"], rows["mean"], x.colour) for x, rows in looks])


def _draw_exploration(
    sheet: Sheet,
    upper: Axes,
    lower: Axes,
    exploration: pd.DataFrame,
    references: Mapping[str, float],
) -> None:
    """Draw reward and gap of independent Q, one above the other."""
    reward, gap = _measure(exploration, RETURN), _measure(exploration, GAP)
    earned = sheet.panel(upper, "mean reward by exploration")
    distance = sheet.panel(lower, "equilibrium gap by exploration")
    for panel, rows in ((earned, reward), (distance, gap)):
        look = learner_look(rows["learner"].iloc[0])
        panel.bars(
            look.name, rows["epsilon"], rows["mean"], rows["low"], rows["high"],
            color=look.colour, marker="o", linewidth=0.9,
        )  # fmt: skip
    draw_references(earned, references)
    distance.level("equilibrium", 0.0)

    shares = reward["epsilon"].tolist()
    least = min((share for share in shares if share > 0), default=1.0)
    lower.set_xscale("symlog", linthresh=least, linscale=0.4)
    lower.set_xlim(-0.35 * least, 1.2 * max(least, *shares))
    lower.set_xticks(shares, [number(share) for share in shares])
    lower.xaxis.set_minor_locator(NullLocator())
    lower.set_xlabel("share ε of random actions while learning")
    lower.set_ylabel("equilibrium gap")
    lower.set_title("(c) … and how far it ends from equilibrium")
    upper.tick_params(labelbottom=False)
    upper.set_ylabel("reward per agent\nand episode")
    upper.set_title("(b) independent Q: what it earns …")
    sheet.figure.align_ylabels([upper, lower])

    label_references(earned, references, lines=1)
    label_ends(distance, [(0.0, "equilibrium", GREY)])
    greedy = "greedy from the start:\nlocked in, far from\nequilibrium"
    for y in gap[(gap["epsilon"] == 0) & (gap["mean"] > 0)]["mean"]:
        distance.text(least, y, greedy, GREY, (-6, 4), va="top")


def describe(tables: Mapping[str, pd.DataFrame]) -> str:
    """Return the long caption."""
    rewards = select(tables, ALGORITHMS, most=1)
    returns, exploration = tables["returns"], tables["exploration"]
    reward, gap = _measure(exploration, RETURN), _measure(exploration, GAP)
    best = reward.loc[reward["mean"].idxmax()]
    text = (
        f"(a) Return on the {game_title(rewards.game)}, mean over agents, seeds and blocks of "
        f"{number(rewards.block)} episodes "
        f"({bootstrap_intervals(returns['level'], returns['seeds'])}), beside exact values: "
        f"{rewards.describe_references()}. Over the last tenth of the episodes the mean is "
        f"{rewards.describe_late()}; the Q-learners explore as configured. (b, c) Independent Q "
        f"with a constant share ε of random actions "
        f"({bootstrap_intervals(exploration['level'], exploration['seeds'])}): its mean reward "
        f"while learning, and the equilibrium gap of the greedy policy it ends with. The reward "
        f"ranges from {fixed(reward['mean'].min())} to {fixed(reward['mean'].max())} (at ε = "
        f"{number(best['epsilon'])})"
    )
    some, none = gap[gap["epsilon"] > 0], gap[gap["epsilon"] == 0]
    if len(some):
        text += f" while the gap for ε > 0 is at most {fixed(some['mean'].max())}"
    if len(none):
        pay = reward[reward["epsilon"] == 0].iloc[0]
        text += (
            f"; without exploration it earns {fixed_estimate(*pay[['mean', 'low', 'high']])} with "
            f"a gap of {fixed_estimate(*none.iloc[0][['mean', 'low', 'high']])}"
        )
    if len(some) > 1 and some["mean"].max() <= 0:
        text += ". What it earns for ε > 0 depends on ε alone: it always learns the equilibrium"
    return f"{text}."


def _measure(exploration: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Return the rows of a measure of the first game and learner."""
    first = exploration.iloc[0]
    same = (exploration["game"] == first["game"]) & (exploration["learner"] == first["learner"])
    return exploration[same & (exploration["measure"] == measure)].sort_values("epsilon")
