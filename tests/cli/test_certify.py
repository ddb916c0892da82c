"""`amg certify`: the exact evaluation of a run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from amg.base.sources import digest
from amg.cli.main import main
from amg.game.library import build
from amg.learning.parameters import VLearning
from amg.learning.train import train_run
from amg.results.run_file import save_runs


def test_two_commands_give_the_gap(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "run.npz")
    options = ["--episodes", "1e4", "--seed", "3", "--set", "lambda_min=0.95", "-o", path]
    assert main(["train", "fishermen", *options]) == 0
    capsys.readouterr()
    assert main(["certify", path]) == 0
    text = capsys.readouterr().out
    assert "equilibrium gap (exact; the deviator sees the history), maximum over agents: " in text
    assert "initial state" not in text
    assert main(["certify", path, "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["parameters"]["lambda_min"] == 0.95
    assert summary["seed"] == 3
    assert summary["source"] == digest("amg.learning.v_learner")
    assert summary["max_gap"] == pytest.approx(max(summary["gap"]))
    assert summary["gap_by_initial_state"] == {
        "high": dict(zip(summary["agents"], summary["gap"], strict=True))
    }
    assert summary["mean_gap"] == summary["gap"]
    assert summary["max_gap"] <= summary["max_informed_gap"] + 1e-9
    assert summary["max_informed_gap"] <= summary["max_own_bound"]


def test_a_random_start_has_a_gap_for_each_initial_state(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "run.npz")
    assert main(["train", "demand_response", "--episodes", "1000", "-o", path]) == 0
    capsys.readouterr()
    assert main(["certify", path, "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert main(["certify", path]) == 0
    text = capsys.readouterr().out
    law, gaps = summary["initial_law"], summary["gap_by_initial_state"]
    assert law == {"cool": 0.6, "hot": 0.4}
    for i, agent in enumerate(summary["agents"]):
        of_agent = {state: gaps[state][agent] for state in law}
        assert summary["gap"][i] == max(of_agent.values())
        mean = sum(law[state] * of_agent[state] for state in law)
        assert summary["mean_gap"][i] == pytest.approx(mean, abs=1e-12)
        assert all(f"{gap:.6f}" in text for gap in (*of_agent.values(), summary["mean_gap"][i]))
    assert max(summary["mean_gap"]) < summary["max_gap"]  # or the test would show nothing
    assert f"maximum over agents and initial states: {summary['max_gap']:.6g}" in text


def test_baselines_and_a_small_budget(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "q.npz")
    options = ["--algorithm", "independent_q", "--episodes", "1000", "-o", path]
    assert main(["train", "inspection", "--with", "horizon=3", *options]) == 0
    capsys.readouterr()
    assert main(["certify", path, "--budget", "2"]) == 0
    assert "exceeds the budget" in capsys.readouterr().out


def test_one_of_several_runs_is_chosen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game, path = build("fishermen"), tmp_path / "runs.npz"
    runs = [train_run(game, VLearning(), K, seed) for K in (50, 100) for seed in (1, 2)]
    save_runs(path, runs)
    for options in ([], ["--seed", "2"], ["--episodes", "1e2"], ["--seed", "3"]):
        assert main(["certify", str(path), *options]) == 2
        message = capsys.readouterr().err
        assert "of its 4 runs fit (seed 1, K = 50, seed 2, K = 50, " in message
        assert "--seed and --episodes" in message
    assert main(["certify", str(path), "--seed", "2", "--episodes", "1e2", "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary["seed"], summary["episodes"]) == (2, 100)
