"""Average reward of the agents over episodes, beside the exact references of the game."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from amg.figures import palette, returns
from amg.figures.labels import note, stack
from amg.figures.palette import GREY
from amg.figures.references import draw_references, known, label_references, sentence
from amg.figures.sheet import Sheet
from amg.figures.style import COLUMN, SMALL, styled
from amg.figures.words import intervals


@styled()
def draw(tables: Mapping[str, pd.DataFrame]) -> tuple[Figure, pd.DataFrame]:
    drawn = returns.series(tables["returns"], ["v_learning"])
    references = known(tables["references"], returns.game(tables["returns"]))
    sheet = Sheet(COLUMN, 2.5)
    axes = sheet.figure.subplots()
    inset = axes.inset_axes((0.25, 0.44, 0.73, 0.35))
    panel = sheet.panel(axes, "average reward by episode")
    magnified = sheet.panel(inset, "average reward by episode, magnified")
    for place, width in ((panel, 1.1), (magnified, 0.8)):
        returns.reward_lines(place, drawn, linewidth=width)
        returns.episodes_axis(place.axes, drawn)
        draw_references(place, references)

    inset.set_ylim(*_late(drawn, references))
    inset.tick_params(labelsize=SMALL - 0.5)
    inset.xaxis.set_major_locator(MaxNLocator(3))
    note(inset, "magnified", (0.99, 1.0), GREY, ha="right", va="top")

    axes.margins(y=0.08)
    axes.set_xlabel("episode")
    axes.set_ylabel(returns.UNIT)
    looks = [palette.learner(label) for label, _ in drawn]
    stack(axes, [(shown.name, shown.colour) for shown in looks], (0.99, 0.91), "right")
    label_references(panel, references)
    return sheet.finish()


def caption(tables: Mapping[str, pd.DataFrame]) -> str:
    drawn = returns.series(tables["returns"], ["v_learning"])
    references = known(tables["references"], returns.game(tables["returns"]))
    text = (
        f"Return on the {palette.game(returns.game(tables['returns']))}, mean over agents, seeds "
        f"and blocks of {returns.block(drawn):,} episodes; bands are "
        f"{intervals(tables['returns'])}; the inset magnifies the late part. Dashed lines are "
        f"exact: {sentence(references)}. Over the last tenth of the episodes the mean is "
        f"{returns.late(drawn)}."
    )
    falls = all(rows["mean"].iloc[-1] < rows["mean"].iloc[0] for _, rows in drawn)
    if falls and references.get("uniform play", -np.inf) > references.get("every CCE", np.inf):
        text += (
            " Reward falls as the agents learn, for uniform play earns more than the equilibrium: "
            "a high reward is not a sign of learning here."
        )
    return text


def _late(drawn: returns.Series, references: Mapping[str, float]) -> tuple[float, float]:
    """Ends of an axis for the last nine tenths of the lines, and for a reference if it is near."""
    late = pd.concat([rows[rows["episode"] > 0.1 * rows["episode"].max()] for _, rows in drawn])
    low, high = late["low"].min(), late["high"].max()
    low = min([low, *(v for v in references.values() if abs(v - low) < high - low)])
    return low - 0.1 * (high - low), high + 0.1 * (high - low)
