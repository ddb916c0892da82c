"""Individual rewards over the late stages of one run, and mean and spread within a stage."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from amg.base.text import bootstrap_intervals, fixed, join_words, percent
from amg.figures.sheet import Sheet, note, stack
from amg.figures.style import BLUE, GREY, PAGE, agent_colour

STAGES = 6  # boundaries in view
BLOCKS = 500  # at most, in view
SIZES = (25, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)  # episodes of a block
MEAN, SPREAD = "mean return", "standard deviation of an agent"


@dataclass(frozen=True)
class View:
    """The late stages of a run, in blocks of episodes."""

    agents: dict[str, pd.Series]  # returns by episode
    first: int  # the episode before the view
    last: int
    ends: list[int]  # of stages of the first step, within the view
    later: list[int]  # of stages of later steps
    steps: list[int]  # numbers of those later steps
    size: int  # episodes of a block, approximately


def draw(tables: Mapping[str, pd.DataFrame]) -> tuple[Figure, pd.DataFrame]:
    """Return the picture and the data in it."""
    sheet = Sheet(PAGE, 3.1)
    axes = sheet.figure.subplots(2, 2, sharex="col", width_ratios=[2.2, 1])
    _draw_run(sheet, axes[0, 0], axes[1, 0], _view(tables))
    _draw_stage(sheet, axes[0, 1], axes[1, 1], tables["restart"])
    for column in (0, 1):
        sheet.figure.align_ylabels(axes[:, column])
    return sheet.finish()


def _draw_run(sheet: Sheet, above: Axes, below: Axes, view: View) -> None:
    mean = sheet.panel(above, f"mean return of about {view.size} episodes by episode")
    spread = sheet.panel(below, f"standard deviation of about {view.size} episodes by episode")
    for i, (agent, returns) in enumerate(view.agents.items()):
        middle, means, deviations = _blocks(returns, [view.first, *view.ends, view.last], view.size)
        for panel, values in ((mean, means), (spread, deviations)):
            look = {"color": agent_colour(i), "linewidth": 0.7, "zorder": 2 + 0.2 * i}
            panel.line(agent, middle, values, **look)
    for panel in (mean, spread):
        panel.boundaries("stage of the first step ends", view.ends)
        panel.boundaries("stage of a later step ends", view.later, ymax=0.04, color=GREY)

    below.set_xlim(view.first, view.last)
    below.set_ylim(bottom=0)
    below.xaxis.set_major_formatter("{x:,.0f}")
    below.set_xlabel("episode")
    below.set_ylabel("reward per episode")
    below.set_title("(b) one run: standard deviation within the same blocks")
    above.set_ylabel("reward per episode")
    above.set_title(f"(a) one run: mean over blocks of about {view.size} episodes")
    low, high = above.get_ylim()
    above.set_ylim(low - 0.06 * (high - low), high + 0.06 * (high - low))  # room for labels
    names = [(agent, agent_colour(i)) for i, agent in enumerate(view.agents)]
    stack(above, names, (1.0, 1.0), "right")
    _label(above, "restart of step 1", view.ends, 1.0, "top", room=0.4)
    which = f"step {view.steps[0]}" if len(view.steps) == 1 else "a later step"
    _label(above, f"restart of {which}", view.later, 0.04, "center", room=0.22)


def _label(
    axes: Axes, text: str, places: Sequence[int], height: float, va: str, room: float
) -> None:
    """Name vertical lines: right of the last if a share `room` of the panel is left there."""
    if places:
        left, right = axes.get_xlim()
        sign, ha = (1, "left") if right - max(places) >= room * (right - left) else (-1, "right")
        look = {"xycoords": axes.get_xaxis_transform(), "xytext": (3.0 * sign, 0.0)}
        note(axes, text, (max(places), height), GREY, ha=ha, va=va, **look)


def _draw_stage(sheet: Sheet, above: Axes, below: Axes, restart: pd.DataFrame) -> None:
    for axes, measure in ((above, MEAN), (below, SPREAD)):
        rows = restart[restart["measure"] == measure]
        panel = sheet.panel(axes, f"{measure} by share of a stage")
        bounds = rows["low"], rows["high"]
        steps = {"color": BLUE, "drawstyle": "steps-mid"}
        panel.line(measure, rows["position"], rows["mean"], *bounds, **steps)
        if rows.empty:
            note(axes, "no stage is long enough", (0.5, 0.5), GREY, ha="center")
        axes.set_ylabel("reward per agent, episode")
    above.set_title("(c) within a stage, all runs: mean")
    below.set_title("(d) within a stage, all runs: s.d.")
    below.set_xlim(0, 1)
    below.set_ylim(bottom=0)
    below.set_xlabel("share of the stage that has passed")


def describe(tables: Mapping[str, pd.DataFrame]) -> str:
    """Return the long caption."""
    view, restart = _view(tables), tables["restart"]
    run = "".join(f" ({run})" for run in tables["stages"]["run"][:1])
    text = (
        f"Left: the returns of {join_words(view.agents)} over the last stages of one run"
        f"{run}. Long lines mark where a stage of the first step "
        f"ends and play begins again from uniform, short ticks where one of a later step does. "
        f"Single episodes are noise, so (a) shows means over blocks of about {view.size} episodes "
        f"and (b) the standard deviation of single episodes within them. "
    )
    if restart.empty:
        return text + "No stage was long enough for a profile."
    mean, spread = (restart[restart["measure"] == name]["mean"] for name in (MEAN, SPREAD))
    return text + (
        f"Right: the same within a stage, all long stages of all runs laid over each other "
        f"({bootstrap_intervals(restart['level'], restart['seeds'])}). From the first to the last "
        f"{percent(1 / len(mean), 1)} of a stage the mean goes from {fixed(mean.iloc[0])} to "
        f"{fixed(mean.iloc[-1])} and the standard deviation of an agent's return from "
        f"{fixed(spread.iloc[0])} to {fixed(spread.iloc[-1])}."
    )


def _view(tables: Mapping[str, pd.DataFrame]) -> View:
    stages, single = tables["stages"], tables["single_run"]
    last = int(single["episode"].max())
    within = stages[stages["episode"] < last]
    ends = sorted(within[within["step"] == 1]["episode"].tolist())
    first = ends[-STAGES - 1] if len(ends) > STAGES else 0
    later = within[(within["step"] > 1) & (within["episode"] > first)]
    return View(
        agents={
            str(agent): rows.set_index("episode")["return"].sort_index()
            for agent, rows in single.groupby("agent", sort=False)
        },
        first=first,
        last=last,
        ends=ends[-STAGES:],
        later=sorted(later["episode"].tolist()),
        steps=sorted(later["step"].unique().tolist()),
        size=next((size for size in SIZES if last - first <= size * BLOCKS), SIZES[-1]),
    )


def _blocks(returns: pd.Series, edges: Sequence[int], size: int) -> NDArray[np.float64]:
    """Return [3, blocks] middle episode, mean and standard deviation of blocks of about `size`.

    No block crosses an edge, where a stage ends.
    """
    rows = []
    for start, end in itertools.pairwise(edges):
        blocks = max(1, round((end - start) / size))
        for block in np.array_split(np.arange(start + 1, end + 1), blocks):
            values = returns.loc[block[0] : block[-1]].to_numpy()
            rows.append((block.mean(), values.mean(), values.std()))
    return np.array(rows).T
