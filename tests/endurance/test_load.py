"""Thousands of cells, cells that are added later, and two commands at once."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import pandas as pd
import psutil
import pytest
from commands import Command, Place
from places import small_sweep

from amg.cli.compare import runs

MIB = 1 << 20


def cells(first: int, second: int, episodes: int) -> str:
    """A sweep of so many cells, whose stages all grow."""
    return "\n".join(
        [
            "title: Many cells",
            f"base: {{ game: fishermen, algorithm: v_learning, episodes: {episodes} }}",
            "axes:",
            f"  cv_max: [{', '.join(f'{0.05 + 0.005 * j:.3f}' for j in range(first))}]",
            f"  lambda_min: [{', '.join(f'{0.7 + 0.007 * j:.3f}' for j in range(second))}]",
            "seeds: 1",
            "measure: [max_gap, lemma_holds]",
        ]
    )


class Memory(threading.Thread):
    """The most memory that Snakemake itself took, without its jobs."""

    def __init__(self, command: Command) -> None:
        super().__init__(daemon=True)
        self.process, self.peak = psutil.Process(command.process.pid), 0
        self.start()

    def run(self) -> None:
        try:
            while True:
                self.peak = max(self.peak, self.process.memory_info().rss)
                time.sleep(0.2)
        except psutil.Error:
            pass  # over


def state(place: Place) -> dict[str, dict[str, str]]:
    """Every run by what it is, and the digests of its arrays."""
    return runs(place.results)


def test_a_second_command_is_refused_and_harms_nothing(
    undisturbed_sweep: dict[str, bytes], tmp_path: Path
) -> None:
    place = small_sweep(tmp_path / "copy")
    files = {name: run for name, run in undisturbed_sweep.items() if name.endswith(".npz")}
    first = place.start(*files)
    assert first.reach("training")
    second = place.start(*files)
    assert second.wait() == 1
    busy = f"results/sweeps/small: another command works here (process {first.process.pid})"
    assert busy in second.said()
    assert "Traceback" not in second.said()
    assert first.wait() == 0, first.said()[-4000:]
    assert place.made() == files


@pytest.mark.slow
def test_two_thousand_cells(tmp_path: Path) -> None:
    place = small_sweep(tmp_path / "copy", cells(50, 40, 20_000))
    dry = subprocess.Popen(
        [sys.executable, "-m", "snakemake", "-n", "-q", *place.arguments],
        cwd=place.directory,
        env=place.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, code, used = os.wait4(dry.pid, 0)
    assert code == 0
    planning = used.ru_utime + used.ru_stime
    assert planning < 15  # seconds of one core

    begun = time.monotonic()
    command = place.start()
    memory = Memory(command)
    assert command.wait() == 0, command.said()[-4000:]
    cost = pd.read_csv(place.results / "sweeps" / "small" / "cost.csv")
    seconds, startup = cost["seconds"].sum(), cost["startup"].sum()
    print(
        f"DAG {planning:.1f} s, whole command {time.monotonic() - begun:.0f} s, jobs "
        f"{seconds:.0f} s with {startup:.1f} s start-up, scheduler {memory.peak / MIB:.0f} MiB"
    )
    assert startup < seconds / 3
    assert cost[cost["kind"] == "train"]["jobs"].sum() >= 2  # both cores have something to do
    assert cost["peak_mib"].max() < 1000
    assert memory.peak < 1000 * MIB
    assert len(table(place)) == 2 * 2000

    before = state(place)
    assert len(before) == 2000
    sweep = place.directory / "config" / "sweeps" / "small.yaml"
    sweep.write_text(cells(50, 41, 20_000), encoding="utf-8")
    place.run()
    kept = re.findall(r"(\d+) of (\d+) runs exist already and are kept", place.logs())
    assert sum(int(some) for some, _ in kept) == 2000
    assert sum(int(all_) for _, all_ in kept) == 2050
    after = state(place)
    assert len(after) == 2050
    assert {name: after[name] for name in before} == before
    assert len(table(place)) == 2 * 2050


def table(place: Place) -> pd.DataFrame:
    return pd.read_csv(place.directory / "figures" / "sweeps" / "small.csv")


@pytest.mark.slow
def test_commands_that_start_together(undisturbed_sweep: dict[str, bytes], tmp_path: Path) -> None:
    """One goes through, whoever it is, and the others say why they do not."""
    place = small_sweep(tmp_path / "copy")
    commands = [place.start() for _ in range(3)]
    codes = [command.wait() for command in commands]
    assert 0 in codes
    for code, command in zip(codes, commands, strict=True):
        said = command.said()
        assert "Traceback" not in said
        assert code == 0 or "another command works here" in said
    assert place.made() == undisturbed_sweep
    assert "Nothing to do" in place.run()


@pytest.mark.slow
def test_different_sweeps_may_run_at_the_same_time(tmp_path: Path) -> None:
    place = small_sweep(tmp_path / "copy", cells(2, 2, 1_000_000))
    sweeps = place.directory / "config" / "sweeps"
    (sweeps / "other.yaml").write_text(cells(3, 2, 1_000_000), encoding="utf-8")
    first = place.start()
    assert first.reach("training")
    place.arguments[-1] = "sweep=config/sweeps/other.yaml"
    second = place.start()
    assert first.wait() == 0, first.said()[-4000:]
    assert second.wait() == 0, second.said()[-4000:]
    assert len(state(place)) == 4 + 6
