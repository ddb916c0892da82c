"""Training jobs: runs are kept, interrupted jobs go on to the same bytes, stale checkpoints go."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from amg.base.errors import FileError, ParameterError
from amg.game.library.fishermen import fishermen
from amg.learning.job import VARIABLE, Task, checkpoint_path, finished_path, train_job
from amg.learning.parameters import IndependentQ, VLearning
from amg.results import archive
from amg.results.run_file import load_runs

TASKS = [Task(VLearning(), 5000, 1, 100), Task(IndependentQ(), 5000, 2, 100)]


def run_job(output: Path, tasks: list[Task] = TASKS, until: int = 10**9, **options: bool) -> str:
    """Train; an exception interrupts it when more than `until` episodes are done."""
    log = io.StringIO()

    def report(done: int) -> None:
        if done > until:
            raise KeyboardInterrupt

    train_job(fishermen(), tasks, output, report, log, **options)
    return log.getvalue()


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    assert run_job(tmp_path / "whole.npz") == ""
    return tmp_path / "whole.npz"


def test_runs_that_exist_are_kept(whole: Path) -> None:
    before = whole.read_bytes()
    assert run_job(whole) == "2 of 2 runs exist already and are kept\n"
    assert whole.read_bytes() == before
    assert run_job(whole, TASKS[::-1]) == "2 of 2 runs exist already and are kept\n"
    assert whole.read_bytes() != before  # in the other order
    assert run_job(whole, [TASKS[0], TASKS[1]._replace(record=50)]).startswith("1 of 2 runs")


@pytest.mark.parametrize("until", [1000, 5500, 9000])
def test_an_interrupted_job_goes_on_to_the_same_bytes(
    whole: Path, until: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "0")
    output = tmp_path / "run.npz"
    with pytest.raises(KeyboardInterrupt):
        run_job(output, until=until)
    assert checkpoint_path(output).exists()
    assert finished_path(output).exists() == (until > 5000)
    log = run_job(output)
    assert f"{output}: goes on from episode " in log
    assert ("1 of 2 runs exist already" in log) == (until > 5000)
    assert output.read_bytes() == whole.read_bytes()
    assert {path.name for path in tmp_path.iterdir()} == {"run.npz", "whole.npz"}


def test_a_stale_checkpoint_is_deleted_or_refused(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "0")
    output = tmp_path / "run.npz"
    with pytest.raises(KeyboardInterrupt):
        run_job(output, [TASKS[0]._replace(seed=9)], until=1000)
    with pytest.raises(FileError, match="belongs to other runs; delete it"):
        run_job(output, keep_stale=True)
    assert "belongs to other runs" in run_job(output)
    assert output.read_bytes() == whole.read_bytes()


def test_runs_of_another_game_are_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A builder was changed, and the job had been interrupted before and after it."""
    monkeypatch.setenv(VARIABLE, "0")
    output = tmp_path / "run.npz"
    for path in (output, finished_path(output)):
        train_job(fishermen(horizon=3), TASKS, path, lambda done: None, io.StringIO())
    with pytest.raises(KeyboardInterrupt):
        run_job(output, until=5500)
    run_job(output)
    assert {run.game.digest for run in load_runs(output)} == {fishermen().digest}


def test_a_job_whose_stages_hardly_grow_ends_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its runs would fill the memory, one after another, for a file that cannot hold them."""
    monkeypatch.setattr(archive, "LARGEST", 1 << 14)
    tasks = [Task(VLearning(), 5000, seed, 0) for seed in (1, 2, 3)]
    with pytest.raises(ParameterError, match=r"fewer seeds in a job \(batch\)$"):
        run_job(tmp_path / "run.npz", tasks)
    assert not (tmp_path / "run.npz").exists()
