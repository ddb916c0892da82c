"""The table of any experiment: every measure by all that the experiment varies."""

from collections.abc import Sequence

import pandas as pd

from amg.tables.gaps import gap_table
from amg.tables.intervals import Intervals


def experiment_table(
    evaluations: pd.DataFrame, varied: Sequence[str], intervals: Intervals
) -> pd.DataFrame:
    """Return each measure for each game, learner, value of what is varied, and K."""
    if not varied:
        return gap_table(evaluations, intervals)
    parts = []
    for values, rows in evaluations.groupby(list(varied), sort=False):
        table = gap_table(rows, intervals)
        for column, (name, value) in enumerate(zip(varied, values, strict=True), start=2):
            table.insert(column, name, value)  # after game and learner
        parts.append(table)
    return pd.concat(parts, ignore_index=True)
