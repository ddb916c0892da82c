"""What a sweep leaves behind: one tidy table, a figure, and a page of sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from amg.base.files import write_text
from amg.base.text import join_words, number
from amg.figures.style import save_picture
from amg.sweep.figure import draw, laws
from amg.sweep.grid import Axis, Sweep
from amg.sweep.heat_maps import NOT_REACHED
from amg.sweep.table import GAP, MEASURES, Results, axis_name, blocks
from amg.tables.intervals import Bootstrap
from amg.tables.tidy import write_table


def make_report(sweep: Sweep, evaluations: pd.DataFrame, bootstrap: Bootstrap, stem: Path) -> None:
    """Write stem.csv, stem.pdf, stem.png and stem.md.

    Parameters
    ----------
    sweep : Sweep
        The sweep.
    evaluations : DataFrame
        One row for each run, with series, episodes, seed and all that was measured.
    bootstrap : Bootstrap
        Makes the intervals over seeds.
    stem : Path
        Path of the files without their suffixes.
    """
    results = Results(sweep, evaluations, bootstrap)
    table = results.table()
    findings = [finding.sentence(results, table) for finding in sweep.findings]
    page = [f"**{sweep.title}** {caption(sweep, table)}", ""]
    page += [f"- {sentence}" for sentence in [*findings, _exactness(results.frame)]]
    write_table(table, stem.with_name(f"{stem.name}.csv"))
    save_picture(draw(sweep, table), stem)
    write_text(stem.with_name(f"{stem.name}.md"), "\n".join(page) + "\n")


def caption(sweep: Sweep, table: pd.DataFrame) -> str:
    """Return what was varied and measured, and what the marks in the figure mean."""
    sentences = [f"Varied: {'; '.join(map(_varied, sweep.axes))}."]
    compared = [variant for variant in sweep.variants if variant]
    if compared:
        sentences.append(f"Compared: {join_words(compared)}.")
    level = f"{number(100 * table['level'].iloc[0])}%"
    sentences.append(f"Means with {level} bootstrap intervals over {sweep.seeds} seeds.")
    computed = [MEASURES[name].title for name in sweep.measures if MEASURES[name].computed]
    if computed:
        sentences.append(f"Computed from each run's policy, not sampled: {join_words(computed)}.")
    if sweep.target is not None:
        sentences.append(
            f"The target is a mean gap of {number(sweep.target)} of the reward range; between two "
            f"K of the sweep the gap is taken to follow a power of K."
        )
    return " ".join([*sentences, *_marks(sweep, table)])


def _varied(axis: Axis) -> str:
    """Return an axis with its values; of many numbers, how many and the ends."""
    if axis.numbers is None or len(axis.points) <= 3:
        return f"{axis_name(axis.name)} over {join_words(axis.texts)}"
    ordered = [text for _, text in sorted(zip(axis.numbers, axis.texts, strict=True))]
    return f"{axis_name(axis.name)} over {len(ordered)} values from {ordered[0]} to {ordered[-1]}"


def _marks(sweep: Sweep, table: pd.DataFrame) -> Iterator[str]:
    """Yield what the marks mean that are in the figure."""
    parts = blocks(sweep, table)
    maps = [block for block in parts if block.kind == "maps"]
    panels = [block for block in parts if block.kind != "maps"]
    if maps:
        yield "Heat maps show means, with a scale of colours for each variant and measure."
    if any(
        len(b.rows) < math.prod([len(b.variants), *(len(a.points) for a in b.axes)]) for b in maps
    ):
        yield "Hatched: not run, or not defined."
    if sweep.target is not None and any(block.name == GAP for block in maps):
        yield "Black lines separate cells at the target or below from those above."
    if any(block.not_reached.any() for block in maps):
        yield f"{NOT_REACHED}: not reached within the sweep's K."
    if any(block.rows["at_most"].any() for block in maps):
        yield "≤: reached at the least K of the sweep already."
    if any(laws(sweep, block) for block in panels):
        yield "Dashed lines are laws scaled to the point with a ring."
    if any(block.not_positive.any() for block in panels):
        yield "Triangles at the lower edge: the mean is not positive."
    if any(block.not_reached.any() for block in panels):
        yield "Triangles at the upper edge: not reached within the sweep's K."
    if any(block.rows["at_most"].any() for block in panels):
        yield "Hollow: reached at the least K of the sweep already, so that much or less."


def _exactness(frame: pd.DataFrame) -> str:
    exact, runs = int(frame["exact"].sum()), len(frame)
    if exact == runs:
        return f"All {runs:,} evaluations are exact."
    return (
        f"{exact:,} of {runs:,} evaluations are exact; for the others the tree of histories is "
        f"too large and the gap is its upper bound."
    )
