"""The command line, as a person or a program uses it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import amg
from amg.base.errors import ParameterError
from amg.base.sources import digest
from amg.cli import games, setting, whole
from amg.cli.main import main
from amg.evaluation.best_response import BUDGET
from amg.game.library import BUILDERS, build
from amg.learning.checkpoint import checkpoint_path, save_checkpoint
from amg.learning.parameters import VLearning
from amg.learning.train import RECORD, new_learner, train_run
from amg.results.run_file import load_run, save_runs


def test_games_lists_every_game_with_exact_values(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games"]) == 0
    page = capsys.readouterr().out
    for name in BUILDERS:
        assert f"{name}(" in page
    assert "20.666667" in page  # the team optimum of the Fishermen Game
    assert main(["games", "fishermen", "--with", "agents=3", "--json"]) == 0
    (entry,) = json.loads(capsys.readouterr().out)
    assert entry["agents"] == ["fisher 1", "fisher 2", "fisher 3"]


def test_a_game_written_as_yaml_trains_to_the_same_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["games", "fishermen", "--yaml"]) == 0
    (tmp_path / "mine.yaml").write_text(capsys.readouterr().out, encoding="utf-8")
    outputs = []
    for j, game in enumerate(["fishermen", str(tmp_path / "mine.yaml")]):
        outputs.append(tmp_path / f"{j}.npz")
        assert main(["train", game, "--episodes", "500", "-o", str(outputs[j])]) == 0
    one, other = (load_run(path) for path in outputs)
    assert one.certificate is not None
    assert other.certificate is not None
    assert np.array_equal(one.certificate.cell_law, other.certificate.cell_law)


def test_two_commands_give_the_gap(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "run.npz")
    options = ["--episodes", "1e4", "--seed", "3", "--set", "lambda_min=0.95", "-o", path]
    assert main(["train", "fishermen", *options]) == 0
    capsys.readouterr()
    assert main(["certify", path]) == 0
    assert "equilibrium gap (exact), maximum over agents" in capsys.readouterr().out
    assert main(["certify", path, "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["parameters"]["lambda_min"] == 0.95
    assert summary["seed"] == 3
    assert summary["source"] == digest("amg.learning.v_learner")
    assert summary["max_gap"] == pytest.approx(max(summary["gap"]))
    assert summary["max_gap"] <= summary["max_informed_gap"] + 1e-9
    assert summary["max_informed_gap"] <= summary["max_own_bound"]


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


def test_a_trace_is_recorded_on_request(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    assert main(["train", "fishermen", "--episodes", "50", "--trace", "-o", str(path)]) == 0
    trace = load_run(path).trace
    assert trace is not None
    assert trace.state.shape == (50, 2)


AGENTS = ("--with", "agents=50")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["games", "chess"], ["chess", "fishermen"]),
        (["games", "--yaml"], ["name it"]),
        (["games", "fishermen", "--with", "agents=0"], ["agents", "0"]),
        (["games", "fishermen", "--with", "boats=2"], ["boats", "agents"]),
        (["games", "fishermen", "--with", "agents=1_2"], ["agents", "'1_2'"]),
        (["games", "fishermen", "--with", "agents=１２"], ["agents", "'１２'"]),
        (["games", "fishermen", "--with", "agents=" + "9" * 5000], ["agents"]),
        (["games", "missing.yaml"], ["missing.yaml"]),
        (["train", "fishermen", "--episodes", "9", "-o", "."], ["directory", "run.npz"]),
        (["train", "fishermen", "--episodes", "9", "-o", "x" * 250], ["200 bytes", "shorten"]),
        (
            ["train", "fishermen", "--episodes", "1e9", "--record", "1e9", "-o", "x.npz"],
            ["record = 1000000000", "14 GiB", "ask for less"],
        ),
        (
            ["train", "congestion", "--episodes", "1e6", "--trace", "-o", "x.npz", *AGENTS],
            ["episodes = 1000000", "GiB", "ask for less"],
        ),
        (["train", "fishermen", "--episodes", "1.5", "-o", "x.npz"], ["episodes", "1.5"]),
        (["train", "fishermen", "--episodes", "many", "-o", "x.npz"], ["episodes", "many"]),
        (["train", "fishermen", "--episodes", "0", "-o", "x.npz"], ["episodes = 0"]),
        (["train", "fishermen", "--episodes", "9", "--seed", "-1", "-o", "x.npz"], ["seed = -1"]),
        (["train", "fishermen", "--episodes", "9", "--set", "x", "-o", "x.npz"], ["'x'", "name="]),
        (
            ["train", "fishermen", "--episodes", "9", "--set", "lambda_min=0.5", "-o", "x.npz"],
            ["lambda_min = 0.5", "(0.666667, 1]"],
        ),
        (
            ["train", "fishermen", "--episodes", "9", "--set", "lambda=1", "-o", "x.npz"],
            ["'lambda'", "lambda_min"],
        ),
        (
            ["train", "fishermen", "--episodes", "9", "--algorithm", "sarsa", "-o", "x.npz"],
            ["sarsa", "v_learning"],
        ),
        (["certify", "missing.npz"], ["missing.npz", "No such file"]),
    ],
)
def test_mistakes_are_one_line_and_exit_code_2(
    arguments: list[str],
    says: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    message = capsys.readouterr().err
    assert message.startswith("amg: error: ")
    assert message.count("\n") == 1
    for text in says:
        assert text in message
    assert list(tmp_path.iterdir()) == []


def test_too_little_memory_is_said_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(games, "find_game", fail)
    assert main(["games", "fishermen"]) == 2
    assert capsys.readouterr().err == (
        "amg: error: needs more memory than there is; ask for less\n"
    )


def test_what_cannot_be_written_is_said_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("in the way")
    target = tmp_path / "file" / "run.npz"
    assert main(["train", "fishermen", "--episodes", "9", "-o", str(target)]) == 2
    assert "cannot be written" in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize(("text", "number"), [("1e6", 10**6), ("1000", 1000), ("2.5e1", 25)])
def test_whole_numbers_however_written(text: str, number: int) -> None:
    assert whole("episodes", text) == number


def test_settings_are_pairs() -> None:
    assert setting("bonus=4") == ("bonus", "4")
    with pytest.raises(ParameterError):
        setting("bonus=")


def test_a_checkpoint_of_another_run_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run.npz"
    save_checkpoint(
        new_learner(build("fishermen"), VLearning(), 100, seed=1), checkpoint_path(path)
    )
    assert main(["train", "fishermen", "--episodes", "100", "--seed", "2", "-o", str(path)]) == 2
    assert "another run" in capsys.readouterr().err
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


def test_a_closed_pipe_is_no_error() -> None:
    script = f"{sys.executable} -m amg games | head -n 1"
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, check=False, env=dict(os.environ)
    )
    assert "Traceback" not in done.stderr


# --- the command as a whole -----------------------------------------------------------------------

COMMANDS = [
    *("games", "train", "certify", "check", "verify", "reference", "compare", "docs", "bench")
]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    assert f"usage: amg {command}" in capsys.readouterr().out


def test_help_tells_the_defaults(capsys: pytest.CaptureFixture[str]) -> None:
    for command, default in (("certify", BUDGET), ("train", RECORD)):
        with pytest.raises(SystemExit):
            main([command, "--help"])
        assert f"default {default}" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("arguments", [[], ["dance"], ["train", "fishermen"], ["--colour"]])
def test_wrong_usage_is_exit_code_2(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert "amg" in capsys.readouterr().err


def test_help_is_quick() -> None:
    """Parsing the command line loads nothing heavy."""
    heavy = {"numba", "pandas", "matplotlib", "scipy", "yaml"}
    script = (
        "import sys; from amg.cli.main import _parser; _parser(); "
        f"sys.exit(' '.join({heavy} & sys.modules.keys()) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_there_is_one_command() -> None:
    """No module but __main__ is a program."""
    package = Path(amg.__file__).parent
    programs = [
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if "__name__ ==" in path.read_text(encoding="utf-8")
    ]
    assert programs == ["__main__.py"]
    assert "run_process(" in (package / "__main__.py").read_text(encoding="utf-8")


def test_ctrl_c_is_one_line_and_130(tmp_path: Path) -> None:
    """While compiled code runs; the checkpoint that training leaves is tested elsewhere."""
    arguments = ["train", "fishermen", "--episodes", "1e12", "-o", str(tmp_path / "run.npz")]
    process = subprocess.Popen(
        [sys.executable, "-m", "amg", *arguments], stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    time.sleep(8)  # it is training by then, or still compiling
    process.send_signal(signal.SIGINT)
    _, message = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in message
    assert message.splitlines()[-1].startswith("amg: ")
