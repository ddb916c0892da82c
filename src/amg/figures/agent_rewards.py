"""Individual rewards over the late stages of one run, and mean and spread within a stage."""

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from amg.base.text import fixed, intervals_over, join_words, percent
from amg.figures import style
from amg.figures.style import AGENTS, BLUE, GREY, PAGE, PALE, Sheet, Tables

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
    first, *ends, last = edges
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
    later = tables["stages"].query("step > 1 and @first < episode < @last").sort_values("episode")
    for axes in (above, below):
        for series, episodes, colour, height in (
            ("stage of the first step ends", ends, PALE, 1.0),
            ("stage of a later step ends", later["episode"], GREY, 0.04),
        ):
            sheet.record(axes, series, episodes)
            for x in episodes:
                axes.axvline(x, 0, height, label=series, color=colour, linewidth=0.8, zorder=1.0)

    below.set_xlim(first, last)
    below.set_ylim(bottom=0)
    below.xaxis.set_major_formatter("{x:,.0f}")
    below.set(xlabel="episode", ylabel="s.d. of an agent's\nreward per episode")
    above.set_ylabel("an agent's mean\nreward per episode")
    low, high = above.get_ylim()
    above.set_ylim(low - 0.06 * (high - low), high + 0.06 * (high - low))  # room for labels
    style.label_corner(above, (1.0, 1.0))
    steps = later["step"].unique()
    which = f"step {steps[0]}" if len(steps) == 1 else "a later step"
    across: Any = {"xycoords": above.get_xaxis_transform()}
    for x in ends[-1:]:
        style.note(
            above, "restart of step 1", (x, 1.0), GREY, (-3, 0), ha="right", va="top", **across
        )
    roomy = later[later["episode"] <= first + 0.78 * (last - first)]  # on the right, for a label
    for x in roomy["episode"][-1:]:
        style.note(above, f"restart of {which}", (x, 0.04), GREY, (3, 0), va="center", **across)


def _draw_stage(sheet: Sheet, above: Axes, below: Axes, restart: pd.DataFrame) -> None:
    labels = "mean reward per\nagent and episode", "s.d. of an agent's\nreward per episode"
    for axes, measure, label in zip((above, below), (MEAN, SPREAD), labels, strict=True):
        axes.set(label=f"{measure} by share of a stage", ylabel=label)
        rows = restart[restart["measure"] == measure]
        if len(rows):
            columns = style.estimates(rows, "position")
            sheet.line(axes, measure, *columns, color=BLUE, drawstyle="steps-mid")
    above.set_title("(c) within a stage, all runs: mean")
    below.set_title("(d) within a stage, all runs: s.d.")
    below.set_xlim(0, 1)
    below.set_ylim(bottom=0)
    below.set_xlabel("share of the stage that has passed")


def describe(tables: Tables) -> str:
    """Return the long caption."""
    restart, (_, size) = tables["restart"], _view(tables)
    run = "".join(f" ({style.run_title(run)})" for run in tables["stages"]["run"][:1])
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
        f"({intervals_over(restart['level'], restart['seeds'])}). From the first to the last "
        f"{percent(1 / len(mean), 1)} of a stage the mean goes from {fixed(mean.iloc[0])} to "
        f"{fixed(mean.iloc[-1])} and the standard deviation of an agent's return from "
        f"{fixed(spread.iloc[0])} to {fixed(spread.iloc[-1])}."
    )


def _view(tables: Tables) -> tuple[list[int], int]:
    """Return the edges of the stages of step 1 in view, and how many episodes a block has."""
    stages, last = tables["stages"], int(tables["single_run"]["episode"].max())
    ends = sorted(stages[(stages["step"] == 1) & (stages["episode"] < last)]["episode"])
    edges = [0, *ends, last][-STAGES - 2 :]
    fitting = (size for size in SIZES if last - edges[0] <= size * BLOCKS)
    return edges, next(fitting, SIZES[-1])
