"""The time left: from earlier runs or estimates, corrected by the jobs that are done."""

from __future__ import annotations

from pathlib import Path

import pytest

from amg.process import costs
from amg.process.costs import Job, Jobs, expected


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr(costs.time, "monotonic", lambda: now[0])
    return now


def test_nothing_is_said_before_something_is_known() -> None:
    jobs = Jobs({1: Job("train", 60.0), 2: Job("train", 60.0, begun=0.0)}, cores=2)
    assert jobs.left() is None
    jobs.by_id[1].taken = 60.0
    assert jobs.left() is not None
    jobs.cores = None  # a cluster: nobody knows how many jobs it runs at once
    assert jobs.left() is None


def test_cores_share_the_work_but_not_a_job(clock: list[float]) -> None:
    done = {0: Job("train", 10.0, 0.0, 10.0)}
    many = Jobs(done | {j: Job("train", 10.0) for j in range(1, 11)}, cores=4)
    assert many.left() == pytest.approx(25.0)
    one = Jobs(done | {1: Job("train", 80.0), 2: Job("train", 4.0)}, cores=4)
    assert one.left() == pytest.approx(80.0)


def test_jobs_that_are_done_correct_those_of_their_phase(clock: list[float]) -> None:
    """Kernels may be compiled already, which says nothing about training."""
    jobs = Jobs({j: Job("compile", 20.0) for j in range(3)}, cores=1)
    jobs.by_id[3] = Job("train", 100.0)
    jobs.by_id[0].taken = jobs.by_id[1].taken = 0.5
    left = jobs.left()
    assert left is not None
    assert 100.0 < left < 103.0


def test_a_job_that_takes_longer_than_expected_is_never_nearly_done(clock: list[float]) -> None:
    jobs = Jobs({0: Job("train", 1.0, 0.0, 1.0), 1: Job("train", 10.0, begun=0.0)}, cores=1)
    clock[0] = 4.0
    assert jobs.left() == pytest.approx(6.0)
    clock[0] = 100.0
    assert jobs.left() == pytest.approx(10.0)
    assert jobs.share() < 1.0


def test_what_a_job_takes_comes_from_its_benchmark_then_from_the_plan(tmp_path: Path) -> None:
    benchmark = tmp_path / "b.tsv"
    known = {str(benchmark): 7.0}
    assert expected("train", str(benchmark), known) == Job("train", 7.0)
    benchmark.write_text("s\th:m:s\n3.5\t0:00:03\n")
    assert expected("train", str(benchmark), known) == Job("train", 3.5)
    for damaged in ("", "s\n", "s\n-\n", "s\nx\t1\n"):
        benchmark.write_text(damaged)
        assert expected("train", str(benchmark), known) == Job("train", 7.0)
    assert expected("table_games", "None", {}).phase == "tables"
    assert expected("timing", "None", {}).phase == ""
