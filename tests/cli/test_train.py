"""`amg train`: what it writes, and what it refuses to begin."""

from __future__ import annotations

from pathlib import Path

import pytest

from amg.cli.main import main
from amg.game.library import build
from amg.learning.group import Group
from amg.learning.job import checkpoint_path, save_checkpoint
from amg.learning.parameters import VLearning
from amg.learning.train import new_learner
from amg.results.run_file import load_run


def test_a_trace_is_recorded_on_request(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    assert main(["train", "fishermen", "--episodes", "50", "--trace", "-o", str(path)]) == 0
    trace = load_run(path).trace
    assert trace is not None
    assert trace.state.shape == (50, 2)


def test_what_cannot_be_written_is_said_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("in the way")
    target = tmp_path / "file" / "run.npz"
    assert main(["train", "fishermen", "--episodes", "9", "-o", str(target)]) == 2
    assert "cannot be written" in capsys.readouterr().err.splitlines()[-1]


def test_a_checkpoint_of_another_run_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run.npz"
    save_checkpoint(
        Group([new_learner(build("fishermen"), VLearning(), 100, seed=1)]), checkpoint_path(path)
    )
    assert main(["train", "fishermen", "--episodes", "100", "--seed", "2", "-o", str(path)]) == 2
    assert "other runs" in capsys.readouterr().err
    assert not path.exists()


@pytest.mark.parametrize("seconds", ["often", "-1", "nan", ""])
def test_an_interval_that_is_none_is_refused(
    seconds: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("AMG_CHECKPOINT_SECONDS", seconds)
    assert main(["train", "fishermen", "--episodes", "9", "-o", str(tmp_path / "run.npz")]) == 2
    assert f"AMG_CHECKPOINT_SECONDS = {seconds!r} is not a number" in capsys.readouterr().err
