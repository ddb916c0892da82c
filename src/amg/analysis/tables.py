"""Tidy tables as CSV: numbers that read back to the same bits, files whole or not there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from amg.archive import write_bytes
from amg.errors import FileError


def write_table(frame: pd.DataFrame, path: Path) -> None:
    write_bytes(path, frame.to_csv(index=False, lineterminator="\n").encode())


def read_table(path: Path, columns: Sequence[str] = ()) -> pd.DataFrame:
    """A table; `columns` are those it must have."""
    try:
        frame = pd.read_csv(path)
    except (OSError, ValueError, pd.errors.ParserError) as error:
        raise FileError(f"{path}: cannot be read as a table: {error}") from None
    missing = [column for column in columns if column not in frame]
    if missing:
        raise FileError(f"{path}: lacks the columns {', '.join(missing)}; make it again")
    return frame
