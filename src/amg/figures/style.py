"""One look for all figures, and one way to save them: the same data give the same bytes.

Nothing outside counts: not the user's matplotlibrc, backend, locale, time zone or clock.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib
import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from amg.analysis.tables import write_table
from amg.archive import write_bytes
from amg.figures.palette import GREY, INK

COLUMN, PAGE = 3.5, 7.16  # inches: IEEE's single and double column
DPI = 300
SMALL = 6.5  # points: labels inside panels

STYLE: Any = {
    "font.family": "DejaVu Sans",  # comes with matplotlib
    "font.size": 7.0,
    "axes.labelsize": 7.0,
    "axes.titlesize": 7.0,
    "axes.titlelocation": "left",
    "axes.titlepad": 4.0,
    "axes.labelpad": 2.5,
    "axes.linewidth": 0.6,
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.unicode_minus": True,
    "text.color": INK,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "xtick.minor.size": 1.5,
    "ytick.minor.size": 1.5,
    "xtick.minor.width": 0.4,
    "ytick.minor.width": 0.4,
    "xtick.major.pad": 2.0,
    "ytick.major.pad": 2.0,
    "lines.linewidth": 1.1,
    "lines.markersize": 3.0,
    "lines.solid_capstyle": "butt",
    "mathtext.fontset": "dejavusans",
    "figure.constrained_layout.h_pad": 0.03,
    "figure.constrained_layout.w_pad": 0.03,
    "pdf.fonttype": 42,  # embed TrueType: text stays text
    "pdf.compression": 6,
}


@contextmanager
def styled() -> Iterator[None]:
    """Matplotlib's own defaults and this style, whatever the user has set; `@styled()` as well."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        yield


def new_figure(width: float, height: float) -> Figure:
    """A figure of this size in inches that belongs to no window and no global state."""
    figure = Figure(figsize=(width, height), dpi=DPI, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def save_figure(figure: Figure, stem: Path, data: pd.DataFrame) -> None:
    """Write stem.pdf and stem.png, and what they show as stem.csv."""
    save_picture(figure, stem)
    write_table(data, stem.with_name(f"{stem.name}.csv"))


@styled()
def save_picture(figure: Figure, stem: Path) -> None:
    """Write stem.pdf and stem.png without dates or versions."""
    pdf = {"Creator": None, "Producer": None, "CreationDate": None, "ModDate": None}
    for suffix, metadata in (("pdf", pdf), ("png", {"Software": None})):
        buffer = io.BytesIO()
        figure.savefig(buffer, format=suffix, dpi=DPI, metadata=metadata)
        write_bytes(stem.with_name(f"{stem.name}.{suffix}"), buffer.getvalue())
