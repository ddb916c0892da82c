"""The adaptive stage mechanism in a real run: aggregate signal → λ → length of the next stage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, MaxNLocator
from numpy.typing import NDArray

from amg.base.text import fixed, number
from amg.figures.sheet import NO_STAGE, Sheet, note
from amg.figures.style import BLUE, COLUMN, GREY, INK

STEPS: dict[str, Any] = {"color": BLUE, "drawstyle": "steps-post"}
VISITS: dict[str, Any] = {"color": GREY, "alpha": 0.7, "linestyle": "none", "marker": "|",
                          "markersize": 4, "markeredgewidth": 0.35}  # fmt: skip


def draw(tables: Mapping[str, pd.DataFrame]) -> tuple[Figure, pd.DataFrame]:
    """Return the picture and the data in it."""
    signal, stages = tables["signal"], tables["mechanism"]
    sheet = Sheet(COLUMN, 3.6)
    axes = sheet.figure.subplots(3, 1, sharex=True, height_ratios=[1.15, 1, 1])
    edges = np.append(0.5, stages["last_episode"].astype(float) + 0.5)
    observed = sheet.panel(axes[0], "aggregate by episode")
    coefficient = sheet.panel(axes[1], "coefficient by episode")
    length = sheet.panel(axes[2], "stage length by episode")

    observed.line("aggregate of a visit", signal["episode"], signal["aggregate"], **VISITS)
    mean, deviation = _hold(stages["mean"]), _hold(stages["deviation"].fillna(0))
    observed.line(
        "mean of a stage, ± s.d.", edges, mean, mean - deviation, mean + deviation, **STEPS
    )
    coefficient.line("λ of a stage", edges, _hold(stages["coefficient"]), **STEPS)
    length.line("length of a stage", edges, _hold(stages["length"]), **STEPS)
    for panel in (observed, coefficient, length):
        panel.stripes("stage boundary", edges.tolist())

    axes[0].set_ylabel("aggregate")
    axes[0].yaxis.set_major_locator(FixedLocator(signal["aggregate"].unique().tolist()))
    axes[0].margins(y=0.12)
    axes[0].set_title("(a) the aggregate at each visit; mean ± s.d. of each stage")
    axes[1].set_ylabel("λ")
    axes[1].yaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
    axes[1].yaxis.set_major_formatter("{x:.2f}")
    axes[1].margins(y=0.12)
    axes[1].set_title("(b) λ, from the fluctuation of the aggregate within the stage")
    axes[2].set_yscale("log")
    if len(stages):
        axes[2].set_ylim(stages["length"].min() / 1.6, stages["length"].max() * 4)
    axes[2].set_ylabel("visits per stage")
    axes[2].set_title("(c) the length of each stage, from the λ of the one before")
    axes[2].set_xscale("log")
    axes[2].set_xlim(0.5, signal["episode"].max() + 0.5)
    axes[2].set_xlabel("episode (visit to the starting state)")
    sheet.figure.align_ylabels(axes)

    if stages.empty:
        note(axes[2], NO_STAGE, (0.5, 0.5), GREY, ha="center")
        return sheet.finish()
    lengths = stages["length"].tolist()
    for j in {0, len(stages) - 1}:
        middle = float(np.sqrt(edges[j] * edges[j + 1]))
        length.text(middle, lengths[j], str(lengths[j]), BLUE, (0, 3), ha="center", va="bottom")
    if _stall(stages) > 1:
        words = f"{_stall(stages)} stages of {lengths[0]}"
        length.text(edges[_stall(stages)], lengths[0], words, INK, (4, 0))
    return sheet.finish()


def describe(tables: Mapping[str, pd.DataFrame]) -> str:
    """Return the long caption."""
    stages = tables["mechanism"]
    if stages.empty:
        return f"The total effort at each visit to the starting state of a real run; {NO_STAGE}."
    lengths, stall = stages["length"].tolist(), _stall(stages)
    half = len(stages) // 2
    parts = stages["coefficient"][: max(half, 1)], stages["coefficient"][half:]
    early, late = (fixed(part.mean(), 3) for part in parts)
    text = (
        f"The paper's schematic as a real run ({stages['run'].iloc[0]}): stripes are the "
        f"{len(stages)} completed stages of the starting state at the first step. (a) The total "
        f"effort at each visit, with mean and standard deviation of each stage; (b) the "
        f"fluctuation coefficient λ that follows from them, here between "
        f"{fixed(stages['coefficient'].min(), 3)} and {fixed(stages['coefficient'].max(), 3)}; (c) "
        f"the length L of each stage, from {lengths[0]} to {number(lengths[-1])} visits: the next "
        f"is ⌊λ(1+1/T)L⌋. From the first to the second half of the stages the mean of λ goes from "
        f"{early} to {late}: little fluctuation means a small λ, and stages that grow slowly."
    )
    if stall > 1:
        text += (
            f" Rounding down, the printed rule leaves its first length only once λ reaches 1: here "
            f"after {stall} stages of {lengths[0]} visits."
        )
    return text


def _hold(values: pd.Series) -> NDArray[np.float64]:
    """Return values of stages for a step line between their edges: the last value twice."""
    return np.append(values, values.iloc[-1] if len(values) else np.nan).astype(float)


def _stall(stages: pd.DataFrame) -> int:
    """Return how many stages, from the first on, have the first length."""
    grown = (stages["length"] != stages["length"].iloc[0]).to_numpy()
    return int(grown.argmax()) if grown.any() else len(stages)
