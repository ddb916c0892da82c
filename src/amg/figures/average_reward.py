"""Average reward of the agents over episodes, beside the exact references of the game."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from matplotlib.figure import Figure

from amg.figures import palette
from amg.figures.references import draw_references, known, sentence
from amg.figures.returns import learners, log_episodes, reward_lines
from amg.figures.sheet import Sheet
from amg.figures.style import COLUMN, styled
from amg.figures.words import count, fixed, intervals


@styled()
def draw(tables: Mapping[str, pd.DataFrame]) -> tuple[Figure, pd.DataFrame]:
    returns, shown = tables["returns"], learners(tables["returns"], "v_learning")
    sheet = Sheet(COLUMN, 2.4)
    axes = sheet.figure.subplots()
    panel = sheet.panel(axes, "average reward by episode")
    reward_lines(panel, returns, shown)
    log_episodes(axes, returns)
    axes.set_ylabel("reward per agent and episode")
    draw_references(panel, known(tables["references"], returns["game"].iloc[0]))
    return sheet.finish()
