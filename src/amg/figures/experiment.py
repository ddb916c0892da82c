"""The table and the figure of any experiment, drawn by its shape.

Each game has a panel, each learner a colour. A varied parameter goes along x, at the largest K, and
the reward has panels, too. Otherwise several K go along x, on logarithmic axes. With a single K
there is a dot for each learner.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from amg.base.files import write_text
from amg.base.text import episodes, estimate, intervals_over, join_words, number
from amg.figures import style
from amg.figures.style import COLUMN, PAGE, Sheet
from amg.tables import BY_SHAPE
from amg.tables.needs import make_tables
from amg.tables.tidy import read_table, write_table

TITLES = {
    "max_gap": "equilibrium gap ε (reward)",
    "mean_return": "reward in training\n(all agents)",
}
COLOURS = (style.BLUE, style.VERMILION, style.GREEN, style.PURPLE, style.ORANGE, *style.AGENTS)
MARKERS = "osDXP^"
ACROSS = 4  # panels beside each other
MOST = 24  # panels of a figure; the table has all
TOLD = 12  # numbers that the caption repeats, at most
LOG_FROM = 20  # a ratio of means from which on the scale of dots is logarithmic

Looks = Mapping[str, Mapping[str, Any]]


def make(
    files: Mapping[str, Sequence[Path]], spec: Mapping[str, Any], name: str, to: Mapping[str, Path]
) -> None:
    """Write the table of an experiment to `to["table"]`, and its figure in four files."""
    make_tables({BY_SHAPE.name: to["table"]}, files, spec)
    texts = dict.fromkeys(spec["varied"], str)
    table = read_table(to["table"], {**BY_SHAPE.columns, **texts})
    sheet, caption = draw(table, spec["varied"], name)
    style.save_picture(sheet, to["png"].with_suffix(""))
    write_table(sheet.data, to["csv"])
    write_text(to["md"], f"{caption}\n")


@style.styled()
def draw(table: pd.DataFrame, varied: Sequence[str], name: str) -> tuple[Sheet, str]:
    """Return the picture with its data, and the caption."""
    rows, x = _arranged(table, varied)
    shown = ("max_gap", "mean_return") if varied else ("max_gap",)
    panels = list(itertools.product(shown, rows["game"].unique()))[:MOST]
    looks = _looks(rows)
    across = min(rows["game"].nunique(), ACROSS)
    down = math.ceil(len(panels) / across)
    sheet = Sheet(PAGE if across > 1 else COLUMN, 0.3 + down * _height(x, looks))
    for j, (measure, game) in enumerate(panels):
        axes = sheet.add_subplot(down, across, j + 1, label=f"{game}: {measure} by {x}")
        letter = f"({ascii_lowercase[j]}) " if len(panels) > 1 else ""
        axes.set_title(f"{letter}{style.game_title(game)}")
        own = rows[(rows["game"] == game) & (rows["measure"] == measure)]
        if x == "learner":
            axes.set_xlabel(TITLES[measure])
            _draw_learners(sheet, axes, own, looks)
            axes.tick_params(labelleft=j % across == 0)
            continue
        axes.set_xlabel("episodes K" if x == "episodes" else x.replace("_", " "))
        axes.set_ylabel(TITLES[measure] if j % across == 0 else "")
        (_draw_episodes if x == "episodes" else _draw_settings)(sheet, axes, own, looks)
    if x != "learner" and len(looks) > 1:
        longest = max(map(len, looks))
        sheet.legend_below(max(1, int(sheet.get_figwidth() / (0.5 + 0.062 * longest))))
    caption = f"**Experiment {name}.** {_describe(rows, x, table, len(panels))}"
    return sheet, caption + style.labels_of({"": table}, " ".join(looks))


def _arranged(table: pd.DataFrame, varied: Sequence[str]) -> tuple[pd.DataFrame, str]:
    """Return the rows that are drawn, with their series, and what goes along x.

    Of several varied parameters the one with the most values goes along x. The values of the others
    are part of the name of a series, and stand in column `setting` if along x.
    """
    series = table["learner"].map(lambda label: style.learner_look(label).name)
    if not varied:
        x = "episodes" if table["episodes"].nunique() > 1 else "learner"
        return table.assign(series=series), x
    x = max(varied, key=lambda parameter: table[parameter].nunique())
    for parameter in varied:
        if parameter != x:
            series = series + f", {parameter} = " + table[parameter].map(_value)
    rows = table.assign(series=series, setting=table[x].map(_value))
    return rows[rows["episodes"] == rows["episodes"].max()], x


def _value(text: str) -> str:
    """Return a value for people: a number as all figures write it."""
    with suppress(ValueError):
        return number(float(text))
    return text


def _looks(rows: pd.DataFrame) -> Looks:
    """Return colour and marker of each series: those of its learner, if no other has them."""
    own: dict[str, str] = {}
    learners = dict(zip(rows["series"], rows["learner"], strict=True))
    for series, label in learners.items():
        colour = style.LEARNERS[label].colour if label in style.LEARNERS else ""
        if colour and colour not in own.values():
            own[series] = colour
    others = itertools.cycle([colour for colour in COLOURS if colour not in own.values()])
    return {
        series: {"color": own.get(series) or next(others), "marker": marker}
        for series, marker in zip(learners, itertools.cycle(MARKERS), strict=False)
    }


def _height(x: str, looks: Looks) -> float:
    """Return the height of a panel in inches."""
    return 0.6 + 0.16 * len(looks) if x == "learner" else 1.9 + 0.04 * len(looks)


def _draw_episodes(sheet: Sheet, axes: Axes, rows: pd.DataFrame, looks: Looks) -> None:
    """Draw the gap against K, a line for each series."""
    axes.set(xscale="log", yscale="log")
    edge = 0.03
    for name, own in rows.groupby("series", sort=False):
        below = sheet.log_line(axes, name, "episodes", own, edge, markersize=2.4, **looks[name])
        edge += 0.06 * bool(below)
    positive = rows["mean"][rows["mean"] > 0]
    if len(positive):
        least, most = positive.min(), positive.max()
        axes.set_ylim(least / 1.5 * (least / most) ** edge, most * 1.5)
        style.plain_ticks(axes.yaxis)


def _draw_settings(sheet: Sheet, axes: Axes, rows: pd.DataFrame, looks: Looks) -> None:
    """Draw dots above each value of what is varied, those of the series beside each other."""
    names = list(rows["setting"].unique())
    shifts = np.linspace(-0.2, 0.2, len(looks)) if len(looks) > 1 else [0.0]
    for (series, look), shift in zip(looks.items(), shifts, strict=True):
        own = rows[rows["series"] == series]
        places = own["setting"].map(names.index) + shift
        _, *means = style.estimates(own, "episodes")
        sheet.record(axes, series, places, *means)
        style.dots(axes, places, *means, label=series, **look)
    axes.set_xlim(-0.5, len(names) - 0.5)
    axes.set_xticks(range(len(names)), names)
    if _is_wide(rows):
        axes.set_yscale("log")


def _draw_learners(sheet: Sheet, axes: Axes, rows: pd.DataFrame, looks: Looks) -> None:
    """Draw a dot with its interval beside the name of each series."""
    for place, (series, look) in enumerate(looks.items()):
        own = rows[rows["series"] == series]
        _, mean, low, high = style.estimates(own, "episodes")
        sheet.record(axes, series, mean, [place] * len(own), low, high)
        style.dots(axes, [place] * len(own), mean, low, high, across=True, **look)
    axes.set_ylim(len(looks) - 0.5, -0.5)
    axes.set_yticks(range(len(looks)), list(looks))
    if _is_wide(rows):
        axes.set_xscale("log")


def _is_wide(rows: pd.DataFrame) -> bool:
    """Return whether all means are positive and far from each other."""
    return bool(rows["mean"].min() > 0 and rows["mean"].max() > LOG_FROM * rows["mean"].min())


def _describe(rows: pd.DataFrame, x: str, table: pd.DataFrame, panels: int) -> str:
    """Return the caption without the labels of the config."""
    last = rows[(rows["episodes"] == rows["episodes"].max()) & (rows["measure"] == "max_gap")]
    K = episodes(last["episodes"].max()) if len(last) else ""
    text = (
        f"How far the learned policies are from a coarse correlated equilibrium: maximum over "
        f"agents, mean over seeds, with {intervals_over(rows['level'], rows['seeds'])}, "
    )
    if x == "episodes":
        text += (
            "by number of episodes. Triangles: the mean is not positive, which a logarithmic axis "
            "cannot show."
        )
    else:
        largest = " (the largest; the table has all)" if table["episodes"].nunique() > 1 else ""
        text += f"at K = {K}{largest}"
        text += (
            "."
            if x == "learner"
            else f", by {x.replace('_', ' ')}; and the reward in training. x has no scale."
        )
    lowest = rows[rows["measure"] == "max_gap_low"]["mean"].sum()
    if lowest < rows[rows["measure"] == "max_gap"]["mean"].sum() * (1 - 1e-9):
        text += " Where only bounds of a gap are known, the upper one is drawn."
    if panels == MOST:
        text += f" At most {MOST} panels are drawn; the table has all."
    if x in ("episodes", "learner") and len(last) <= TOLD:
        for game, own in last.groupby("game", sort=False):
            values = (f"{row.series} {estimate(row.mean, row.low, row.high)}"
                      for row in own.itertuples())  # fmt: skip
            text += f" In the {style.game_title(str(game))} at K = {K}: {join_words(values)}."
    return text
