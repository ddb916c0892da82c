"""Killed at any moment, the same command goes on, and every final file has the same bytes."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from commands import AGGREGATION, WRITING, Command, Place, slowness
from places import small_sweep, tiny_study

from amg.learning.job import VARIABLE, checkpoint_path

GOES_ON = re.compile(r"goes on from episode [1-9]")
KEPT = re.compile(r"[1-9]\d* of \d+ runs exist already and are kept")


def disturb(
    place: Place, plan: Sequence[tuple[str, str]], chance: random.Random
) -> tuple[Counter[str], str]:
    """Kill a command in each phase of a plan; in which phases that was, and all that was said.

    A command that gets through before it is killed is not counted.
    """
    struck: Counter[str] = Counter()
    said: list[str] = []
    commands: list[Command] = []
    for phase, how in plan:
        command = place.start()
        commands.append(command)
        if command.reach(phase):
            if phase != WRITING:
                time.sleep(chance.uniform(0.0, 0.5))  # a short job takes no longer
            phases = command.kill(how, phase)
            half = list(place.directory.rglob("*.partial"))
            struck.update(phases & {phase})
            struck.update({WRITING} if half else ())
        said += [command.said(), place.logs()]
    assert [job for command in commands for job in command.orphans()] == []
    assert "Traceback" not in "\n".join(said)
    return struck, "\n".join(said)


def ends_well(place: Place, made: dict[str, bytes]) -> str:
    """The same command again finishes, with the same bytes, and leaves nothing else behind."""
    said = place.run()
    assert place.made() == made
    assert place.leftovers() == []
    assert "Traceback" not in said
    return said + place.logs()


def test_killed_in_every_phase(undisturbed_sweep: dict[str, bytes], tmp_path: Path) -> None:
    place = small_sweep(tmp_path / "copy")
    place.slow_disk(0.1)
    plan = [
        (WRITING, "group"),
        ("training", "parent"),
        ("training", "ctrl-c"),
        ("evaluation", "job"),
        ("drawing", "group"),
    ]
    struck, said = disturb(place, plan, random.Random(1))
    said += ends_well(place, undisturbed_sweep)
    assert {"training", "evaluation", "drawing", WRITING} <= struck.keys()
    assert GOES_ON.search(said)


@pytest.mark.slow
def test_killed_at_fifty_moments_of_a_study(
    undisturbed_study: dict[str, bytes], tmp_path: Path
) -> None:
    chance = random.Random(2)
    ways = ("group", "parent", "job", "ctrl-c")
    struck: Counter[str] = Counter()
    place = tiny_study(tmp_path / "copy")
    place.slow_disk(0.05)
    said = ""
    while sum(n for phase, n in struck.items() if phase != WRITING) < 50:
        phases = [*["training"] * 5, WRITING, *["evaluation"] * 3, *[AGGREGATION] * 3]
        plan = [(phase, chance.choice(ways)) for phase in [*phases, *["drawing"] * 3]]
        plan[5] = (WRITING, "group")
        more, words = disturb(place, plan, chance)
        struck += more
        said += words + ends_well(place, undisturbed_study)
        shutil.rmtree(place.results)
    print(dict(struck))
    assert min(struck[phase] for phase in ("training", "evaluation", AGGREGATION, "drawing")) >= 5
    assert struck[WRITING] >= 3
    assert GOES_ON.search(said)
    assert KEPT.search(said)


# --- asked to stop --------------------------------------------------------------------------------


@pytest.mark.slow
def test_ctrl_c_at_random_moments(undisturbed_sweep: dict[str, bytes], tmp_path: Path) -> None:
    """From when Snakemake has been loaded: before, Python answers with a traceback of its own."""
    place, chance = small_sweep(tmp_path / "copy"), random.Random(3)
    for _ in range(12):
        command = place.start()
        while "Using workflow" not in command.said() and command.process.poll() is None:
            time.sleep(0.01)
        time.sleep(2.0 + chance.uniform(0.0, 6.0))  # amg itself is loaded meanwhile
        if command.process.poll() is None:
            command.interrupt()
        assert command.orphans() == []
    ends_well(place, undisturbed_sweep)


def amg(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "amg", *arguments]


LONG = ("train", "fishermen", "--episodes", "6e6", "-o")


@pytest.fixture(scope="module")
def whole_run(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("whole") / "run.npz"
    subprocess.run(amg(*LONG, str(path)), check=True, capture_output=True)
    return path.read_bytes()


@pytest.mark.parametrize("request_to_stop", [signal.SIGINT, signal.SIGTERM])
def test_training_that_is_asked_to_stop_leaves_a_checkpoint(
    whole_run: bytes, request_to_stop: signal.Signals, tmp_path: Path
) -> None:
    """By Ctrl-C, or by Slurm or `timeout`."""
    path = tmp_path / "run.npz"
    often = {**os.environ, VARIABLE: "0.1"}
    process = subprocess.Popen(amg(*LONG, str(path)), env=often, stderr=subprocess.PIPE, text=True)
    while not checkpoint_path(path).exists():
        assert process.poll() is None
        time.sleep(0.01)
    patience, begun = 2.0 * slowness(), time.monotonic()
    process.send_signal(request_to_stop)
    _, said = process.communicate()
    assert time.monotonic() - begun < patience
    assert process.returncode == 128 + request_to_stop
    assert said == f"\namg: stopped; the same command goes on from {path}.checkpoint\n"
    assert not path.exists()
    subprocess.run(amg(*LONG, str(path)), check=True, capture_output=True)
    assert path.read_bytes() == whole_run
    assert list(tmp_path.iterdir()) == [path]


def test_ctrl_c_while_a_kernel_searches_for_minutes(tmp_path: Path) -> None:
    """Where Python itself would answer only when the kernel is done."""
    path = tmp_path / "run.npz"
    game = ("fishermen", "--with", "horizon=14", "--set", "lambda_min=1")
    subprocess.run(amg("train", *game, "--episodes", "300", "-o", str(path)), check=True)
    subprocess.run(amg("certify", str(path), "--budget", "1"), check=True)  # compiled from here on
    process = subprocess.Popen(
        amg("certify", str(path), "--budget", "1e12"), stderr=subprocess.PIPE, text=True
    )
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(4.0 * slowness())
    patience, begun = 2.0 * slowness(), time.monotonic()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    assert time.monotonic() - begun < patience
    assert (process.returncode, said) == (130, "\namg: interrupted\n")


@pytest.mark.slow
def test_ctrl_c_of_training_at_any_moment(whole_run: bytes, tmp_path: Path) -> None:
    """Also while Python loads the package: then nothing was begun, and nothing is said."""
    path, chance = tmp_path / "run.npz", random.Random(4)
    for _ in range(20):
        process = subprocess.Popen(
            amg(*LONG, str(path)), stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        time.sleep(0.3 + chance.uniform(0.0, 2.0))
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=2.0 * slowness())
        assert "Traceback" not in said
    subprocess.run(amg(*LONG, str(path)), check=True, capture_output=True)
    assert path.read_bytes() == whole_run
