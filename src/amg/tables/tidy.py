"""Tables as CSV files, one row for each observation.

A damaged table gives one line of error, not a figure drawn from the rest of it: every line has all
fields, the last line ends, and columns of numbers hold numbers. (A table cut between two lines is
still a table, because a CSV file does not say how many lines it has.)
"""

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

from amg.base.errors import FileError
from amg.base.files import read_text, write_text

LARGEST = 64 << 20  # bytes of a table; those of the study have a tenth of it at most
EVALUATIONS = {
    "job": str, "series": str, "episodes": int, "seed": int,
    "max_gap": float, "max_informed_gap": float,
    "max_own_bound": float, "relative_gap": float, "mean_value": float, "mean_return": float,
}  # fmt: skip


def write_table(frame: pd.DataFrame, path: Path) -> None:
    """Write a table, wholly or not at all."""
    write_text(path, frame.to_csv(index=False, lineterminator="\n"))


def read_table(path: Path, columns: Mapping[str, type] | None = None) -> pd.DataFrame:
    """Return a table after checking that it has these columns, with values of these types."""
    text = read_text(path, LARGEST)
    try:
        _check_lines(text)
        # a name stays a text, also where every name in the column looks like a number
        texts = [name for name, kind in (columns or {}).items() if kind is str]
        frame = pd.read_csv(io.StringIO(text), dtype=dict.fromkeys(texts, str))
        for name, kind in (columns or {}).items():
            if name not in frame:
                raise ValueError(f"lacks the column {name}")
            if kind is not str:
                _check_numbers(frame[name])
    except (ValueError, OverflowError, csv.Error) as error:  # OverflowError: a number of 400 digits
        reason = " ".join(str(error).split())
        raise FileError(f"{path}: {reason}; make it again") from None
    return frame


def _check_lines(text: str) -> None:
    """Refuse a text in which a line lacks a field, or the last line does not end."""
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
    """Refuse a column with anything but numbers, empty fields, True and False."""
    if not pd.api.types.is_numeric_dtype(column):
        allowed = column.isna() | column.isin([True, False])
        bad = column[~allowed & pd.to_numeric(column.where(~allowed), errors="coerce").isna()]
        for row, value in list(bad.items())[:1]:
            raise ValueError(f"line {int(row) + 2}, column {column.name}: {value!r} is no number")


def read_evaluations(paths: Iterable[Path]) -> pd.DataFrame:
    """Return the evaluations of several games as one table."""
    tables = [read_table(path, EVALUATIONS) for path in paths]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()
