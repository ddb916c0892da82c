"""The smoke study on a real Slurm gives the bytes of a local run. `make test-slurm` runs this."""

from __future__ import annotations

import contextlib
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import cluster
import pytest
from workplace import Workplace

SMOKE = ("--configfile", "config/smoke.yaml")
PROFILE = ("--workflow-profile", "workflow/profiles/slurm")
# Ours has no accounting database, and little to wait for.
HERE = ("--slurm-status-command=squeue", "--slurm-init-seconds-before-status-checks=3")
NOT_RESULTS = ("benchmarks/", "logs/", "tables/timing.csv", "provenance.json")

pytestmark = [pytest.mark.slurm, pytest.mark.slow]


@pytest.fixture
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[cluster.Cluster]:
    """A cluster of one node; it ends with the test, also when someone ends the test."""
    if missing := cluster.missing():
        pytest.fail(f"not installed: {', '.join(missing)}; see `make test-slurm`", pytrace=False)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    signals = (signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, interrupt) for number in signals}
    try:
        with cluster.running(tmp_path_factory.mktemp("slurm") / "state") as running:
            yield running
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def test_a_cluster_gives_the_same_bytes(tmp_path: Path, slurm: cluster.Cluster) -> None:
    here, there = (Workplace(tmp_path / name, own_package=True) for name in ("local", "slurm"))
    with (
        Study(there, slurm.environment, *PROFILE, *HERE) as remote,
        Study(here, slurm.environment, "-c2") as local,  # while the other waits for its jobs
    ):
        print(f"\nthe smoke study on Slurm and locally, in {tmp_path}", flush=True)
        remote.follow()
        local.finish()
    mine, theirs, jobs = results(there), results(here), slurm.finished()
    print(f"{len(jobs)} Slurm jobs made {len(mine)} files, compared with those of a local run")
    assert len(theirs) > 100
    assert mine == theirs
    assert {job["JobState"] for job in jobs} == {"COMPLETED"}
    assert 4 <= len(jobs) <= 8  # 72 without groups
    assert there.planned() == set()  # who ran it makes no difference to what is up to date


class Study:
    """The smoke study under way in a workplace, with whatever arguments."""

    def __init__(self, place: Workplace, environment: dict[str, str], *arguments: str) -> None:
        self.log = place.directory.with_suffix(".log")
        with self.log.open("w") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "snakemake", *SMOKE, *arguments],
                cwd=place.directory,
                env={**environment, "PYTHONPATH": str(place.source), "VERBOSE": "1"},
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def follow(self) -> None:
        """A line for every submission and for what is done, until the end."""
        shown = 0
        while shown == 0 or self.process.poll() is None:
            time.sleep(1)
            lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
            for line in lines[shown:]:
                if re.search(r"has been submitted|^\d+ of \d+ steps", line):
                    print(line.split(" (log")[0], flush=True)
            shown = len(lines)
        self.finish()

    def finish(self) -> None:
        if self.process.wait() != 0:
            lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
            pytest.fail("\n".join(lines[-60:]), pytrace=False)

    def __enter__(self) -> Study:
        return self

    def __exit__(self, *_: object) -> None:
        """Interrupted, Snakemake cancels its jobs."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(30)
        self.process.kill()
        self.process.wait()


def results(workplace: Workplace) -> dict[str, str]:
    """A digest of every file that the study has made, but for its account of time and place."""
    return {
        name: digest
        for name, digest in workplace.digests("*").items()
        if not name.removeprefix("smoke/").startswith(NOT_RESULTS)
    }
