"""Tidy tables as CSV: numbers that read back to the same bits, files whole or not there.

A damaged table gives one line, not a figure drawn from what is left of it: lines have all their
fields, the last one ends, and columns of numbers hold numbers. (A table cut between two lines is
still a table; nothing in a CSV file says how many there were.)
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd

from amg import documents
from amg.archive import write_bytes
from amg.errors import FileError

# What must be a number, or empty, or true or false, wherever it stands.
NUMBERS = {
    *("episodes", "episode", "last_episode", "seed", "seeds", "runs", "agents", "step", "stage"),
    *("mean", "low", "high", "level", "value", "slope", "from", "to", "least", "most", "x", "y"),
    *("exact", "max_gap", "max_gap_low", "max_informed_gap", "max_own_bound", "mean_value"),
    *("mean_return", "return", "nodes", "cells", "stages", "lemma_holds", "runs_holding"),
    *("relative_gap", "ratio", "not_grown", "visits_stuck", "stuck"),
    *("lower", "upper", "lower_coverage", "upper_coverage", "rate", "constant", "p", "theorem"),
    *("range", "horizon", "epsilon", "pay 1", "pay 2", "aggregate", "cv", "deviation", "length"),
    *("coefficient", "position", "visits", "changed", "perturbed", "regrouped", "policy_error"),
    *("v_bar_error", "length_errors", "length_errors_without_aggregate"),
    *("seconds", "startup", "peak_mib"),
}
LARGEST = 64 << 20  # bytes of a table; those of the study have a tenth of it at most
EVALUATED = ("episodes", "seed", "max_gap", "max_informed_gap", "mean_value", "mean_return")


def write_table(frame: pd.DataFrame, path: Path) -> None:
    write_bytes(path, frame.to_csv(index=False, lineterminator="\n").encode())


def read_table(path: Path, columns: Sequence[str] = ()) -> pd.DataFrame:
    """A table; `columns` are those it must have."""
    try:
        text = documents.read(path, str(path), LARGEST)
        _check_lines(text)
        frame = pd.read_csv(io.StringIO(text))
        for column in NUMBERS.intersection(frame.columns):
            _check_numbers(frame[column])
    except (ValueError, OverflowError, csv.Error) as error:  # OverflowError: a number of 400 digits
        reason = " ".join(str(error).split())
        raise FileError(f"{path}: cannot be read as a table: {reason}; make it again") from None
    missing = [column for column in columns if column not in frame]
    if missing:
        raise FileError(f"{path}: lacks the columns {', '.join(missing)}; make it again")
    return frame


def read_evaluations(paths: Iterable[str]) -> pd.DataFrame:
    """The evaluations of several lots of runs as one table."""
    tables = [read_table(Path(path), EVALUATED) for path in paths]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()


def _check_lines(text: str) -> None:
    """Every line has a field for each column, and ends."""
    lines = csv.reader(io.StringIO(text, newline=""), strict=True)
    header = next(lines, [])
    if len(set(header)) != len(header):
        raise ValueError("two columns have the same name")
    for fields in lines:
        if len(fields) != len(header):
            where = f"line {lines.line_num}"
            raise ValueError(f"{where} has {len(fields)} fields, the header {len(header)}")
    if "\0" in text or not text.endswith("\n"):
        raise ValueError("it was cut short or overwritten")


def _check_numbers(column: pd.Series) -> None:
    if not pd.api.types.is_numeric_dtype(column):
        known = column.isna() | column.isin([True, False])
        bad = column[~known & pd.to_numeric(column.where(~known), errors="coerce").isna()]
        for row, value in list(bad.items())[:1]:
            raise ValueError(f"line {int(row) + 2}, column {column.name}: {value!r} is no number")
