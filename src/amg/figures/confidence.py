"""The confidence lemma: V̲ ≤ V and U ≤ V̄ over the episodes of a run, and how often it holds."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap

from amg.base.text import episodes, fixed, number
from amg.figures import style
from amg.figures.style import BLUE, INK, PAGE, SMALL, VERMILION, Sheet, Tables

BOUNDS: dict[str, tuple[str, str, Any]] = {  # name, colour and dashes, from the top
    "upper": ("$\\overline{V}$ upper bound", BLUE, (0, (1, 1))),
    "informed": ("$U$ informed deviator", INK, (0, (4, 1.5))),
    "value": ("$V$ certified value", INK, "-"),
    "lower": ("$\\underline{V}$ lower bound", BLUE, (0, (1, 1))),
}
SHADES = LinearSegmentedColormap.from_list("coverage", [VERMILION, "#FFFFFF", "#CFE6F5"])
LEAST = 0.9  # share of nodes with the strongest colour


def draw(tables: Tables) -> Sheet:
    """Return the picture with its data."""
    series = tables["coverage"][["game", "learner"]].drop_duplicates()
    sheet = Sheet(PAGE, max(2.3, 0.6 + 0.24 * len(series)))
    left, right = sheet.subplots(1, 2, width_ratios=[1, 1.05])
    _draw_bounds(sheet, left, tables["confidence"])
    _draw_coverage(sheet, right, tables["coverage"])
    return sheet


def _draw_bounds(sheet: Sheet, axes: Axes, confidence: pd.DataFrame) -> None:
    """Draw the bounds and values of each agent, and shade what is between the agent's bounds."""
    if confidence.empty:
        return
    axes.set_label("bounds by episode")
    agents = confidence["agent"].unique()
    values = confidence.pivot(index="episode", columns=["bound", "agent"], values="value")
    labels = []
    for bound, (name, colour, dashes) in BOUNDS.items():
        for agent in agents:
            look: Any = {"color": colour, "linestyle": dashes, "drawstyle": "steps-post"}
            line = values[bound, agent]
            sheet.line(axes, f"{bound}, {agent}", line.index, line, linewidth=0.9, **look)
        labels.append((values[bound].iloc[-1].mean(), name, colour))
    shade: Any = {"step": "post", "color": BLUE, "alpha": 0.1 / len(agents), "linewidth": 0}
    for agent in agents:
        axes.fill_between(values.index, values["lower", agent], values["upper", agent], **shade)
    axes.set_xscale("log")
    axes.margins(x=0)
    axes.set(xlabel="episode (end of a stage)", ylabel="value of the starting state (reward)")
    axes.set_title(f"(a) after each stage of one run, {len(agents)} agents")
    style.label_ends(axes, labels)


def _draw_coverage(sheet: Sheet, axes: Axes, coverage: pd.DataFrame) -> None:
    """Draw a cell for each K: its shade is the share of nodes where both bounds hold.

    A cell where no bound says anything stays white.
    """
    axes.set_label("coverage by K")
    nodes, runs, names = [], [], []
    for (game, learner), rows in coverage.groupby(["game", "learner"], sort=False):
        rows = rows.set_index("episodes")
        share = rows[["lower", "upper"]].min(axis=1)
        holding = rows["runs_holding"] / rows["runs_tested"]
        sheet.record(axes, f"{game}, {learner}: share of nodes", rows.index, share)
        sheet.record(axes, f"{game}, {learner}: share of runs", rows.index, holding)
        nodes.append(share)
        words = rows["runs_holding"].astype(str) + "/" + rows["runs_tested"].astype(str)
        runs.append(words.where(rows["runs_tested"] > 0, "–"))
        names.append(f"{style.game_title(game, '')}, {style.learner_look(learner).short}")
    shares, texts = (pd.DataFrame(parts, index=names).sort_index(axis=1) for parts in (nodes, runs))
    shade: dict[str, Any] = {"vmin": LEAST, "vmax": 1.0, "cmap": SHADES, "edgecolor": "white"}
    axes.pcolormesh(shares, linewidths=1.0, **shade)
    axes.spines[:].set_visible(False)
    axes.set(xlim=(0, shares.shape[1]), ylim=(len(names), 0))
    look: dict[str, Any] = {"fontsize": SMALL - 0.5, "color": INK, "ha": "center", "va": "center"}
    for (y, x), text in np.ndenumerate(texts.fillna("")):
        axes.text(x + 0.5, y + 0.5, text, **look)
    axes.set_xticks(np.arange(shares.shape[1]) + 0.5, [episodes(K) for K in shares.columns])
    axes.set_yticks(np.arange(len(names)) + 0.5, names, va="center")
    axes.tick_params(length=0)
    axes.set(xlabel="episodes K", ylabel="")
    axes.set_title("(b) runs in which the lemma holds (of runs tested)")


def describe(tables: Tables) -> str:
    """Return the long caption."""
    confidence, coverage = tables["confidence"], tables["coverage"]
    if confidence.empty:
        return "No stage of the starting state was completed."
    end = confidence[confidence["episode"] == confidence["episode"].max()]
    ends = {bound: fixed(rows["value"].mean(), 3) for bound, rows in end.groupby("bound")}
    return (
        f"(a) For the starting state after each of its stages in one run "
        f"({confidence['run'].iloc[0]}): the agents' bounds V̄ and V̲, the value V of the certified "
        f"policy, and the value U of the best deviation by an agent who knows the stage. The lemma "
        f"says that V̲ ≤ V and U ≤ V̄ with high probability. At the end, on average over agents, V̲ = "
        f"{ends['lower']}, V = {ends['value']}, U = {ends['informed']} and V̄ = {ends['upper']}. "
        f"(b) In how many runs both hold at every step, state and stage, of the runs in which a "
        f"bound says something (V̲ > 0, or V̄ below all that can be earned); a dash where none does. "
        f"The shade is the share of such nodes where they hold. They hold everywhere in "
        f"{number(coverage['runs_holding'].sum())} of {number(coverage['runs_tested'].sum())} such "
        f"runs; the least share of nodes in any cell is "
        f"{number(coverage[['lower', 'upper']].min(axis=None), 4)}."
    )
