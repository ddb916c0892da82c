"""The table of a sweep, against values made by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sweep_tables import evaluations

from amg.base.errors import FileError
from amg.sweep.file import read_sweep
from amg.sweep.grid import Sweep
from amg.sweep.table import Results, crossing
from amg.tables.intervals import Intervals, LogMean

TEXT = """
title: Made up
base: { game: fishermen, algorithm: v_learning }
compare:
  two: { agents: 2 }
  four: { agents: 4 }
axes:
  fluctuation: [cv, fixed]
  lambda_min: [0.8, 0.90]
  episodes: [100, 1000, 1e4]
seeds: 4
measure: [max_gap, max_own_bound]
target: 0.05
"""


@pytest.fixture
def sweep(tmp_path: Path) -> Sweep:
    path = tmp_path / "made.yaml"
    path.write_text(TEXT, encoding="utf-8")
    return read_sweep(path)


def measured(at: dict[str, Any]) -> dict[str, float]:
    gap = 10 / np.sqrt(at["episodes"]) * at["agents"]
    return {"max_gap": gap, "max_own_bound": 7.0, "relative_gap": gap / 10}


def test_every_cell_has_its_runs_and_shared_runs_are_in_each(sweep: Sweep) -> None:
    table = Results(sweep, evaluations(sweep, measured), Intervals()).table()
    gaps = table[table["measure"] == "max_gap"]
    assert len(gaps) == len(sweep.cells) == 24
    assert set(gaps["episodes"]) == {"100", "1000", "1e4"}
    assert set(gaps["lambda_min"]) == {"0.8", "0.90"}
    row = gaps[(gaps["variant"] == "four") & (gaps["episodes"] == "1e4")].iloc[0]
    assert row["mean"] == pytest.approx(0.4)
    assert 0.3959 <= row["low"] < row["mean"] < row["high"] <= 0.4041
    fixed = gaps[gaps["fluctuation"] == "fixed"]
    for _, group in fixed.groupby(["variant", "episodes"]):
        assert group["mean"].nunique() == 1


def test_episodes_to_the_target_follow_the_power_law(sweep: Sweep) -> None:
    """N/√K = 0.05 at K = (20 N)²: 1600 for two agents, 6400 for four."""
    results = Results(sweep, evaluations(sweep, measured), Intervals())
    table = results.table()
    reached = table[table["measure"] == "episodes_to_target"]
    assert reached["episodes"].isna().all()
    two = reached[reached["variant"] == "two"]
    assert len(two) == 4
    assert two["mean"].tolist() == pytest.approx([1600] * 4)
    assert (two["low"] > 1600 * 0.99**2.1).all()  # the gap's spread is one percent
    assert (two["high"] < 1600 * 1.01**2.1).all()
    four = reached[reached["variant"] == "four"]
    assert four["mean"].tolist() == pytest.approx([6400] * 4)


@pytest.mark.parametrize(("gaps", "found"), [
    ([0.5, 0.4, 0.3], 1.0),  # from the beginning
    ([2.0, 2.0, 2.0], np.inf),  # never
    ([8.0, 2.0, 0.5], 10 ** (1 + np.log(2) / np.log(4))),
    ([8.0, 0.5, 2.0], np.inf),  # not for good
    ([0.5, 2.0, 0.1], 10 ** (1 + np.log(2) / np.log(20))),
])  # fmt: skip
def test_crossings(gaps: list[float], found: float) -> None:
    means = [LogMean(gap, 0.01, 9) for gap in gaps]
    assert crossing([1.0, 10.0, 100.0], means, target=1.0).mean == pytest.approx(found)


def test_the_error_of_a_crossing_is_that_of_its_derivatives() -> None:
    def found(*gaps: float) -> LogMean:
        return crossing([1.0, 10.0], [LogMean(gap, 0.01, 9) for gap in gaps], target=1.0)

    one, other, step = found(3.0, 0.5), found(3.0 * 1.0001, 0.5), np.log(1.0001)
    first = np.log(other.mean / one.mean) / step
    second = np.log(found(3.0, 0.5 * 1.0001).mean / one.mean) / step
    assert one.error == pytest.approx(0.01 * np.hypot(first, second), rel=1e-3)
    assert np.isnan(found(0.9, 0.5).error)  # already there


def test_missing_evaluations_are_one_line(sweep: Sweep) -> None:
    rows = evaluations(sweep, measured)
    name = sweep.cells[0].series.name
    with pytest.raises(FileError, match="make them again") as caught:
        Results(sweep, rows[rows["series"] != name], Intervals())
    assert name in str(caught.value)
