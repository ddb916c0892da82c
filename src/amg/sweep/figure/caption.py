"""The caption of a sweep's figure: what was varied, what intervals are, what marks mean."""

from __future__ import annotations

import math

import pandas as pd

from amg.figures.words import intervals, listed
from amg.sweep.axes import Axis
from amg.sweep.figure.cells import Block, blocks
from amg.sweep.figure.curves import laws
from amg.sweep.figure.heat_map import NOT_REACHED
from amg.sweep.figure.names import name
from amg.sweep.grid import Sweep
from amg.sweep.measures import MEASURES

COMPUTED = ("max_gap", "relative_gap", "max_informed_gap", "mean_value", "lemma_holds",
            "lower_coverage", "upper_coverage")  # fmt: skip


def caption(sweep: Sweep, table: pd.DataFrame) -> str:
    """A few sentences, generated."""
    found = blocks(sweep, table)
    return " ".join([_varied(sweep), _seeds(found, table), *_exact(sweep), *_marks(sweep, found)])


def _varied(sweep: Sweep) -> str:
    compared = [variant for variant in sweep.variants if variant]
    said = f"Varied: {'; '.join(map(_over, sweep.axes))}."
    return f"{said} Compared: {listed(compared)}." if compared else said


def _over(axis: Axis) -> str:
    """An axis with its values, or their number and ends if they are many numbers."""
    if axis.numbers is None or len(axis.points) <= 3:
        return f"{name(axis.name)} over {listed(axis.texts)}"
    ordered = [text for _, text in sorted(zip(axis.numbers, axis.texts, strict=True))]
    return f"{name(axis.name)} over {len(ordered)} values from {ordered[0]} to {ordered[-1]}"


def _seeds(found: list[Block], table: pd.DataFrame) -> str:
    """What means and intervals are, and where they are."""
    maps = {len(block.axes) > 1 for block in found}
    if maps == {True}:
        return f"Cells are means; the table has their {intervals(table)}."
    rest = "; the table has those of the heat maps" if True in maps else ""
    return f"Means with {intervals(table)}{rest}."


def _exact(sweep: Sweep) -> list[str]:
    """What has no error of its own, and how the derived measure is derived."""
    computed = [MEASURES[key].title for key in sweep.measures if key in COMPUTED]
    said = []
    if computed:
        said.append(f"Computed from each run's policy, not sampled: {listed(computed)}.")
    if sweep.target is not None:
        said.append(
            f"The target is a mean gap of {sweep.target:g} of the reward range; between two K of "
            f"the sweep the gap is taken to follow a power of K."
        )
    return said


def _marks(sweep: Sweep, found: list[Block]) -> list[str]:
    """What marks mean, of those that are there."""
    curves = [block for block in found if len(block.axes) < 2]
    maps = [block for block in found if len(block.axes) > 1]
    said = []
    if any(laws(sweep, block) for block in curves if block.axes and block.axes[0].numbers):
        said.append("Dashed lines are laws scaled to the point with a ring.")
    if any(block.logarithmic and min(block.finite) <= 0 for block in curves):
        said.append("Triangles at the lower end are means that are not positive.")
    if any(_infinite(block) for block in curves):
        said.append("Triangles at the upper end: not reached within the sweep's K.")
    if any(block.at_most for block in curves):
        said.append("Hollow: reached at the least K of the sweep already, so that much or less.")
    if any(_infinite(block) for block in maps):
        said.append(f"{NOT_REACHED}: not reached within the sweep's K.")
    if any(block.at_most for block in maps):
        said.append("≤: reached at the least K of the sweep already.")
    if any(len(block.values) < _size(block) for block in maps):
        said.append("Hatched: not run, or not defined.")
    return said


def _infinite(block: Block) -> bool:
    return any(math.isinf(value.mean) for value in block.values.values())


def _size(block: Block) -> int:
    """How many values there would be if nothing were skipped."""
    return math.prod((len(block.variants), *(len(axis.points) for axis in block.axes)))
