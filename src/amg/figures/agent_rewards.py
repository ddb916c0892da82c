"""Individual rewards over the late stages of one run, and mean and spread within a stage."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from amg.figures import palette
from amg.figures.palette import BLUE, GREY
from amg.figures.sheet import Sheet, stack
from amg.figures.style import PAGE, SMALL, styled
from amg.figures.words import fixed, intervals, listed

STAGES = 6  # boundaries in view
BLOCKS = 500  # at most, in view
SIZES = (25, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)  # episodes of a block
MEAN, SPREAD = "mean return", "standard deviation of an agent"


@styled()
def draw(tables: Mapping[str, pd.DataFrame]) -> tuple[Figure, pd.DataFrame]:
    sheet = Sheet(PAGE, 3.1)
    axes = sheet.figure.subplots(2, 2, sharex="col", width_ratios=[2.2, 1])
    _over_episodes(sheet, axes[:, 0], tables)
    _within_a_stage(sheet, axes[:, 1], tables["restart"])
    for column in (0, 1):
        sheet.figure.align_ylabels(axes[:, column])
    return sheet.finish()


def _over_episodes(sheet: Sheet, axes: Any, tables: Mapping[str, pd.DataFrame]) -> None:
    boundaries, first, size = _window(tables)
    mean = sheet.panel(axes[0], f"mean return of about {size} episodes by episode")
    spread = sheet.panel(axes[1], f"standard deviation of about {size} episodes by episode")
    agents = list(_agents(tables["single_run"]))
    for i, (agent, returns) in enumerate(agents):
        middle, means, deviations = _blocks(returns, [first, *boundaries], size)
        look = {"color": palette.agent(i), "linewidth": 0.7, "zorder": 2 + 0.2 * i}
        mean.line(agent, middle, means, **look)
        spread.line(agent, middle, deviations, **look)
    later = tables["stages"][tables["stages"]["step"] > 1]["episode"].to_numpy()
    for panel in (mean, spread):
        panel.boundaries("stage of the first step ends", boundaries, linewidth=0.8)
        panel.boundaries("stage of a later step ends", later[later > first], ymax=0.04, color=GREY)
        panel.axes.set_xlim(first, returns.index.max())
    stack(
        axes[0], [(agent, palette.agent(i)) for i, (agent, _) in enumerate(agents)], (1, 1), "right"
    )
    low, high = axes[0].get_ylim()
    axes[0].set_ylim(low - 0.06 * (high - low), high + 0.06 * (high - low))  # room for words
    _name(axes[0], "restart of step 1", boundaries, 1.0, room=0.4)
    _name(axes[0], "restart of a later step", later[later > first], 0.04, room=0.28)
    axes[0].set_title(f"(a) one run: mean over blocks of about {size} episodes")
    axes[1].set_title("(b) one run: standard deviation within the same blocks")
    axes[0].set_ylabel("reward per episode")
    axes[1].set_ylabel("reward per episode")
    axes[1].set_ylim(bottom=0)
    axes[1].xaxis.set_major_formatter("{x:,.0f}")
    axes[1].set_xlabel("episode")


def _name(axes: Axes, text: str, places: NDArray[np.int64], height: float, room: float) -> None:
    """Say what lines at these places are: right of the last if that leaves this share, else left."""
    if not len(places):
        return
    left, right = axes.get_xlim()
    far = right - places.max() < room * (right - left)
    va = "top" if height == 1.0 else "center"
    axes.annotate(
        text, (places.max(), height), xycoords=axes.get_xaxis_transform(), va=va, color=GREY,
        xytext=(-3 if far else 3, 0), textcoords="offset points", ha="right" if far else "left",
        fontsize=SMALL,
    )  # fmt: skip


def _within_a_stage(sheet: Sheet, axes: Any, restart: pd.DataFrame) -> None:
    titles = ("(c) within a stage, all runs: mean", "(d) within a stage, all runs: s.d.")
    for ax, measure, title in zip(axes, (MEAN, SPREAD), titles, strict=True):
        rows = restart[restart["measure"] == measure]
        panel = sheet.panel(ax, f"{measure} by position in a stage")
        panel.line(
            measure, rows["position"], rows["mean"], rows["low"], rows["high"],
            color=BLUE, drawstyle="steps-mid",
        )  # fmt: skip
        if rows.empty:
            ax.text(0.5, 0.5, "no stage is long enough", ha="center", transform=ax.transAxes)
        ax.set_title(title)
        ax.set_ylabel("reward per agent, episode")
        ax.set_xlim(0, 1)
    axes[1].set_ylim(bottom=0)
    axes[1].set_xlabel("share of the stage that has passed")


def caption(tables: Mapping[str, pd.DataFrame]) -> str:
    boundaries, first, size = _window(tables)
    restart = tables["restart"]
    agents = listed(agent for agent, _ in _agents(tables["single_run"]))
    text = (
        f"Left: the return of {agents} over the last stages of one run "
        f"({tables['stages']['run'].iloc[0]}); long lines mark where a stage of the starting "
        f"state ends and play begins again from uniform, short ticks where one of a later step "
        f"does. Single episodes are noise, so (a) shows means over blocks of about {size} "
        f"episodes and (b) the standard deviation of single episodes within the same blocks. "
    )
    if restart.empty:
        return text + "No stage was long enough for a profile."
    ends = {
        measure: restart[restart["measure"] == measure]["mean"].iloc[[0, -1]].tolist()
        for measure in (MEAN, SPREAD)
    }
    return text + (
        f"Right: the same within a stage, all stages of all runs laid over each other "
        f"({intervals(restart)}). From the first to the last "
        f"{1 / restart['position'].nunique():.1%} of a stage the mean goes from "
        f"{fixed(ends[MEAN][0])} to {fixed(ends[MEAN][1])} and the standard deviation of an "
        f"agent's return from {fixed(ends[SPREAD][0])} to {fixed(ends[SPREAD][1])}: rewards "
        f"fluctuate at the beginning of each stage and then settle, as the paper says, and they "
        f"settle at a lower mean."
    )


def _agents(single_run: pd.DataFrame) -> Iterator[tuple[str, pd.Series]]:
    """Each agent's returns by episode."""
    for agent, rows in single_run.groupby("agent", sort=False):
        yield str(agent), rows.set_index("episode")["return"]


