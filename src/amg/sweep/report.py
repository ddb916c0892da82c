"""What a sweep leaves behind: one tidy table, a figure, and sentences on what it shows."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from amg.analysis.intervals import Bootstrap
from amg.analysis.tables import write_table
from amg.archive import write_bytes
from amg.figures.style import save_picture
from amg.sweep.figure import caption, draw
from amg.sweep.grid import Sweep
from amg.sweep.table import join, sweep_table


def make_report(sweep: Sweep, evaluations: pd.DataFrame, bootstrap: Bootstrap, stem: Path) -> None:
    """Write stem.csv, stem.pdf, stem.png and stem.md."""
    joined = join(sweep, evaluations)
    table = sweep_table(sweep, joined, bootstrap)
    sentences = [finding.sentence(sweep, joined, table, bootstrap) for finding in sweep.findings]
    page = [f"**{sweep.title}** {caption(sweep, table)}", "", *(f"- {text}" for text in sentences)]
    write_table(table, stem.with_name(f"{stem.name}.csv"))
    save_picture(draw(sweep, table), stem)
    write_bytes(stem.with_name(f"{stem.name}.md"), ("\n".join(page) + "\n").encode())
