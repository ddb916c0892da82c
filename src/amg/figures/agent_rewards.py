"""Individual rewards over the late stages of one run, and mean and spread within a stage."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from amg.base.text import bootstrap_intervals, fixed, join_words, percent
from amg.figures.labels import label_corner, note
from amg.figures.sheet import Sheet, Tables, estimates
from amg.figures.style import AGENTS, BLUE, GREY, PAGE, PALE

STAGES = 6  # boundaries in view
BLOCKS = 500  # at most, in view
SIZES = (25, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)  # episodes of a block
MEAN, SPREAD = "mean return", "standard deviation of an agent"


def draw(tables: Tables) -> Sheet:
    """Return the picture with its data."""
    sheet = Sheet(PAGE, 3.1)
    axes = sheet.subplots(2, 2, sharex="col", width_ratios=[2.2, 1])
    _draw_run(sheet, axes[0, 0], axes[1, 0], tables)
    _draw_stage(sheet, axes[0, 1], axes[1, 1], tables["restart"])
    sheet.align_ylabels()
    return sheet


def _draw_run(sheet: Sheet, above: Axes, below: Axes, tables: Tables) -> None:
    """Draw mean and standard deviation of blocks of episodes, and where stages end."""
    edges, size = _view(tables)
    above.set_label(f"mean return of about {size} episodes by episode")
    above.set_title(f"(a) one run: mean over blocks of about {size} episodes")
    below.set_label(f"standard deviation of about {size} episodes by episode")
    below.set_title("(b) one run: standard deviation within the same blocks")
    blocks = [  # none crosses the end of a stage
        block
        for start, end in pairwise(edges)
        for block in np.array_split(range(start + 1, end + 1), max(1, round((end - start) / size)))
    ]
    middle = [block.mean() for block in blocks]
    for i, (agent, rows) in enumerate(tables["single_run"].groupby("agent", sort=False)):
        returns = rows.set_index("episode")["return"]
        parts = [returns.loc[block[0] : block[-1]].to_numpy() for block in blocks]
        look: dict[str, Any] = {"color": AGENTS[i % len(AGENTS)], "zorder": 2 + 0.2 * i}
        sheet.line(above, agent, middle, [part.mean() for part in parts], linewidth=0.7, **look)
        sheet.line(below, agent, middle, [part.std() for part in parts], linewidth=0.7, **look)
    stages = tables["stages"]
    later = stages[(stages["step"] > 1) & stages["episode"].between(edges[0] + 1, edges[-1] - 1)]
    later = later.sort_values("episode")
    for axes in (above, below):
        _draw_ends(sheet, axes, "stage of the first step ends", edges[1:-1], color=PALE)
        _draw_ends(
            sheet, axes, "stage of a later step ends", later["episode"], color=GREY, ymax=0.04
        )

    below.set_xlim(edges[0], edges[-1])
    below.set_ylim(bottom=0)
    below.xaxis.set_major_formatter("{x:,.0f}")
    below.set(xlabel="episode", ylabel="reward per episode")
    above.set_ylabel("reward per episode")
    low, high = above.get_ylim()
    above.set_ylim(low - 0.06 * (high - low), high + 0.06 * (high - low))  # room for labels
    label_corner(above, (1.0, 1.0))
    steps = later["step"].unique()
    which = f"step {steps[0]}" if len(steps) == 1 else "a later step"
    for last in edges[1:-1][-1:]:
        _label_end(above, "restart of step 1", last, 1.0, room=0.4, va="top")
    for last in later["episode"][-1:]:
        _label_end(above, f"restart of {which}", last, 0.04, room=0.22, va="center")


def _draw_ends(sheet: Sheet, axes: Axes, series: str, episodes: Any, **look: Any) -> None:
    sheet.record(axes, series, episodes)
    for episode in episodes:
        axes.axvline(episode, label=series, linewidth=0.8, zorder=1.0, **look)


def _label_end(axes: Axes, text: str, x: float, y: float, room: float, va: str) -> None:
    """Name a vertical line: on its right if a share `room` of the panel is left there."""
    left, right = axes.get_xlim()
    sign, ha = (1, "left") if right - x >= room * (right - left) else (-1, "right")
    look = {"xycoords": axes.get_xaxis_transform(), "ha": ha, "va": va}
    note(axes, text, (x, y), GREY, (3.0 * sign, 0.0), **look)


def _draw_stage(sheet: Sheet, above: Axes, below: Axes, restart: pd.DataFrame) -> None:
    for axes, measure in ((above, MEAN), (below, SPREAD)):
        axes.set(label=f"{measure} by share of a stage", ylabel="reward per agent, episode")
        rows = restart[restart["measure"] == measure]
        if len(rows):
            columns = estimates(rows, "position")
            sheet.line(axes, measure, *columns, color=BLUE, drawstyle="steps-mid")
        else:
            note(axes, "no stage is long enough", (0.5, 0.5), GREY, ha="center")
    above.set_title("(c) within a stage, all runs: mean")
    below.set_title("(d) within a stage, all runs: s.d.")
    below.set_xlim(0, 1)
    below.set_ylim(bottom=0)
    below.set_xlabel("share of the stage that has passed")


def describe(tables: Tables) -> str:
    """Return the long caption."""
    restart, (_, size) = tables["restart"], _view(tables)
    run = "".join(f" ({run})" for run in tables["stages"]["run"][:1])
    text = (
        f"Left: the returns of {join_words(tables['single_run']['agent'].unique())} over the last "
        f"stages of one run{run}. Long lines mark where a stage of the first step ends and play "
        f"begins again from uniform, short ticks where one of a later step does. Single episodes "
        f"are noise, so (a) shows means over blocks of about {size} episodes and (b) the standard "
        f"deviation of single episodes within them. "
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


def _view(tables: Tables) -> tuple[list[int], int]:
    """Return the episodes where the view begins, its stages of step 1 end, and it ends itself.

    With them comes the size of a block, about so many episodes.
    """
    stages, last = tables["stages"], int(tables["single_run"]["episode"].max())
    ends = sorted(stages[(stages["step"] == 1) & (stages["episode"] < last)]["episode"])
    edges = [0, *ends, last][-STAGES - 2 :]
    fitting = (size for size in SIZES if last - edges[0] <= size * BLOCKS)
    return edges, next(fitting, SIZES[-1])
