"""Two commands on the same results: the second is refused in one line."""

from __future__ import annotations

import fcntl
import subprocess
import sys
from pathlib import Path

import pytest

from amg.process import snakemake


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    snakemake.LOCKS.mkdir(parents=True)


CLAIM = """
from amg.process.snakemake import claim
claim("results/a")
print("claimed", flush=True)
input()
"""


def start() -> subprocess.Popen[str]:
    """Another command that claims the results, and waits."""
    return subprocess.Popen(
        [sys.executable, "-c", CLAIM],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_the_second_claim_is_refused_until_the_first_is_killed() -> None:
    first, second = start(), start()
    assert first.stdout is not None
    assert second.stdout is not None
    lines = [first.stdout.readline(), second.stdout.readline()]
    assert sorted(lines) == ["", "claimed\n"]
    if lines[1]:
        first, second = second, first
    _, message = second.communicate()
    assert second.returncode == 1
    assert message.startswith("error: results/a: another command works here (process ")
    assert message.count("\n") == 1
    first.kill()
    first.communicate()
    third = start()
    out, _ = third.communicate("\n")
    assert (third.returncode, out) == (0, "claimed\n")


def test_the_holder_is_named() -> None:
    first = start()
    assert first.stdout is not None
    assert first.stdout.readline() == "claimed\n"
    with pytest.raises(SystemExit, match=rf"\(process {first.pid}\); wait until it has finished"):
        snakemake.claim("results/a")
    snakemake.claim("results/b")  # other results are free
    snakemake._locks.pop().close()
    first.communicate("\n")


def test_without_locks_a_command_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """On some network disks."""

    def no_locks(file: object, how: int) -> None:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    snakemake.claim("results")
    snakemake._locks.pop().close()
