"""The command line, as a person or a program uses it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from argparse import ArgumentTypeError
from pathlib import Path

import pytest

import amg
from amg.cli import games, setting, whole_number
from amg.cli.main import COMMANDS, main

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


@pytest.mark.parametrize(("text", "number"), [("1e6", 10**6), ("1000", 1000), ("2.5e1", 25)])
def test_whole_numbers_however_written(text: str, number: int) -> None:
    assert whole_number(text) == number


def test_settings_are_pairs() -> None:
    """Whole numbers are read; others stay text, so that they are read exactly."""
    assert setting("bonus=4") == ("bonus", 4)
    assert setting(" bonus = 1e1") == ("bonus", 10)
    assert setting("lambda_min=0.95") == ("lambda_min", "0.95")
    for text in ("bonus", "bonus=", "=4"):
        with pytest.raises(ArgumentTypeError):
            setting(text)


def test_a_closed_pipe_is_no_error() -> None:
    script = f"{sys.executable} -m amg games | head -n 1"
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, check=False, env=dict(os.environ)
    )
    assert "Traceback" not in done.stderr


def test_a_terminal_without_greek_letters_will_do() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "amg", "train", "--help"],
        env={**os.environ, "PYTHONIOENCODING": "latin-1"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert b"\\u03bb_min" in done.stdout


# --- the command as a whole -----------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    assert f"usage: amg {command}" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [[], ["dance"], ["train", "fishermen"], ["--colour"]])
def test_wrong_usage_is_one_line_and_exit_code_2(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    message = capsys.readouterr().err
    assert message.startswith("amg: error: ")
    assert message.endswith("--help\n")
    assert message.count("\n") == 1


def test_help_is_quick() -> None:
    """It loads nothing heavy."""
    heavy = {"numba", "numpy", "pandas", "matplotlib", "scipy", "yaml"}
    script = (
        "import atexit, sys; from amg.cli.main import main; "
        f"atexit.register(lambda: print({heavy} & sys.modules.keys(), file=sys.stderr)); "
        "main(['--help'])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "set()\n")


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
