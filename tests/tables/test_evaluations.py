"""The table of evaluations: one row for each run of a file."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from amg.base.errors import FileError
from amg.game.library import build
from amg.learning.parameters import IndependentQ, VLearning
from amg.learning.train import train_run
from amg.results.evaluate import evaluate_files
from amg.results.run_file import save_runs
from amg.tables.tidy import read_evaluations


def test_one_row_for_each_run(tmp_path: Path) -> None:
    game = build("fishermen")
    runs = [train_run(game, VLearning(), 5_000, seed) for seed in (1, 2)]
    runs.append(train_run(game, IndependentQ(), 5_000, seed=1))
    path, output = tmp_path / "runs.npz", tmp_path / "evaluations.csv"
    save_runs(path, runs)
    groups = [({"series": "g/v"}, 2), ({"series": "g/q", "epsilon": "0.1"}, 1)]
    evaluate_files([path, path], [("a", groups), ("b", groups)], output, io.StringIO())
    table = read_evaluations([output])
    assert table["job"].tolist() == ["a"] * 3 + ["b"] * 3
    assert table["series"].tolist() == ["g/v", "g/v", "g/q"] * 2
    assert table["epsilon"].isna().tolist() == [True, True, False] * 2
    assert table["seed"].tolist() == [1, 2, 1] * 2
    assert table["max_gap"].iloc[-1] == 0.0  # everyone plays the dominant action, to the last bit
    assert table["max_own_bound"].isna().tolist() == [False, False, True] * 2
    with pytest.raises(FileError, match="holds 3 runs, expected 2; make it again"):
        evaluate_files([path], [("a", groups[:1])], output, io.StringIO())
    assert len(read_evaluations([output] * 2)) == 12
    assert read_evaluations([]).empty
