"""A full disk, a read-only place, a file that vanishes: one clear line, nothing lost, then on."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import Place
from places import small_sweep

from amg.cli.main import main
from amg.learning import job as training
from amg.learning.job import VARIABLE, checkpoint_path

FULL = "No space left on device; free some space, then give the same command again"
READ_ONLY = "Read-only file system; make the place writable or choose another"


class Disk:
    """A small file system, mounted somewhere."""

    def __init__(self, place: Path, size: str) -> None:
        self.place, self.ballast = place, place / "ballast"
        place.mkdir(parents=True, exist_ok=True)
        self._mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs")

    def _mount(self, *arguments: str) -> None:
        command = ["mount", *arguments, str(self.place)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as error:
            pytest.skip(f"cannot mount: {error}")
        if done.returncode:
            pytest.skip(f"cannot mount a file system here: {done.stderr.strip()}")

    def writable(self, yes: bool) -> None:
        self._mount("-o", f"remount,{'rw' if yes else 'ro'}")

    def fill(self, left: int) -> None:
        """Leave so many bytes free."""
        self.free()
        free = shutil.disk_usage(self.place).free
        self.ballast.write_bytes(bytes(free - left))

    def free(self) -> None:
        self.ballast.unlink(missing_ok=True)

    def unmount(self) -> None:
        subprocess.run(["umount", "-l", str(self.place)], check=True)


@pytest.fixture
def disks() -> Iterator[list[Disk]]:
    """Whatever is mounted by a test is unmounted after it."""
    mounted: list[Disk] = []
    yield mounted
    for disk in reversed(mounted):
        disk.unmount()


def train(path: Path, seed: int = 1, episodes: str = "2000") -> list[str]:
    return ["train", "fishermen", "--episodes", episodes, "--seed", str(seed), "-o", str(path)]


# --- amg ------------------------------------------------------------------------------------------


def test_a_run_on_a_full_disk(
    tmp_path: Path, disks: list[Disk], capsys: pytest.CaptureFixture[str]
) -> None:
    disk = Disk(tmp_path / "disk", "256k")
    disks.append(disk)
    kept, path = disk.place / "kept.npz", disk.place / "run.npz"
    assert main(train(kept)) == 0
    before = kept.read_bytes()
    disk.fill(4096)
    for target, seed in ((path, 1), (kept, 2)):
        capsys.readouterr()
        assert main(train(target, seed)) == 2
        assert capsys.readouterr().err.splitlines()[-1] == (
            f"amg: error: {target}: cannot be written: {FULL}"
        )
    assert {file.name for file in disk.place.iterdir()} == {"kept.npz", "ballast"}
    assert kept.read_bytes() == before
    disk.free()
    assert main(train(path)) == 0
    assert path.read_bytes() == before


def test_a_checkpoint_on_a_full_disk(
    tmp_path: Path,
    disks: list[Disk],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The last one that was written stays, and is gone on from."""
    disk = Disk(tmp_path / "disk", "8m")
    disks.append(disk)
    path, whole = disk.place / "run.npz", tmp_path / "whole.npz"
    assert main(train(whole, episodes="2e6")) == 0
    times = 0
    save = training.save_checkpoint

    def once(*arguments: object) -> None:
        nonlocal times
        times += 1
        if times == 2:
            disk.fill(0)
        save(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(training, "save_checkpoint", once)
    monkeypatch.setenv(VARIABLE, "0")
    assert main(train(path, episodes="2e6")) == 2
    line = capsys.readouterr().err.splitlines()[-1]
    assert line == f"amg: error: {checkpoint_path(path)}: cannot be written: {FULL}"
    assert {file.name for file in disk.place.iterdir()} == {"run.npz.checkpoint", "ballast"}
    disk.free()
    assert main(train(path, episodes="2e6")) == 0
    assert path.read_bytes() == whole.read_bytes()
    assert list(disk.place.iterdir()) == [path]


def test_a_run_in_a_read_only_place(
    tmp_path: Path, disks: list[Disk], capsys: pytest.CaptureFixture[str]
) -> None:
    disk = Disk(tmp_path / "disk", "256k")
    disks.append(disk)
    disk.writable(False)
    assert main(train(disk.place / "run.npz")) == 2
    line = capsys.readouterr().err.splitlines()[-1]
    assert line.startswith(f"amg: error: {disk.place / 'run.npz'}: cannot be written: {READ_ONLY}")
    disk.writable(True)
    assert main(train(disk.place / "run.npz")) == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_output_that_cannot_be_written() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "amg", "games", "fishermen"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == f"amg: error: standard output: {FULL}\n"


# --- commands -------------------------------------------------------------------------------------


def fails(place: Place, *says: str) -> None:
    """It ends with an error and these words in one line, without a traceback."""
    command = place.start()
    assert command.wait() == 1
    said = command.said()
    assert [line for line in said.splitlines() if all(text in line for text in says)], said[-4000:]
    assert "Traceback" not in said


@pytest.mark.slow
def test_results_on_a_full_disk(
    undisturbed_sweep: dict[str, bytes], tmp_path: Path, disks: list[Disk]
) -> None:
    place = small_sweep(tmp_path / "copy")
    disk = Disk(place.results, "1m")
    disks.append(disk)
    (archive,) = (name for name in undisturbed_sweep if name.endswith(".npz"))
    for left in (8, 16):  # KiB: for no job, for no archive
        disk.fill(left << 10)
        fails(place, "No space left on device")
    disk.free()
    place.run(archive)
    disk.fill(4 << 10)
    fails(place, "No space left on device")  # while it is evaluated
    assert place.made()[archive] == undisturbed_sweep[archive]  # nothing finished is lost
    disk.free()
    place.run()
    assert place.made() == undisturbed_sweep
    assert place.leftovers() == []


@pytest.mark.slow
def test_a_place_on_a_full_or_read_only_disk(
    undisturbed_sweep: dict[str, bytes], tmp_path: Path, disks: list[Disk]
) -> None:
    """Snakemake's own directory included."""
    disk = Disk(tmp_path / "disk", "16m")
    disks.append(disk)
    place = small_sweep(disk.place / "copy")
    place.said = tmp_path
    disk.fill(50 << 10)
    fails(place, "error: .snakemake", FULL)
    disk.free()
    disk.writable(False)
    fails(place, "error: .snakemake", READ_ONLY)
    disk.writable(True)
    place.run()
    assert place.made() == undisturbed_sweep


@pytest.mark.slow
def test_results_in_a_read_only_place(
    undisturbed_sweep: dict[str, bytes], tmp_path: Path, disks: list[Disk]
) -> None:
    place = small_sweep(tmp_path / "copy")
    disk = Disk(place.results, "1m")
    disks.append(disk)
    disk.writable(False)
    fails(place, "Read-only file system", "results/sweeps")
    disk.writable(True)
    place.run()
    assert place.made() == undisturbed_sweep


@pytest.mark.slow
def test_a_run_that_is_cut_short_or_vanishes_before_it_is_evaluated(
    undisturbed_sweep: dict[str, bytes], tmp_path: Path
) -> None:
    place = small_sweep(tmp_path / "copy")
    (archive,) = (name for name in undisturbed_sweep if name.endswith(".npz"))
    place.run(archive)
    runs = place.directory / archive
    os.truncate(runs, runs.stat().st_size // 2)
    fails(place, archive, "cut short", "make it again")
    runs.unlink()
    place.run()
    assert place.made() == undisturbed_sweep


@pytest.mark.slow
@pytest.mark.parametrize("phase", ["training", "evaluation", "drawing"])
def test_results_are_deleted_while_a_command_works(
    undisturbed_sweep: dict[str, bytes], tmp_path: Path, phase: str
) -> None:
    place = small_sweep(tmp_path / "copy")
    command = place.start()
    assert command.reach(phase)
    shutil.rmtree(place.results)
    command.wait()
    assert "Traceback" not in command.said()
    place.run()
    assert place.made() == undisturbed_sweep
