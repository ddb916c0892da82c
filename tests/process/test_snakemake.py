"""Commands side by side: what one of them is using, no other clears away."""

from __future__ import annotations

import fcntl
import subprocess
import sys
from pathlib import Path

import pytest

from amg.process import command


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def script() -> Path:
    """What a job would be started with."""
    path = command.PLACE / "scripts" / "train.py"
    path.parent.mkdir(parents=True)
    path.touch()
    return path


def start(call: str) -> subprocess.Popen[str]:
    """Another process, once it has been loaded."""
    program = f"from amg import command; print('loaded', flush=True); command.{call}"
    other = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert other.stdout is not None
    assert other.stdout.readline() == "loaded\n"
    return other


def test_what_a_killed_command_left_is_cleared(script: Path) -> None:
    assert start("begin()").wait() == 0
    assert not script.exists()


def test_a_command_that_begins_waits_until_another_has_its_lock(script: Path) -> None:
    """Or it might see no lock, and then clear away the script of the other's first job."""
    command.LOCKS.mkdir()
    with (command.LOCKS / "results.lock").open("w") as lock:
        with command._gate():
            other = start("begin()")
            with pytest.raises(subprocess.TimeoutExpired):
                other.wait(0.5)
            fcntl.flock(lock, fcntl.LOCK_EX)
        _, said = other.communicate()
    assert "results: another command is at work here" in said
    assert script.exists()


def test_the_second_claim_is_refused() -> None:
    command.LOCKS.mkdir(parents=True)
    with (command.LOCKS / "results.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        print(4242, file=lock, flush=True)
        other = start("claim('results')")
        _, said = other.communicate()
    assert other.returncode == 1
    assert said.startswith("error: results: another command is at work here (process 4242); ")
    assert said.count("\n") == 1


def test_without_locks_a_command_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """On some network disks; Snakemake has a lock of its own."""

    def no_locks(file: object, how: int) -> None:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    command.claim("results")
    command._held.pop().close()
