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
from amg.tables.intervals import Bootstrap

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
seeds: 3
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
    table = Results(sweep, evaluations(sweep, measured), Bootstrap(resamples=200)).table()
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
    results = Results(sweep, evaluations(sweep, measured), Bootstrap(resamples=200))
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


def test_crossings() -> None:
    K = np.array([1.0, 10.0, 100.0])
    gaps = np.array([
        [0.5, 2.0, 8.0, 8.0, 0.5, 2.0],
        [0.4, 2.0, 2.0, 0.5, 2.0, 0.0],
        [0.3, 2.0, 0.5, 2.0, 0.1, 0.0],
    ])  # fmt: skip
    found = crossing(K, gaps, target=1.0)
    assert found[0] == 1.0  # from the beginning
    assert found[1] == np.inf  # never
    assert found[2] == pytest.approx(10 ** (1 + np.log(2) / np.log(4)))
    assert found[3] == np.inf  # not for good
    assert found[4] == pytest.approx(10 ** (1 + np.log(2) / np.log(20)))
    assert 1.0 < found[5] < 10.0


def test_missing_evaluations_are_one_line(sweep: Sweep) -> None:
    rows = evaluations(sweep, measured)
    name = sweep.cells[0].series.name
    with pytest.raises(FileError, match="make them again") as caught:
        Results(sweep, rows[rows["series"] != name], Bootstrap())
    assert name in str(caught.value)
