"""The confidence lemma: V̲ ≤ V and U ≤ V̄ over the episodes of a run, and how often it holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from amg.figures import palette
from amg.figures.palette import BLUE, INK, VERMILION
from amg.figures.sheet import Sheet, label_ends
from amg.figures.style import PAGE, SMALL, styled
from amg.figures.words import count, fixed

BOUNDS = {  # how each is written and drawn, from the top
    "upper": ("$\\overline{V}$ upper bound", BLUE, (0, (1, 1))),
    "informed": ("$U$ informed deviator", INK, (0, (4, 1.5))),
    "value": ("$V$ certified value", INK, "-"),
    "lower": ("$\\underline{V}$ lower bound", BLUE, (0, (1, 1))),
}


@styled()
def draw(tables: Mapping[str, pd.DataFrame]) -> tuple[Figure, pd.DataFrame]:
    coverage = tables["coverage"]
    rows = coverage[["game", "learner"]].drop_duplicates()
    sheet = Sheet(PAGE, max(2.3, 0.6 + 0.24 * len(rows)))
    axes = sheet.figure.subplots(1, 2, width_ratios=[1, 1.05])
    _bounds(sheet, axes[0], tables["confidence"])
    _coverage(sheet, axes[1], coverage)
    return sheet.finish()


def _bounds(sheet: Sheet, axes: Axes, confidence: pd.DataFrame) -> None:
    panel = sheet.panel(axes, "bounds by episode")
    agents = confidence["agent"].unique()
    labels = []
    axes.set_xscale("log")
    for name, (text, colour, dashes) in BOUNDS.items():
        for agent in agents:
            rows = _line(confidence, agent, name)
            panel.line(
                f"{name}, {agent}", rows["episode"], rows["value"],
                color=colour, linestyle=dashes, linewidth=0.9, drawstyle="steps-post",
            )  # fmt: skip
        ends = [_line(confidence, agent, name)["value"].iloc[-1] for agent in agents]
        labels.append((float(np.mean(ends)), text, colour))
    for agent in agents:
        upper, lower = (_line(confidence, agent, name) for name in ("upper", "lower"))
        axes.fill_between(
            upper["episode"], lower["value"], upper["value"],
            color=BLUE, alpha=0.1 / len(agents), linewidth=0, step="post",
        )  # fmt: skip
    axes.set_xlim(confidence["episode"].min(), confidence["episode"].max())
    axes.set_xlabel("episode (end of a stage)")
    axes.set_ylabel("value of the starting state (reward)")
    axes.set_title(f"(a) after each stage of one run, {len(agents)} agents")
    label_ends(panel, labels)


def _coverage(sheet: Sheet, axes: Axes, coverage: pd.DataFrame) -> None:
    """Cells: the share of nodes where both bounds hold; in them the runs that have no exception."""
    panel = sheet.panel(axes, "coverage by K")
    table = coverage.assign(share=coverage[["lower", "upper"]].min(axis=1))
    for (game, learner), rows in table.groupby(["game", "learner"], sort=False):
        panel.record(f"{game}, {learner}: share of nodes", x=rows["episodes"], y=rows["share"])
        panel.record(f"{game}, {learner}: share of runs", x=rows["episodes"],
                     y=rows["runs_holding"] / rows["runs"])  # fmt: skip
    order = list(dict.fromkeys(zip(table["game"], table["learner"], strict=True)))
    index = pd.MultiIndex.from_frame(table[["game", "learner"]])
    table = table.assign(row=index.map({key: j for j, key in enumerate(order)}))
    share = table.pivot(index="row", columns="episodes", values="share")
    table = table.assign(text=[f"{row.runs_holding}/{row.runs}" for row in table.itertuples()])
    shades = LinearSegmentedColormap.from_list("coverage", [VERMILION, "#FFFFFF", "#CFE6F5"])
    sns.heatmap(
        share, ax=axes, vmin=0.9, vmax=1.0, cmap=shades, cbar=False, linewidths=1.0,
        linecolor="white", annot=table.pivot(index="row", columns="episodes", values="text"),
        fmt="", annot_kws={"fontsize": SMALL - 0.5, "color": INK},
    )  # fmt: skip
    axes.set_xticklabels([count(K) for K in share.columns], rotation=0)
    names = [
        f"{palette.game(game, '')}, {palette.learner(learner).short}" for game, learner in order
    ]
    axes.set_yticklabels(names, rotation=0)
    axes.tick_params(length=0)
    axes.set_title("(b) runs in which the lemma holds at every node")
    axes.set_xlabel("episodes K")
    axes.set_ylabel("")


def caption(tables: Mapping[str, pd.DataFrame]) -> str:
    confidence, coverage = tables["confidence"], tables["coverage"]
    ends = confidence.sort_values("episode").groupby("bound")["value"].last()
    rows = coverage.agg({"lower": "min", "upper": "min", "runs": "sum", "runs_holding": "sum"})
    return (
        f"(a) For the starting state after each of its stages in one run "
        f"({confidence['run'].iloc[0]}): the agents' upper and lower bounds V̄ and V̲, the value V "
        f"of the certified policy and the value U of the best deviation by an agent who knows the "
        f"stage. The lemma says V̲ ≤ V and U ≤ V̄ with high probability. At the end V = "
        f"{fixed(ends['value'])} and U = {fixed(ends['informed'])} lie between V̲ = "
        f"{fixed(ends['lower'])} and V̄ = {fixed(ends['upper'])}. (b) In how many runs both "
        f"inequalities hold at every step, state and stage; the shade is the share of nodes where "
        f"they hold. Altogether {int(rows['runs_holding']):,} of {int(rows['runs']):,} runs hold "
        f"everywhere, and the least share of nodes in any cell is "
        f"{min(rows['lower'], rows['upper']):.4g}."
    )


def _line(confidence: pd.DataFrame, agent: Any, bound: str) -> pd.DataFrame:
    rows = confidence[(confidence["agent"] == agent) & (confidence["bound"] == bound)]
    return rows.sort_values("episode")
