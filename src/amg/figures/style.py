"""One look for all figures: colours and names, fonts and sizes, and the files of a picture.

Learners have the colours of Okabe and Ito, agents those of Tol. They can be told apart with any
kind of colour vision. The same data give the same bytes: the user's matplotlibrc, backend, locale,
time zone and clock have no effect.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib
from matplotlib.figure import Figure

from amg.base.files import write_bytes

BLUE, SKY, GREEN = "#0072B2", "#56B4E9", "#009E73"
ORANGE, VERMILION = "#E69F00", "#D55E00"
INK, GREY, PALE, FAINT = "#222222", "#6B6B6B", "#BDBDBD", "#F0F0F0"
AGENTS = ("#882255", "#44AA99", "#999933", "#332288")
SPARE = ("#CC79A7", "#AA4499", "#117733", "#661100")  # for learners of other studies

COLUMN, PAGE = 3.5, 7.16  # inches: IEEE's single and double column
DPI = 300
SMALL = 6.5  # points: labels inside panels

TICKS = {
    "labelsize": SMALL,
    "color": GREY,
    "labelcolor": INK,
    "major.width": 0.6,
    "major.size": 2.5,
    "major.pad": 2.0,
    "minor.width": 0.4,
    "minor.size": 1.5,
}
STYLE: Any = {
    "font.family": "DejaVu Sans",  # comes with matplotlib
    "font.size": 7.0,
    "axes.titlesize": 7.0,
    "axes.titlelocation": "left",
    "axes.titlepad": 4.0,
    "axes.labelpad": 2.5,
    "axes.linewidth": 0.6,
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.color": INK,
    **{f"{axis}tick.{key}": value for axis in "xy" for key, value in TICKS.items()},
    "lines.linewidth": 1.1,
    "lines.markersize": 3.0,
    "lines.solid_capstyle": "butt",
    "figure.constrained_layout.h_pad": 0.03,
    "figure.constrained_layout.w_pad": 0.03,
    "pdf.fonttype": 42,  # embed TrueType: text stays text
}


class Learner(NamedTuple):
    """Name and colour of a learner of the config."""

    name: str
    colour: str
    short: str  # beside others of its kind


LEARNERS = {
    "v-cv": Learner("V-learning (CV)", BLUE, "CV"),
    "v-mad": Learner("V-learning (MAD)", SKY, "MAD"),
    "v-fixed": Learner("V-learning (fixed)", GREEN, "fixed"),
    "centralized-q": Learner("centralized Q", ORANGE, "centralized Q"),
    "independent-q": Learner("independent Q", VERMILION, "independent Q"),
    "explorer": Learner("independent Q", VERMILION, "independent Q"),
}


def learner_look(label: str) -> Learner:
    """Return the look of a learner; an unknown one keeps its label and gets a spare colour."""
    spare = SPARE[zlib.crc32(label.encode()) % len(SPARE)]
    return LEARNERS.get(label) or Learner(label, spare, label)


def game_title(label: str, suffix: str = " Game") -> str:
    """Return the name of a game: "Fishermen Game"."""
    return label.replace("-", " ").replace("_", " ").capitalize() + suffix


@contextmanager
def styled() -> Iterator[None]:
    """Use Matplotlib's defaults and this style within a block, or in a function as a decorator."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        yield


def new_figure(width: float, height: float) -> Figure:
    """Return a figure of this size in inches that has no window and no global state."""
    return Figure(figsize=(width, height), dpi=DPI, layout="constrained")


@styled()
def save_picture(figure: Figure, stem: Path) -> None:
    """Write stem.pdf and stem.png without dates or versions."""
    pdf = {"Creator": None, "Producer": None, "CreationDate": None, "ModDate": None}
    for suffix, metadata in (("pdf", pdf), ("png", {"Software": None})):
        buffer = io.BytesIO()
        figure.savefig(buffer, format=suffix, dpi=DPI, metadata=metadata)
        write_bytes(stem.with_name(f"{stem.name}.{suffix}"), buffer.getvalue())
