"""`amg certify`: the exact evaluation of a run, or of anybody's policy."""

from __future__ import annotations

import json
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from amg.base.sources import digest
from amg.cli.main import main
from amg.game.file import dump_game
from amg.game.library import build
from amg.learning.parameters import VLearning
from amg.learning.train import train_run
from amg.results.evaluate import evaluate
from amg.results.run_file import save_runs


def test_two_commands_give_the_gap(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "run.npz")
    options = ["--episodes", "1e4", "--seed", "3", "--set", "lambda_min=0.95", "-o", path]
    assert main(["train", "fishermen", *options]) == 0
    capsys.readouterr()
    assert main(["certify", path]) == 0
    text = " ".join(capsys.readouterr().out.split())
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
    text = " ".join(capsys.readouterr().out.split())
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


@pytest.mark.parametrize("algorithm", ["v_learning", "independent_q"])
def test_baselines_and_a_small_budget(
    algorithm: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A greedy policy is Markov: its gap is exact without a search."""
    path = str(tmp_path / "q.npz")
    options = ["--algorithm", algorithm, "--episodes", "1000", "-o", path]
    assert main(["train", "inspection", "--with", "horizon=3", *options]) == 0
    capsys.readouterr()
    assert main(["certify", path, "--budget", "2"]) == 0
    cut = "exceeds the budget" in capsys.readouterr().out
    assert cut == (algorithm == "v_learning")


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


# --- policies -----------------------------------------------------------------------------------


def write(path: Path, **arrays: Any) -> str:
    if path.suffix == ".npz":
        np.savez(path, **arrays)
    else:
        path.write_text(json.dumps({name: np.asarray(a).tolist() for name, a in arrays.items()}))
    return str(path)


@pytest.mark.parametrize("ending", ["npz", "json"])
def test_a_policy_in_all_its_forms_gets_the_same_numbers(
    ending: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game = build("demand_response")
    policy, joint = game.uniform_policy(), np.zeros((game.T, game.S, *[game.A_max] * game.N))
    for t, s in np.argwhere(game.exists):
        joint[t, s] = reduce(np.multiply.outer, policy[t, s])
    forms = {
        "independent": {"policy": policy},
        "mixture": {"policy": [policy, policy], "weights": [0.25, 0.75]},
        "joint": {"joint": joint},
    }
    expected = evaluate(game, policy)
    for name, arrays in forms.items():
        path = write(tmp_path / f"{name}.{ending}", **arrays)
        assert main(["certify", path, "--game", "demand_response", "--json"]) == 0
        summary = json.loads(capsys.readouterr().out)
        assert summary["policy"] == name
        for part in ("value", "best_response", "gap"):
            assert summary[part] == pytest.approx(getattr(expected, part), rel=1e-12, abs=1e-12)
        total = game.T * game.scale
        assert summary["gap_share"] == pytest.approx(expected.gap / total, abs=1e-12)


def test_a_policy_of_a_game_file_or_of_a_game_with_parameters(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game = build("fishermen", {"agents": 3})
    dump_game(game, tmp_path / "mine.yaml")
    path = write(tmp_path / "policy.npz", policy=game.uniform_policy())
    texts = []
    for options in (["fishermen", "--with", "agents=3"], [str(tmp_path / "mine.yaml")]):
        assert main(["certify", path, "--game", *options]) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1]
    assert texts[0].startswith("fishermen: a policy of independent agents\n")


def test_the_text_of_two_agents_fits_into_80_columns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, run = write(tmp_path / "p.json", joint=np.full((2, 2, 2, 2), 0.25)), str(tmp_path / "r")
    assert main(["train", "fishermen", "--episodes", "1000", "-o", run]) == 0
    capsys.readouterr()
    for options in ([path, "--game", "fishermen"], [run]):
        assert main(["certify", *options]) == 0
        text = capsys.readouterr().out
        assert max(map(len, text.splitlines())) <= 80
        assert "of the range of an episode's return" in " ".join(text.split())


@pytest.mark.parametrize("ending", ["npz", "json"])
@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"policy": np.full((3, 2, 2, 2), 0.5)}, "the shape [3, 2, 2, 2]; game 'fishermen' needs"),
        ({"policy": np.full((2, 2, 2, 3), 1 / 3)}, "needs [T, S, N, A] = [2, 2, 2, 2], or"),
        ({"policy": np.full((2, 2, 2, 2), 0.4)}, "t=0, s=0, agent=0 (step 1, state 'high', agent "),
        ({"policy": np.full((2, 2, 2, 2), "x")}, ""),
        ({"policy": np.full((2, 2, 2, 2), 0.5), "weights": [0.5]}, "weights sum to 0.5, not to 1"),
        ({"policy": np.full((2, 2, 2, 2, 2), 0.5), "weights": [2, -1]}, "weights[1] = -1 is neg"),
        ({"policy": np.full((2, 2, 2, 2, 2), 0.5), "weights": [1]}, "weights has the shape [1]"),
        ({"joint": np.full((2, 2, 2, 2), 0.5)}, "joint law at t=0, s=0 (step 1, state 'high'): "),
        ({"joint": np.full((2, 2, 2), 0.5)}, "needs [T, S, A_1, …, A_N] = [2, 2, 2, 2]"),
        ({"joint": np.full((2, 2, 2, 2), -1)}, "actions=[0, 0] (step 1, state 'high'): "),
        ({"pi": [1]}, "is not a policy, it holds 'pi'"),
    ],
)
def test_what_is_no_policy_of_the_game_is_one_line(
    ending: str,
    arrays: dict[str, Any],
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = write(tmp_path / f"policy.{ending}", **arrays)
    assert main(["certify", path, "--game", "fishermen"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"amg: error: {path}: ")
    assert captured.err.endswith("\n")
    assert captured.err[:-1].isprintable()
    assert message in captured.err


def test_a_policy_needs_a_game_and_a_run_does_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = str(tmp_path / "run.npz")
    save_runs(Path(run), [train_run(build("fishermen"), VLearning(), 50, 1)])
    npz = write(tmp_path / "policy.npz", policy=build("fishermen").uniform_policy())
    lists = write(tmp_path / "joint.json", joint=np.full((2, 2, 2, 2), 0.25))
    needs = "is a policy; name its game, as in --game fishermen"
    for options, message in (
        ([npz], f"{npz}: {needs}"),
        ([lists], f"{lists}: {needs}"),
        ([run, "--game", "fishermen"], f"{run}: is a run file, which holds its own game; leave"),
        ([run, "--game", "inspection"], f"{run}: is a run file, which holds its own game; leave"),
        ([run, "--with", "agents=3"], "--with goes with --game"),
        ([npz, "--game", "fishermen", "--seed", "1"], "--seed and --episodes choose a run"),
        ([npz, "--game", "chess"], "unknown game 'chess'"),
        ([npz, "--game", "none.yaml"], "none.yaml: cannot be read"),
        ([str(tmp_path / "none.npz"), "--game", "fishermen"], "none.npz: cannot be read"),
    ):
        assert main(["certify", *options]) == 2
        captured = capsys.readouterr()
        assert captured.err.startswith(f"amg: error: {message}") or message in captured.err
        assert (captured.out, captured.err.count("\n")) == ("", 1)
