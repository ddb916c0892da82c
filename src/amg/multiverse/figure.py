"""The specification curve of a claim: universes sorted by effect, their readings marked below.

After Simonsohn, Simmons and Nelson (2020). Above stands the number that the verdict turns on, one
point a universe, coloured by the verdict. Below, a mark in the row of each reading that a universe
has. Of a choice that is only varied by itself, the study's reading has no row.
"""

import re
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from amg.base.text import number
from amg.claims.entries import Claim
from amg.claims.evidence import CAVEAT, NOT_REPRODUCED, NOT_TESTABLE, REPRODUCED
from amg.figures import style
from amg.figures.style import GREY, INK, PAGE, Sheet, save_picture, styled
from amg.multiverse.file import Multiverse, read_multiverse
from amg.multiverse.judge import STUDY
from amg.tables.tidy import read_table

COLOURS = {REPRODUCED: "#0072B2", CAVEAT: "#56B4E9", NOT_REPRODUCED: "#D55E00"}
MARKERS = {REPRODUCED: "o", CAVEAT: "s", NOT_REPRODUCED: "v"}
ROW = 0.125  # inches: height of a reading
CURVE = 1.7  # of the curve
LABEL = 26  # characters of a line of the axis label
LOG_FROM = 8  # a ratio of effects from which on the scale is logarithmic


class Reading(NamedTuple):
    """One row below the curve."""

    choice: str
    name: str


def draw_curve(files: Mapping[str, Sequence[Path]], claim_id: str, stem: Path) -> None:
    """Write stem.pdf and stem.png from the table of universes."""
    multiverse = read_multiverse(files["multiverse"][0], files["claims"][0])
    claim = next(one for one in multiverse.claims if one.id == claim_id)
    texts = ("claim", "verdict", *multiverse.choices)
    universes = read_table(files["universes"][0], dict.fromkeys(texts, str))
    own = universes[universes["claim"] == claim_id]
    save_picture(curve(multiverse, claim, own), stem)


@styled()
def curve(multiverse: Multiverse, claim: Claim, universes: pd.DataFrame) -> Sheet:
    """Return the figure of one claim."""
    known = universes[(universes["verdict"] != NOT_TESTABLE) & universes["effect"].notna()]
    known = known.sort_values("effect", kind="stable").reset_index(drop=True)
    rows = readings(multiverse, known)
    below = ROW * (len(rows) + 1)
    sheet = Sheet(PAGE, CURVE + below)
    grid = sheet.add_gridspec(2, 1, height_ratios=[CURVE, below])
    top = sheet.add_subplot(grid[0])
    marks = sheet.add_subplot(grid[1], sharex=top)
    _draw_effects(top, claim, known)
    _draw_marks(marks, rows, known)
    legend = _legend(known)
    sheet.legend(handles=legend, loc="outside lower center", ncols=min(len(legend), 4))
    return sheet


def readings(multiverse: Multiverse, universes: pd.DataFrame) -> list[Reading]:
    """Return the readings that have a row: of all choices that vary in these universes."""
    rows = []
    for choice, names in multiverse.choices.items():
        there = universes[choice]
        crossed = any(
            choice in multiverse.crossed[part] and there[universes["part"] == part].nunique() > 1
            for part in universes["part"].unique()
        )
        rows += [Reading(choice, name) for name in names[not crossed :] if (there == name).any()]
    return rows


def _draw_effects(axes: Axes, claim: Claim, universes: pd.DataFrame) -> None:
    """Draw the effects with the numbers at which the verdict turns; mark the study's readings."""
    effect = universes["effect"].to_numpy(float)
    for verdict, colour in COLOURS.items():
        at = np.flatnonzero(universes["verdict"] == verdict)
        axes.plot(at, effect[at], MARKERS[verdict], color=colour, markersize=2.2,
                  markeredgewidth=0, zorder=3)  # fmt: skip
    for place in np.flatnonzero(universes[STUDY]):
        axes.plot(place, effect[place], "o", markersize=7, color=INK, fillstyle="none",
                  markeredgewidth=0.9, zorder=4)  # fmt: skip
    turns = sorted({float(x) for text in universes["turns_at"].dropna() for x in str(text).split()})
    for turn in turns:
        axes.axhline(turn, color=GREY, linewidth=0.8, linestyle=(0, (4, 2)), zorder=1)
        axes.annotate(number(turn), (1.0, turn), xycoords=("axes fraction", "data"),
                      xytext=(2, 0), textcoords="offset points", va="center")  # fmt: skip
    if effect.min() > 0 and effect.max() > LOG_FROM * effect.min():
        axes.set_yscale("log")
        style.plain_ticks(axes.yaxis)
    axes.set_ylabel(textwrap.fill(claim.turns_on or "", LABEL))
    axes.set_title(_typeset(claim.title))
    axes.tick_params(labelbottom=False, bottom=False)
    axes.margins(x=0.01)


def _draw_marks(axes: Axes, rows: Sequence[Reading], universes: pd.DataFrame) -> None:
    """Draw a mark for each universe in the rows of its readings."""
    colours = universes["verdict"].map(COLOURS).to_numpy()
    choice = ""
    for j, row in enumerate(rows):
        at = np.flatnonzero(universes[row.choice] == row.name)
        axes.vlines(at, j - 0.36, j + 0.36, colors=colours[at], linewidth=0.9)
        if row.choice != choice and j:
            axes.axhline(j - 0.5, color=GREY, linewidth=0.4)
        choice = row.choice
    axes.set_yticks(range(len(rows)), _names(rows))
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlabel("universes, sorted by effect")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)


def _names(rows: Sequence[Reading]) -> list[str]:
    """Return the labels of the rows; the first reading of a choice has the name of the choice."""
    first = {row.choice: j for j, row in reversed(list(enumerate(rows)))}
    return [
        _typeset(f"{row.choice}: {row.name}" if first[row.choice] == j else row.name)
        for j, row in enumerate(rows)
    ]


def _typeset(text: str) -> str:
    """Return a text for matplotlib, with the superscripts and subscripts of K^−1/2 and λ_min."""
    for sign, word in (("^", r"[−\w/]+"), ("_", r"\w+")):
        text = re.sub(rf"\{sign}({word})", rf"${sign}\\mathregular{{\1}}$", text)
    return text


def _legend(universes: pd.DataFrame) -> list[Line2D]:
    counts = universes["verdict"].value_counts()
    handles = [
        Line2D([], [], color=colour, marker=MARKERS[verdict], linestyle="none", markersize=4,
               markeredgewidth=0, label=f"{verdict} ({counts[verdict]})")
        for verdict, colour in COLOURS.items()
        if verdict in counts
    ]  # fmt: skip
    study = Line2D([], [], color=INK, marker="o", fillstyle="none", linestyle="none",
                   markersize=6, label="the study's readings")  # fmt: skip
    turns = Line2D([], [], color=GREY, linewidth=0.8, linestyle=(0, (4, 2)),
                   label="where the verdict turns")  # fmt: skip
    return [*handles, study, turns]
