"""The adaptive stage mechanism in a real run: aggregate signal → λ → length of the next stage."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, MaxNLocator

from amg.figures.palette import BLUE, GREY, INK
from amg.figures.sheet import Sheet
from amg.figures.style import COLUMN, styled
from amg.figures.words import fixed


@styled()
def draw(tables: Mapping[str, pd.DataFrame]) -> tuple[Figure, pd.DataFrame]:
    signal, stages = tables["signal"], tables["mechanism"]
    sheet = Sheet(COLUMN, 3.6)
    axes = sheet.figure.subplots(3, 1, sharex=True, height_ratios=[1.15, 1, 1])
    ends = stages["last_episode"].to_numpy() + 0.5
    edges = np.concatenate([[0.5], ends])
    last = float(signal["episode"].max()) + 0.5

    observed = sheet.panel(axes[0], "aggregate by episode")
    observed.line(
        "aggregate of a visit", signal["episode"], signal["aggregate"],
        color=GREY, linestyle="none", marker="|", markersize=4, markeredgewidth=0.35, alpha=0.7,
    )  # fmt: skip
    mean, deviation = stages["mean"].to_numpy(), stages["deviation"].fillna(0).to_numpy()
    steps = {"color": BLUE, "drawstyle": "steps-post"}
    observed.line(
        "mean of a stage, and one standard deviation",
        edges, _hold(mean), _hold(mean - deviation), _hold(mean + deviation), **steps,
    )  # fmt: skip
    axes[0].set_ylabel("aggregate")
    axes[0].yaxis.set_major_locator(FixedLocator(np.unique(signal["aggregate"])))
    axes[0].margins(y=0.12)
    axes[0].set_title("(a) the aggregate at each visit; mean ± s.d. of each stage")

    coefficient = sheet.panel(axes[1], "coefficient by episode")
    coefficient.line("λ of a stage", edges, _hold(stages["coefficient"]), **steps)
    axes[1].set_ylabel("λ")
    axes[1].margins(y=0.12)
    axes[1].yaxis.set_major_formatter("{x:.2f}")
    axes[1].yaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
    axes[1].set_title("(b) λ, from the fluctuation of the aggregate within the stage")

    length = sheet.panel(axes[2], "stage length by episode")
    length.line("length of a stage", edges, _hold(stages["length"]), **steps)
    axes[2].set_yscale("log")
    axes[2].set_ylabel("visits per stage")
    axes[2].set_title("(c) the length of each stage, from the λ of the one before")
    for stage in (0, len(stages) - 1):
        middle, value = np.sqrt(edges[stage] * edges[stage + 1]), stages["length"].iloc[stage]
        length.text(middle, value, f"{value}", BLUE, (0, 3), ha="center", va="bottom")
    stall = _stall(stages)
    if stall > 1:
        note = f"{stall} stages of {stages['length'].iloc[0]}"
        length.text(edges[stall], stages["length"].iloc[0], note, INK, (4, 0))
    axes[2].set_ylim(stages["length"].min() / 1.6, stages["length"].max() * 4)

    for panel in (observed, coefficient, length):
        panel.stripes("stage boundary", edges.tolist())
    axes[2].set_xscale("log")
    axes[2].set_xlim(0.5, last)
    axes[2].set_xlabel("episode (visit to the starting state)")
    sheet.figure.align_ylabels(axes)
    return sheet.finish()


def caption(tables: Mapping[str, pd.DataFrame]) -> str:
    stages = tables["mechanism"]
    stall = _stall(stages)
    text = (
        f"The paper's schematic as a real run ({stages['run'].iloc[0]}): stripes are the "
        f"{len(stages)} completed stages of the starting state at the first step. "
        f"(a) The total effort seen at each visit, with mean and one standard deviation of each "
        f"stage; (b) the fluctuation coefficient λ that follows, between "
        f"{fixed(stages['coefficient'].min(), 3)} and {fixed(stages['coefficient'].max(), 3)}; "
        f"(c) the length of a stage, from {stages['length'].iloc[0]} to "
        f"{stages['length'].iloc[-1]} visits: the next is ⌊λ(1+1/T)L⌋. As play settles the "
        f"aggregate fluctuates less, λ falls and stages grow more slowly."
    )
    if stall > 1:
        text += (
            f" The printed rule rounds down: from its first length it grows only once λ reaches 1, "
            f"here after {stall} stages of {stages['length'].iloc[0]} visits."
        )
    return text


def _hold(values: pd.Series | np.ndarray) -> np.ndarray:
    """Values of stages for steps over their edges: the last is held to its end."""
    values = np.asarray(values, dtype=float)
    return np.append(values, values[-1])


def _stall(stages: pd.DataFrame) -> int:
    """How many stages, from the first, have the first length."""
    grown = stages["length"].to_numpy() != stages["length"].iloc[0]
    return int(grown.argmax()) if grown.any() else len(stages)
