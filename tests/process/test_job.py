"""What a job runs in: its log, errors in one line, and its end when its command is gone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from amg.base.errors import ParameterError
from amg.process.job import COMMAND, WORK, job

FULL = "No space left on device; free some space, then give the same command again"


def test_messages_and_warnings_go_to_the_log_only(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The terminal belongs to the command, which shows a live line there."""
    log = tmp_path / "logs" / "job.log"
    with job(SimpleNamespace(log=[log], rule="rule")) as messages:
        print("at work", file=messages, flush=True)
        os.write(2, b"a library warns\n")
        subprocess.run(["sh", "-c", "echo a program warns >&2"], check=True)
    os.write(2, b"afterwards\n")
    assert capfd.readouterr().err == "afterwards\n"
    *said, last = log.read_text().splitlines()
    assert said == ["at work", "a library warns", "a program warns"]
    assert last.startswith(WORK)


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (ParameterError("seeds = 0: give more"), "rule: seeds = 0: give more"),
        (KeyboardInterrupt(), "rule: stopped; the same command goes on from here"),
    ],
)
def test_what_a_user_can_correct_is_one_line(
    error: BaseException, line: str, tmp_path: Path
) -> None:
    log = tmp_path / "job.log"
    with pytest.raises(SystemExit) as ended, job(SimpleNamespace(log=[log], rule="rule")):
        raise error
    assert ended.value.code == 1
    assert log.read_text() == f"{line}\n"


def test_the_log_has_the_traceback_of_a_mistake_of_ours(tmp_path: Path) -> None:
    log = tmp_path / "job.log"
    with pytest.raises(SystemExit) as ended, job(SimpleNamespace(log=[log], rule="rule")):
        raise ZeroDivisionError
    assert ended.value.code == 1
    assert log.read_text().startswith("rule: Traceback")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_log_that_cannot_be_written(tmp_path: Path) -> None:
    log = tmp_path / "job.log"
    log.symlink_to("/dev/full")
    with (
        pytest.raises(SystemExit) as ended,
        job(SimpleNamespace(log=[log], rule="rule")) as messages,
    ):
        print("at work", file=messages)
    assert ended.value.code == f"rule: a file: {FULL}"  # on the terminal, where else?


def test_a_job_without_a_place_for_its_log(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("in the way")
    with (
        pytest.raises(SystemExit) as ended,
        job(SimpleNamespace(log=[tmp_path / "logs" / "job.log"], rule="rule")),
    ):
        pytest.fail("should not have begun")
    assert str(ended.value.code).startswith(
        f"rule: {tmp_path / 'logs'}: File exists; move what is in the way"
    )


def test_a_file_that_vanishes_under_a_job(tmp_path: Path) -> None:
    with (
        pytest.raises(SystemExit) as ended,
        job(SimpleNamespace(log=[tmp_path / "job.log"], rule="rule")),
    ):
        (tmp_path / "gone").read_bytes()
    assert ended.value.code == 1
    line = f"rule: {tmp_path / 'gone'}: No such file or directory"
    assert (tmp_path / "job.log").read_text() == f"{line}\n"


JOB = """
import sys, time
from types import SimpleNamespace
from amg.process.job import job

with job(SimpleNamespace(log=[sys.argv[1]], rule="rule")):
    print("begun", flush=True)
    time.sleep(60)
"""
PARENT = """
import os, subprocess, sys

environment = {**os.environ, sys.argv[1]: str(os.getpid())}
subprocess.run([sys.executable, "-c", *sys.argv[2:]], env=environment)
"""


def test_a_job_ends_soon_after_its_command(tmp_path: Path) -> None:
    command = subprocess.Popen(
        [sys.executable, "-c", PARENT, COMMAND, JOB, str(tmp_path / "job.log")],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert command.stdout is not None
    assert command.stdout.readline() == "begun\n"
    os.kill(command.pid, signal.SIGKILL)
    assert command.stdout.read() == ""  # until the job has ended, which holds the pipe too
    command.wait()
