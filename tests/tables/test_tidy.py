"""Tables as CSV files: the same bits back, and damaged files refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from amg.base.errors import FileError
from amg.tables.tidy import read_table, write_table


def test_tables_read_back_to_the_same_bits(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": np.random.default_rng(1).random(1000), "name": ["ε"] * 1000})
    write_table(frame, tmp_path / "t.csv")
    assert read_table(tmp_path / "t.csv", {"x": float}).equals(frame)
    with pytest.raises(FileError, match="lacks the column y; make it again"):
        read_table(tmp_path / "t.csv", {"y": float})
    with pytest.raises(FileError, match=r"missing\.csv"):
        read_table(tmp_path / "missing.csv")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("x,y\n1,2\n3\n", "line 3 has 1 fields, the header 2"),
        ("x,y\n1,2\n3,4", "it was cut short or overwritten"),
        ("x,x\n1,2\n", "two columns have the same name"),
        ("x,y\n1,2\nthree,4\n", "line 3, column x: 'three' is no number"),
        ("", "it was cut short or overwritten"),
    ],
)
def test_a_damaged_table_is_one_line(text: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileError) as caught:
        read_table(path, {"x": int})
    assert str(caught.value) == f"{path}: {problem}; make it again"