def _window(tables: Mapping[str, pd.DataFrame]) -> tuple[NDArray[np.int64], int, int]:
    """The last boundaries of the first step, the episode before the view, and a block's size."""
    stages = tables["stages"]
    last = int(tables["single_run"]["episode"].max())
    ends = stages[(stages["step"] == 1) & (stages["episode"] < last)]["episode"].to_numpy()
    ends = np.sort(ends)
    boundaries = ends[-STAGES:]
    before = ends[-STAGES - 1] if len(ends) > STAGES else 0
    sizes = [size for size in SIZES if (last - before) / size <= BLOCKS]
    return boundaries, int(before), sizes[0] if sizes else SIZES[-1]


def _blocks(returns: pd.Series, starts: Sequence[int], size: int) -> NDArray[np.float64]:
    """[3, blocks] middle episode, mean and standard deviation of blocks of about this size.

    The episodes after each start, up to the next, are cut on their own: no block spans a restart.
    """
    last = int(returns.index.max())
    values = returns.sort_index().to_numpy()[-(last - starts[0]) :]  # of episodes starts[0] + 1 …
    rows = []
    for start, end in itertools.pairwise([*starts, last]):
        edges = np.linspace(start, end, max(1, round((end - start) / size)) + 1).round().astype(int)
        for a, b in itertools.pairwise(edges):
            block = values[a - starts[0] : b - starts[0]]
            rows.append(((a + 1 + b) / 2, block.mean(), block.std()))
    return np.array(rows).T
