"""Rewards of the three algorithms, and how independent Q's place depends on its exploration."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from amg.figures import palette, returns
from amg.figures.labels import label_ends, label_lines
from amg.figures.palette import GREY
from amg.figures.references import draw_references, known, label_references, sentence
from amg.figures.sheet import Sheet
from amg.figures.style import PAGE, styled
from amg.figures.words import estimate, fixed, intervals

ALGORITHMS = ("v_learning", "centralized_q", "independent_q")
RETURN, GAP = "mean_return", "max_gap"


@styled()
def draw(tables: Mapping[str, pd.DataFrame]) -> tuple[Figure, pd.DataFrame]:
    references = known(tables["references"], returns.game(tables["returns"]))
    sheet = Sheet(PAGE, 2.9)
    grid = sheet.figure.add_gridspec(2, 2, width_ratios=[1.6, 1])
    over = sheet.figure.add_subplot(grid[:, 0])
    earned = sheet.figure.add_subplot(grid[0, 1])
    apart = sheet.figure.add_subplot(grid[1, 1], sharex=earned)
    _over_episodes(sheet, over, _drawn(tables), references)
    _over_exploration(sheet, earned, apart, tables["exploration"], references)
    return sheet.finish()


def _over_episodes(
    sheet: Sheet, axes: Axes, drawn: returns.Series, references: Mapping[str, float]
) -> None:
    panel = sheet.panel(axes, "average reward by episode")
    returns.reward_lines(panel, drawn)
    returns.episodes_axis(axes, drawn)
    draw_references(panel, references)
    axes.margins(y=0.08)
    axes.set_xlabel("episode")
    axes.set_ylabel(returns.UNIT)
    axes.set_title("(a) rewards over episodes")
    label_references(panel, references)
    looks = [(palette.learner(label), rows) for label, rows in drawn]
    label_lines(panel, [(x.name, rows["episode"], rows["mean"], x.colour) for x, rows in looks])


def _over_exploration(
    sheet: Sheet,
    earned: Axes,
    apart: Axes,
    exploration: pd.DataFrame,
    references: Mapping[str, float],
) -> None:
    """Reward and gap of independent Q, one above the other."""
    reward, gap = _measure(exploration, RETURN), _measure(exploration, GAP)
    above = sheet.panel(earned, "mean reward by exploration")
    below = sheet.panel(apart, "equilibrium gap by exploration")
    for panel, rows in ((above, reward), (below, gap)):
        look = palette.learner(rows["learner"].iloc[0])
        panel.bars(
            look.name, rows["epsilon"], rows["mean"], rows["low"], rows["high"],
            color=look.colour, marker="o", linewidth=0.9,
        )  # fmt: skip
    draw_references(above, references)
    below.level("equilibrium", 0.0)

    shares = reward["epsilon"].tolist()
    least = min((share for share in shares if share > 0), default=1.0)
    apart.set_xscale("symlog", linthresh=least, linscale=0.4)
    apart.set_xlim(-0.35 * least, 1.2 * max(least, *shares))
    apart.set_xticks(shares, [f"{share:g}" for share in shares])
    apart.xaxis.set_minor_locator(NullLocator())
    apart.set_xlabel("share ε of random actions while learning")
    apart.set_ylabel("equilibrium gap")
    apart.set_title("(c) … and how far it ends from equilibrium")
    earned.tick_params(labelbottom=False)
    earned.set_ylabel("reward per agent\nand episode")
    earned.set_title("(b) independent Q: what it earns …")
    sheet.figure.align_ylabels([earned, apart])

    label_references(above, references, lines=1)
    label_ends(below, [(0.0, "equilibrium", GREY)])
    greedy = "greedy from the start:\nlocked in, far from\nequilibrium"
    for y in gap[(gap["epsilon"] == 0) & (gap["mean"] > 0)]["mean"]:
        below.text(least, y, greedy, GREY, (-6, 4), va="top")


def caption(tables: Mapping[str, pd.DataFrame]) -> str:
    drawn, exploration = _drawn(tables), tables["exploration"]
    references = known(tables["references"], returns.game(tables["returns"]))
    reward, gap = _measure(exploration, RETURN), _measure(exploration, GAP)
    best = reward.loc[reward["mean"].idxmax()]
    text = (
        f"(a) Return on the {palette.game(returns.game(tables['returns']))}, mean over agents, "
        f"seeds and blocks of {returns.block(drawn):,} episodes ({intervals(tables['returns'])}), "
        f"beside exact values: {sentence(references)}. Over the last tenth of the episodes the "
        f"mean is {returns.late(drawn)}; the Q-learners explore as configured. (b, c) Independent "
        f"Q with a constant share ε of random actions ({intervals(exploration)}): its mean reward "
        f"while learning, and the equilibrium gap of the greedy policy it ends with. The reward "
        f"ranges from {fixed(reward['mean'].min())} to {fixed(reward['mean'].max())} (at ε = "
        f"{best['epsilon']:g})"
    )
    some, none = gap[gap["epsilon"] > 0], gap[gap["epsilon"] == 0]
    if len(some):
        text += f" while the gap for ε > 0 is at most {fixed(some['mean'].max())}"
    if len(none):
        pay = reward[reward["epsilon"] == 0].iloc[0]
        text += (
            f"; without exploration it earns {estimate(pay['mean'], pay['low'], pay['high'])} with "
            f"a gap of {estimate(*none.iloc[0][['mean', 'low', 'high']])}"
        )
    if len(some) > 1 and some["mean"].max() <= 0:
        text += ". What it earns for ε > 0 depends on ε alone: it always learns the equilibrium"
    return f"{text}."


def _drawn(tables: Mapping[str, pd.DataFrame]) -> returns.Series:
    """The first learner of each algorithm."""
    return [
        learner
        for algorithm in ALGORITHMS
        for learner in returns.series(tables["returns"], [algorithm])[:1]
    ]


def _measure(exploration: pd.DataFrame, measure: str) -> pd.DataFrame:
    """The rows of a measure of the first game and learner."""
    first = exploration.iloc[0]
    same = (exploration["game"] == first["game"]) & (exploration["learner"] == first["learner"])
    return exploration[same & (exploration["measure"] == measure)].sort_values("epsilon")
