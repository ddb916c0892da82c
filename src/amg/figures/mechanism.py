"""The adaptive stage mechanism in a real run: aggregate signal → λ → length of the next stage."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.ticker import FixedLocator, MaxNLocator
from numpy.typing import NDArray

from amg.base.text import fixed, number
from amg.figures.style import AT_POINT, BLUE, COLUMN, FAINT, GREY, Sheet, Tables, note, run_title

STEPS: dict[str, Any] = {"color": BLUE, "drawstyle": "steps-post"}
VISITS: dict[str, Any] = {"color": GREY, "alpha": 0.7, "linestyle": "none", "marker": "|",
                          "markersize": 4, "markeredgewidth": 0.35}  # fmt: skip


def draw(tables: Tables) -> Sheet:
    """Return the picture with its data."""
    signal, stages = tables["signal"], tables["mechanism"]
    sheet = Sheet(COLUMN, 3.6)
    panels = sheet.subplots(3, 1, sharex=True, height_ratios=[1.15, 1, 1])
    observed, coefficient, length = panels
    observed.set(label="aggregate by episode", ylabel="aggregate")
    observed.set_title("(a) the aggregate at each visit; mean ± s.d. of each stage")
    coefficient.set(label="coefficient by episode", ylabel="λ")
    coefficient.set_title("(b) λ, from the fluctuation of the aggregate within the stage")
    length.set(label="stage length by episode", ylabel="visits per stage", yscale="log")
    length.set_title("(c) the length of each stage, from the λ of the one before")
    length.set(xlabel="episode (visit to the starting state)", xscale="log")
    length.set_xlim(0.5, signal["episode"].max() + 0.5)
    sheet.align_ylabels()
    sheet.line(observed, "aggregate of a visit", signal["episode"], signal["aggregate"], **VISITS)
    observed.yaxis.set_major_locator(FixedLocator(signal["aggregate"].unique().tolist()))
    observed.margins(y=0.12)
    if stages.empty:
        return sheet

    edges = np.append(0.5, stages["last_episode"] + 0.5)
    mean, deviation = _hold(stages["mean"]), _hold(stages["deviation"].fillna(0))
    band = mean - deviation, mean + deviation
    sheet.line(observed, "mean of a stage, ± s.d.", edges, mean, *band, **STEPS)
    sheet.line(coefficient, "λ of a stage", edges, _hold(stages["coefficient"]), **STEPS)
    sheet.line(length, "length of a stage", edges, _hold(stages["length"]), **STEPS)
    for axes in panels:
        sheet.record(axes, "stage boundary", edges)
        for left, right in zip(edges[:-1:2], edges[1::2], strict=False):
            axes.axvspan(left, right, color=FAINT, linewidth=0, zorder=0)
    coefficient.yaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
    coefficient.yaxis.set_major_formatter("{x:.2f}")
    coefficient.margins(y=0.12)
    length.set_ylim(stages["length"].min() / 1.6, stages["length"].max() * 4)
    for j in {0, len(stages) - 1}:
        size, at = stages["length"].iloc[j], float(np.sqrt(edges[j] * edges[j + 1]))
        note(length, f"{size}", (at, size), BLUE, (0, 3), ha="center", va="bottom", **AT_POINT)
    return sheet


def describe(tables: Tables) -> str:
    """Return the long caption."""
    stages = tables["mechanism"]
    if stages.empty:
        return "The total effort at each visit to the starting state; no stage was completed."
    lengths, coefficient = stages["length"], stages["coefficient"]
    half = len(stages) // 2
    early, late = coefficient[: max(half, 1)].mean(), coefficient[half:].mean()
    return (
        f"The paper's schematic as a real run ({run_title(stages['run'].iloc[0])}): stripes are "
        f"the {len(stages)} completed stages of the starting state at the first step. (a) The "
        f"total effort at each visit, with mean and standard deviation of each stage; (b) the "
        f"fluctuation coefficient λ that follows from them, here between "
        f"{fixed(coefficient.min(), 3)} and {fixed(coefficient.max(), 3)}; (c) the length L of "
        f"each stage, from {lengths.iloc[0]} to {number(lengths.iloc[-1])} visits: the next is "
        f"⌊λ(1+1/T)L⌋. From the first to the second half of the stages the mean of λ goes from "
        f"{fixed(early, 3)} to {fixed(late, 3)}: little fluctuation means a small λ, and stages "
        f"that grow slowly."
    )


def _hold(values: pd.Series) -> NDArray[np.float64]:
    """Return values of stages for a step line between their edges: the last value twice."""
    return np.append(values, values.iloc[-1])
