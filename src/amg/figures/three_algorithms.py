"""Rewards of the three algorithms, and how independent Q-learning depends on its exploration."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from amg.base.text import fixed, fixed_estimate, intervals_over, number
from amg.figures import style
from amg.figures.average_reward import PANEL, Rewards
from amg.figures.style import AT_POINT, GREY, PAGE, Sheet, Tables

ALGORITHMS = {  # share of the panel's width where the name is, above (1) or below the line (-1)
    "v_learning": (0.265, 1),
    "centralized_q": (0.5, -1),
    "independent_q": (0.64, 1),
}
GREEDY = "greedy from the start:\nlocked in, far from\nequilibrium"


def draw(tables: Tables) -> Sheet:
    """Return the picture with its data."""
    rewards = Rewards(tables, ALGORITHMS, most=1)
    sheet = Sheet(PAGE, 2.9)
    panels = sheet.subplot_mosaic("ab;ac", width_ratios=[1.6, 1])
    panels["a"].set(label=PANEL, title="(a) rewards over episodes")
    rewards.draw(sheet, panels["a"])
    rewards.label(panels["a"])
    for line, (_, rows) in zip(panels["a"].get_lines(), rewards.learners, strict=False):
        style.label_line(panels["a"], line, *ALGORITHMS[rows["algorithm"].iloc[0]])
    _draw_exploration(sheet, panels["b"], panels["c"], tables, rewards.references)
    return sheet


def _draw_exploration(
    sheet: Sheet, upper: Axes, lower: Axes, tables: Tables, references: dict[str, float]
) -> None:
    """Draw reward and gap of independent Q-learning, one above the other."""
    reward, gap = _measures(tables)
    upper.set(label="mean reward by exploration", ylabel="reward per agent\nand episode")
    upper.set_title("(b) independent Q-learning: what it earns …")
    lower.set(label="equilibrium gap by exploration", ylabel="equilibrium gap")
    lower.set_title("(c) … and how far it ends from equilibrium")
    lower.set_xlabel("share ε of random actions (no scale)")
    learner = style.learner_look(reward["learner"].iloc[0])
    for axes, rows in ((upper, reward), (lower, gap)):
        x, *means = style.estimates(rows, "epsilon")
        places = np.arange(len(x))  # one beside the other: no scale holds both 0 and 1/50
        sheet.record(axes, learner.name, x, *means)
        style.dots(axes, places, *means, color=learner.colour, label=learner.name)
    levels = ((upper, references), (lower, {"equilibrium": 0.0}))
    for axes, values in levels:
        sheet.levels(axes, values)

    upper.sharex(lower)
    upper.tick_params(labelbottom=False)
    lower.set_xlim(-0.5, len(reward) - 0.5)
    lower.set_xticks(np.arange(len(reward)), [number(share) for share in reward["epsilon"]])
    sheet.align_ylabels()
    for axes, values in levels:
        style.label_ends(axes, [(y, name, GREY) for name, y in values.items()])
    for y in gap.query("epsilon == 0 and mean > 0")["mean"]:
        style.note(lower, GREEDY, (0, y), GREY, (8, 6), va="top", **AT_POINT)


def describe(tables: Tables) -> str:
    """Return the long caption."""
    returns, exploration = tables["returns"], tables["exploration"]
    lines, references, late = Rewards(tables, ALGORITHMS, most=1).describe()
    reward, gap = _measures(tables)
    best = reward.loc[reward["mean"].idxmax()]
    text = (
        f"(a) {lines} ({intervals_over(returns['level'], returns['seeds'])}), beside exact "
        f"values: {references}. {late}; the Q-learners explore as configured. (b, c) Independent "
        f"Q-learning with a constant share ε of random actions "
        f"({intervals_over(exploration['level'], exploration['seeds'])}): its mean reward "
        f"while learning, and the equilibrium gap of the greedy policy it ends with. The reward "
        f"ranges from {fixed(reward['mean'].min())} to {fixed(best['mean'])} (at ε = "
        f"{number(best['epsilon'])})"
    )
    some = gap[gap["epsilon"] > 0]["mean"]
    if len(some):
        text += f" while the gap for ε > 0 is at most {fixed(some.max())}"
    if len(some) < len(gap):  # the first row is that of ε = 0
        least = (rows[["mean", "low", "high"]].iloc[0] for rows in (reward, gap))
        pay, distance = (fixed_estimate(*row) for row in least)
        text += f"; without exploration it earns {pay} with a gap of {distance}"
    if len(some) > 1 and some.max() <= 0:
        text += ". What it earns for ε > 0 depends on ε alone: it always learns the equilibrium"
    return f"{text}."


def _measures(tables: Tables) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return mean reward and gap by ε, of the first game and learner."""
    table = tables["exploration"]
    same = (table[["game", "learner"]] == table[["game", "learner"]].iloc[0]).all(axis=1)
    rows = table[same].sort_values("epsilon", kind="stable")
    return rows[rows["measure"] == "mean_return"], rows[rows["measure"] == "max_gap"]
