"""What a sweep leaves behind: one tidy table, a figure, and a page of sentences."""

from pathlib import Path

import pandas as pd

from amg.base.files import write_text
from amg.base.text import FEWEST_SEEDS, intervals_over, join_words, number
from amg.figures.style import save_picture
from amg.sweep.figure import draw
from amg.sweep.grid import Axis, Sweep
from amg.sweep.panels import notes, panels
from amg.sweep.table import COLUMNS, Results, axis_title
from amg.tables.intervals import Intervals
from amg.tables.tidy import write_table


def make_report(sweep: Sweep, evaluations: pd.DataFrame, intervals: Intervals, stem: Path) -> None:
    """Write stem.csv, stem.pdf, stem.png and stem.md.

    Parameters
    ----------
    sweep : Sweep
        The sweep.
    evaluations : DataFrame
        One row for each run, with series, episodes, seed and all that was measured.
    intervals : Intervals
        Makes the intervals over seeds.
    stem : Path
        Path of the files without their suffixes.
    """
    results = Results(sweep, evaluations, intervals)
    table = results.table()
    findings = [finding.sentence(results, table) for finding in sweep.findings]
    drawn = results.table(ranges=True)
    shown = notes(panels(sweep, drawn))
    page = [" ".join([f"**{sweep.title}**", caption(sweep, intervals.level), *shown]), ""]
    page += [f"- {sentence}" for sentence in [*findings, _exactness(results.frame)]]
    write_table(table, stem.with_name(f"{stem.name}.csv"))
    save_picture(draw(sweep, drawn), stem)
    write_text(stem.with_name(f"{stem.name}.md"), "\n".join(page) + "\n")


def caption(sweep: Sweep, level: float) -> str:
    """Return what was varied and measured, with intervals of this level."""
    sentences = [f"Varied: {'; '.join(map(_varied, sweep.axes))}."]
    compared = [variant for variant in sweep.variants if variant]
    if compared:
        sentences.append(f"Compared: {join_words(compared)}.")
    sentences.append(f"Means with {intervals_over([level], [sweep.seeds])}.")
    if 1 < sweep.seeds < FEWEST_SEEDS:
        sentences.append("The figure shows the range of the seeds.")
    computed = [COLUMNS[name].title for name in sweep.measures if COLUMNS[name].computed]
    if computed:
        sentences.append(f"Computed from each run's policy, not sampled: {join_words(computed)}.")
    if sweep.target is not None:
        sentences.append(
            f"The target is a mean gap of {number(sweep.target)} of the reward range; between two "
            f"K of the sweep the gap is taken to follow a power of K."
        )
    return " ".join(sentences)


def _varied(axis: Axis) -> str:
    """Return an axis with its values; of many numbers, how many and the ends."""
    name = axis_title(axis.name)
    if axis.numbers is None or len(axis.points) <= 3:
        return f"{name} over {join_words(axis.texts)}"
    ordered = [text for _, text in sorted(zip(axis.numbers, axis.texts, strict=True))]
    return f"{name} over {len(ordered)} values from {ordered[0]} to {ordered[-1]}"


def _exactness(frame: pd.DataFrame) -> str:
    exact, runs = int(frame["exact"].sum()), len(frame)
    if exact == runs:
        return f"All {runs:,} evaluations are exact."
    return (
        f"{exact:,} of {runs:,} evaluations are exact; for the others the tree of histories is "
        f"too large and the gap is its upper bound."
    )
