"""Where the time of a study went."""

from __future__ import annotations

from pathlib import Path

import pytest

from amg.study.account import timing_page, timing_table, work_seconds


def test_timing_adds_up(tmp_path: Path) -> None:
    for name, seconds, work in (("train/a/b", 5.0, 4.0), ("figure/c", 2.0, 0.5)):
        for suffix, text in (
            ("tsv", f"s\th:m:s\tmax_rss\tcpu_time\n{seconds}\t0:00:05\t100.5\t4.0\n"),
            ("log", f"something\nwork: {work:.3f} s\n"),
        ):
            path = tmp_path / f"{name}.{suffix}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    table = timing_table(["train/a/b", "figure/c", "figure/absent"], tmp_path, tmp_path)
    assert table["kind"].tolist() == ["train", "figure"]
    assert table["startup"].tolist() == pytest.approx([1.0, 1.5])
    assert "7.0" in timing_page(table)
    (tmp_path / "old.log").write_text("of an older version\n")
    with pytest.raises(ValueError, match="of an older version"):
        work_seconds(tmp_path / "old.log")
