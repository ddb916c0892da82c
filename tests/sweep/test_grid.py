"""The jobs of a sweep."""

from __future__ import annotations

from pathlib import Path

import pytest
from sweep_tables import make_sweep

from amg.study.plan import MOST_RUNS, TrainingJob

VALUES = [f"0.{n}" for n in range(701, 900)]


def jobs(directory: Path, axes: str) -> dict[str, TrainingJob]:
    sweep = make_sweep(directory, f"axes: {{ {axes} }}\nmeasure: [max_gap]")
    jobs = {job.name: job for job in sweep.jobs()}
    assert len(jobs) == len(sweep.jobs())
    assert sum(job.runs for job in jobs.values()) == len(sweep.parts) * sweep.seeds
    return jobs


def test_a_cell_added_later_leaves_most_jobs_as_they_are(tmp_path: Path) -> None:
    fixed = "stage_rule: [floor, real], episodes: [1e6]"
    before = jobs(tmp_path, f"lambda_min: [{', '.join(VALUES)}], {fixed}")
    after = jobs(tmp_path, f"lambda_min: [{', '.join([*VALUES[:90], '1', *VALUES[90:]])}], {fixed}")
    assert len(before) > 5
    assert before.keys() == after.keys()
    assert sum(before[name].spec != after[name].spec for name in before) <= 2


def test_short_cells_share_a_job(tmp_path: Path) -> None:
    assert [*jobs(tmp_path, "episodes: [100, 1000, 2000]")] == ["fishermen/v_learning"]


@pytest.mark.parametrize(
    ("solver", "seeds"), [("closed", ["1-4"]), ("newton", ["1-1", "2-2", "3-3", "4-4"])]
)
def test_long_cells_have_jobs_for_the_seeds_that_go_together(
    solver: str, seeds: list[str], tmp_path: Path
) -> None:
    """Newton's method for two actions has no lockstep kernel."""
    names = jobs(tmp_path, f"episodes: [1e9], solver: [{solver}]")
    assert [name.partition("seeds-")[2] for name in names] == seeds


def test_a_job_has_a_limited_number_of_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("amg.sweep.grid.MOST_RUNS", 20)
    assert MOST_RUNS > 20
    found = jobs(tmp_path, f"lambda_min: [{', '.join(VALUES[:50])}]")
    assert max(job.runs for job in found.values()) <= 20


def test_game_files_of_one_name_are_different_games(tmp_path: Path) -> None:
    """Runs are named by the path of a game file, not by its last part."""
    source = Path(__file__).parents[2] / "config" / "games"
    game = next(iter(sorted(source.glob("*.yaml")))).read_text(encoding="utf-8")
    for place in ("a", "b"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "game.yaml").write_text(game, encoding="utf-8")
    compare = ", ".join(f"{n}: {{ game: {tmp_path}/{n}/game.yaml }}" for n in "ab")
    sweep = make_sweep(
        tmp_path, f"compare: {{ {compare} }}\naxes: {{ bonus: [1] }}\nmeasure: [max_gap]"
    )
    assert len({cell.series.name for cell in sweep.cells}) == 2
    assert all(job.name.count("/") == 1 for job in sweep.jobs())
