"""The confidence lemma: V̲ ≤ V and U ≤ V̄ over the episodes of a run, and how often it holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from amg.base.text import episodes, fixed, number
from amg.figures.sheet import NO_STAGE, Sheet, label_ends, note
from amg.figures.style import BLUE, GREY, INK, PAGE, SMALL, VERMILION, game_title, learner_look

BOUNDS: dict[str, tuple[str, str, Any]] = {  # name, colour and dashes, from the top
    "upper": ("$\\overline{V}$ upper bound", BLUE, (0, (1, 1))),
    "informed": ("$U$ informed deviator", INK, (0, (4, 1.5))),
    "value": ("$V$ certified value", INK, "-"),
    "lower": ("$\\underline{V}$ lower bound", BLUE, (0, (1, 1))),
}
SHADES = LinearSegmentedColormap.from_list("coverage", [VERMILION, "#FFFFFF", "#CFE6F5"])
LEAST = 0.9  # share of nodes with the strongest colour


def draw(tables: Mapping[str, pd.DataFrame]) -> tuple[Figure, pd.DataFrame]:
    """Return the picture and the data in it."""
    series = tables["coverage"][["game", "learner"]].drop_duplicates()
    sheet = Sheet(PAGE, max(2.3, 0.6 + 0.24 * len(series)))
    left, right = sheet.figure.subplots(1, 2, width_ratios=[1, 1.05])
    _draw_bounds(sheet, left, tables["confidence"])
    _draw_coverage(sheet, right, tables["coverage"])
    return sheet.finish()


def _draw_bounds(sheet: Sheet, axes: Axes, confidence: pd.DataFrame) -> None:
    panel = sheet.panel(axes, "bounds by episode")
    if confidence.empty:
        note(axes, NO_STAGE, (0.5, 0.5), GREY, ha="center")
        return
    agents = confidence["agent"].unique()
    steps = {"linewidth": 0.9, "drawstyle": "steps-post"}
    labels = []
    for bound, (name, colour, dashes) in BOUNDS.items():
        lines = [_line(confidence, agent, bound) for agent in agents]
        for agent, line in zip(agents, lines, strict=True):
            series = f"{bound}, {agent}"
            panel.line(series, line.index, line, color=colour, linestyle=dashes, **steps)
        labels.append((sum(line.iloc[-1] for line in lines) / len(lines), name, colour))
    for agent in agents:
        lower, upper = (_line(confidence, agent, bound) for bound in ("lower", "upper"))
        shade: dict[str, Any] = {"color": BLUE, "alpha": 0.1 / len(agents), "linewidth": 0}
        axes.fill_between(upper.index, lower, upper, step="post", **shade)
    axes.set_xscale("log")
    if confidence["episode"].nunique() > 1:
        axes.set_xlim(confidence["episode"].min(), confidence["episode"].max())
    axes.set_xlabel("episode (end of a stage)")
    axes.set_ylabel("value of the starting state (reward)")
    axes.set_title(f"(a) after each stage of one run, {len(agents)} agents")
    label_ends(panel, labels)


def _draw_coverage(sheet: Sheet, axes: Axes, coverage: pd.DataFrame) -> None:
    """Draw a cell for each K: its shade is the share of nodes where both bounds hold."""
    panel = sheet.panel(axes, "coverage by K")
    nodes, runs, names = [], [], []
    for (game, learner), rows in coverage.groupby(["game", "learner"], sort=False):
        rows = rows.set_index("episodes")
        share = rows[["lower", "upper"]].min(axis=1)
        panel.record(f"{game}, {learner}: share of nodes", x=rows.index, y=share)
        holding = rows["runs_holding"] / rows["runs"]
        panel.record(f"{game}, {learner}: share of runs", x=rows.index, y=holding)
        nodes.append(share)
        runs.append(rows["runs_holding"].astype(str) + "/" + rows["runs"].astype(str))
        names.append(f"{game_title(game, '')}, {learner_look(learner).short}")
    shares, texts = (pd.DataFrame(parts).reset_index(drop=True).sort_index(axis=1)
                     for parts in (nodes, runs))  # fmt: skip
    sns.heatmap(
        shares, annot=texts, fmt="", annot_kws={"fontsize": SMALL - 0.5, "color": INK}, ax=axes,
        vmin=LEAST, vmax=1.0, cmap=SHADES, cbar=False, linewidths=1.0, linecolor="white",
    )  # fmt: skip
    axes.set_xticklabels([episodes(K) for K in shares.columns], rotation=0)
    axes.set_yticklabels(names, rotation=0)
    axes.tick_params(length=0)
    axes.set_xlabel("episodes K")
    axes.set_ylabel("")
    axes.set_title("(b) runs in which the lemma holds at every node")


def describe(tables: Mapping[str, pd.DataFrame]) -> str:
    """Return the long caption."""
    coverage = tables["coverage"]
    return (
        f"{_describe_bounds(tables['confidence'])} "
        f"(b) In how many runs both hold at every step, state and stage; the shade is the share of "
        f"nodes where they do. They hold everywhere in {number(coverage['runs_holding'].sum())} of "
        f"{number(coverage['runs'].sum())} runs; the least share of nodes in any cell is "
        f"{number(coverage[['lower', 'upper']].min(axis=None), 4)}."
    )


def _describe_bounds(confidence: pd.DataFrame) -> str:
    if confidence.empty:
        return f"(a) Of the starting state {NO_STAGE}."
    end = confidence[confidence["episode"] == confidence["episode"].max()]
    ends = {bound: fixed(rows["value"].mean(), 3) for bound, rows in end.groupby("bound")}
    return (
        f"(a) For the starting state after each of its stages in one run "
        f"({confidence['run'].iloc[0]}): the agents' bounds V̄ and V̲, the value V of the certified "
        f"policy, and the value U of the best deviation by an agent who knows the stage. The lemma "
        f"says that V̲ ≤ V and U ≤ V̄ with high probability. At the end, on average over agents, V̲ = "
        f"{ends['lower']}, V = {ends['value']}, U = {ends['informed']} and V̄ = {ends['upper']}."
    )


def _line(confidence: pd.DataFrame, agent: str, bound: str) -> pd.Series:
    """Return the values of a bound by episode."""
    rows = confidence[(confidence["agent"] == agent) & (confidence["bound"] == bound)]
    return rows.set_index("episode")["value"].sort_index()
