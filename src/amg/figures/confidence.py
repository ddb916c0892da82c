"""The confidence lemma: V̲ ≤ V and U ≤ V̄ over the episodes of a run, and how often it holds."""

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from amg.base.text import episodes, fixed, join_words, number, percent
from amg.figures import style
from amg.figures.style import BLUE, INK, ORANGE, PAGE, PALE, SIZE, SKY, VERMILION, Sheet, Tables

BOUNDS: dict[str, tuple[str, str, Any]] = {  # name, colour and dashes, from the top
    "upper": ("$\\overline{V}$ upper bound", BLUE, (0, (1, 1))),
    "informed": ("$U$ informed deviator", VERMILION, (0, (4, 1.5))),
    "value": ("$V$ certified value", INK, "-"),
    "lower": ("$\\underline{V}$ lower bound", BLUE, (0, (1, 1))),
}
ENDS = {"trivial": PALE, "holds everywhere": SKY, "fails somewhere": ORANGE}  # of a run
LEAST = 0.06  # of the panel's height: a lower bar has no room for its number
GAP = 0.7  # between the bars of both tables


def draw(tables: Tables) -> Sheet:
    """Return the picture with its data."""
    sheet = Sheet(PAGE, 2.4)
    left, right = sheet.subplots(1, 2, width_ratios=[1, 1.6])
    _draw_bounds(sheet, left, tables["confidence"])
    _draw_runs(sheet, right, tables)
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


def _draw_runs(sheet: Sheet, axes: Axes, tables: Tables) -> None:
    """Draw a bar for each K, of the study and of the control: how many runs end in which way."""
    axes.set_label("runs by K")
    groups = {"with the bonus": _ends(tables["coverage"]), "without": _ends(tables["control"])}
    room = LEAST * max(ends[list(ENDS)].sum(axis=1).max() for ends in groups.values())
    places: list[float] = []
    names: list[str] = []
    for group, ends in groups.items():
        at = np.arange(len(ends)) + (places[-1] + 1 + GAP if places else 0)
        bottom = np.zeros(len(ends))
        for end, colour in ENDS.items():
            sheet.record(axes, f"{group}: {end}", ends.index, ends[end])
            bars = axes.bar(at, ends[end], 0.9, bottom, color=colour, label=end)
            axes.bar_label(bars, [f"{n:.0f}" if n > room else "" for n in ends[end]],
                           label_type="center")  # fmt: skip
            bottom += ends[end].to_numpy()
        places += at.tolist()
        names += [f"{episodes(K)}\n{percent(share)}" for K, share in ends["informative"].items()]
    axes.set_xticks(places, names)
    axes.tick_params(axis="x", length=0)
    axes.margins(x=0.01, y=0)
    axes.set_ylabel("runs")
    axes.set_title("(b) runs in which the lemma is trivial, holds or fails", pad=17)
    _name_groups(axes, groups, places)
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(
        handles[: len(ENDS)], labels[: len(ENDS)], loc="lower left", bbox_to_anchor=(0, 1), ncols=3,
        borderpad=0, borderaxespad=0.3, handlelength=1.2, columnspacing=1.5,
    )  # fmt: skip


def _name_groups(axes: Axes, groups: dict[str, pd.DataFrame], places: list[float]) -> None:
    """Write below the bars to which group they belong."""
    below = axes.secondary_xaxis(0)
    ends = np.cumsum([0, *map(len, groups.values())])
    own = [places[a:b] for a, b in pairwise(ends)]
    middles = {np.mean(one): group for one, group in zip(own, groups, strict=True) if one}
    below.set_xticks([*middles], [*middles.values()])
    below.tick_params(length=0, pad=2 + 2.6 * SIZE)
    below.spines[:].set_visible(False)
    below.set_xlabel("episodes K, and the share of bounds that say something")


def _ends(coverage: pd.DataFrame) -> pd.DataFrame:
    """Return how many runs of each K end in which way, and the share of informative bounds."""
    runs, tested, holding = (coverage[f"runs{part}"] for part in ("", "_tested", "_holding"))
    counts = dict(zip(ENDS, (runs - tested, holding, tested - holding), strict=True))
    groups = coverage.assign(**counts).groupby("episodes")
    return groups[list(ENDS)].sum().assign(informative=groups["tested"].mean())


def describe(tables: Tables) -> str:
    """Return the long caption."""
    confidence, coverage, control = (tables[x] for x in ("confidence", "coverage", "control"))
    if confidence.empty:
        return "No stage of the starting state was completed."
    end = confidence[confidence["episode"] == confidence["episode"].max()]
    ends = {bound: fixed(rows["value"].mean(), 3) for bound, rows in end.groupby("bound")}
    text = (
        f"(a) For the starting state after each of its stages in one run "
        f"({style.run_title(confidence['run'].iloc[0])}): the agents' bounds V̄ and V̲, the value V "
        f"of the certified policy, and the value U of the best deviation by an agent who knows the "
        f"stage. The lemma says that V̲ ≤ V and U ≤ V̄ with high probability. At the end, on average "
        f"over agents, V̲ = {ends['lower']}, V = {ends['value']}, U = {ends['informed']} and V̄ = "
        f"{ends['upper']}. (b) Runs of {_series(coverage)}. A run is trivial if none of its bounds "
        f"says anything (V̲ is the least that can be earned, V̄ the most): it cannot fail. In all "
        f"others the bounds hold at every step, state and stage, or fail somewhere. Below each K: "
        f"the share of bounds that say something. They hold everywhere in "
        f"{number(coverage['runs_holding'].sum())} of {number(coverage['runs_tested'].sum())} runs "
        f"that can fail, of {number(coverage['runs'].sum())} in all; "
    )
    failing = coverage[coverage["runs_holding"] < coverage["runs_tested"]]
    if len(failing):
        least = number(coverage[["lower", "upper"]].min(axis=None), 4)
        text += f"they fail for {_series(failing)}, and hold at a share {least} of nodes at least; "
    return text + (
        f"without the bonus, where the lemma promises nothing ({_series(control)}), in "
        f"{number(control['runs_holding'].sum())} of {number(control['runs_tested'].sum())}."
    )


def _series(coverage: pd.DataFrame) -> str:
    """Return the learners and games of these rows."""
    names = (style.learner_look(label).name for label in coverage["learner"].unique())
    games = (style.game_title(label, "") for label in coverage["game"].unique())
    return f"{join_words(names)} on {join_words(games)}"
