"""The table of evaluations of a training job: one row for each run."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

import pandas as pd

from amg.base.errors import FileError
from amg.results.run_file import load_runs
from amg.results.summary import measures
from amg.tables.tidy import read_table

LOG_SECONDS = 10.0  # between two reports of progress
EVALUATIONS = {
    "series": str, "episodes": int, "seed": int, "max_gap": float, "max_informed_gap": float,
    "max_own_bound": float, "relative_gap": float, "mean_value": float, "mean_return": float,
}  # fmt: skip


def evaluate_file(
    path: Path, groups: Sequence[tuple[Mapping[str, Any], int]], log: TextIO
) -> pd.DataFrame:
    """Return the exact evaluation of the runs in a file; a group has labels and so many runs."""
    labels = [labels for labels, size in groups for _ in range(size)]
    runs = load_runs(path)
    if len(runs) != len(labels):
        raise FileError(f"{path}: holds {len(runs)} runs, expected {len(labels)}; make it again")
    rows: list[dict[str, Any]] = []
    reported = time.monotonic()
    for first, run in zip(labels, runs, strict=True):
        rows.append({**first, **measures(run)})
        if time.monotonic() - reported >= LOG_SECONDS:
            reported = time.monotonic()
            print(f"{len(rows)} of {len(runs)} runs evaluated", file=log, flush=True)
    return pd.DataFrame(rows)


def read_evaluations(paths: Iterable[Path]) -> pd.DataFrame:
    """Return the evaluations of several jobs as one table."""
    tables = [read_table(path, EVALUATIONS) for path in paths]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()
