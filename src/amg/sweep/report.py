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
from amg.sweep.table import Results


def make_report(sweep: Sweep, evaluations: pd.DataFrame, bootstrap: Bootstrap, stem: Path) -> None:
    """Write stem.csv, stem.pdf, stem.png and stem.md."""
    results = Results(sweep, evaluations, bootstrap)
    table = results.table()
    sentences = [finding.sentence(results, table) for finding in sweep.findings]
    sentences.append(_exactness(results.frame))
    page = [f"**{sweep.title}** {caption(sweep, table)}", "", *(f"- {text}" for text in sentences)]
    write_table(table, stem.with_name(f"{stem.name}.csv"))
    save_picture(draw(sweep, table), stem)
    write_bytes(stem.with_name(f"{stem.name}.md"), ("\n".join(page) + "\n").encode())


def _exactness(frame: pd.DataFrame) -> str:
    exact, runs = int(frame["exact"].sum()), len(frame)
    if exact == runs:
        return f"All {runs:,} evaluations are exact."
    return (
        f"{exact:,} of {runs:,} evaluations are exact; for the others the tree of histories is "
        f"too large and the gap is its upper bound."
    )
