"""Damage: a changed bit in a run or a checkpoint is found and named, a bad table is one line."""

from __future__ import annotations

import contextlib
import os
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from archives import BLANK, sealed
from made_up import study

from amg.base.errors import AmgError, FileError
from amg.claims import entries
from amg.claims.judge import judge_all
from amg.game.library import build
from amg.learning.group import Group
from amg.learning.job import load_checkpoint, save_checkpoint
from amg.learning.learner import Learner
from amg.learning.parameters import make_parameters
from amg.learning.train import new_learner, train_run
from amg.results import archive
from amg.results.run import Run
from amg.results.run_file import KIND, VERSION, load_run, save_runs
from amg.tables.tidy import read_table, write_table

ROOT = Path(__file__).resolve().parents[2]
EPISODES = 60


@dataclass(frozen=True)
class Saved:
    """A file, what reads it, and what then uses it."""

    content: bytes
    read: Callable[[Path], Any]
    use: Callable[[Any], object]


def saved_run(place: Path, algorithm: str) -> Saved:
    save_runs(place, [train_run(build("inspection"), make_parameters(algorithm, {}), EPISODES, 1)])
    return Saved(place.read_bytes(), load_run, Run.evaluate)


def saved_checkpoint(place: Path, algorithm: str) -> Saved:
    parameters = make_parameters(algorithm, {})
    learner = new_learner(build("inspection"), parameters, EPISODES, 1)
    learner.advance(EPISODES // 2)
    save_checkpoint(Group([learner]), place)
    state = {name: array.copy() for name, array in learner.state().items()}

    def read(path: Path) -> Learner:
        learner.resume(state)  # as it was, whatever the last case has done to it
        load_checkpoint(Group([learner]), path)
        return learner

    def use(learner: Learner) -> None:
        learner.advance(EPISODES)
        learner.finish()

    return Saved(place.read_bytes(), read, use)


ALGORITHMS = ("v_learning", "independent_q")
KINDS = {
    f"{what} of {algorithm}": partial(make, algorithm=algorithm)
    for what, make in (("run", saved_run), ("checkpoint", saved_checkpoint))
    for algorithm in ALGORITHMS
}


@pytest.fixture(autouse=True)
def without_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda file: None)


@pytest.fixture(scope="module", params=KINDS)
def saved(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Saved:
    found: Saved = KINDS[request.param](tmp_path_factory.mktemp("saved") / "file.npz")
    return found


@pytest.fixture(scope="module", params=ALGORITHMS)
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Saved:
    return saved_run(tmp_path_factory.mktemp("run") / "file.npz", request.param)


def one_line(error: AmgError, path: Path) -> None:
    assert str(error).startswith(f"{path}: ")
    assert str(error).isprintable()


def refused(saved: Saved, path: Path, content: bytes | bytearray) -> None:
    path.write_bytes(content)
    with pytest.raises(FileError) as caught:
        saved.read(path)
    one_line(caught.value, path)


def test_the_files_themselves_are_read(saved: Saved, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(saved.content)
    saved.use(saved.read(tmp_path / "file"))


def flipped(saved: Saved, places: Iterable[tuple[int, int]], path: Path) -> None:
    for place, bit in places:
        changed = bytearray(saved.content)
        changed[place] ^= 1 << bit
        refused(saved, path, changed)


def test_a_changed_bit_is_found(saved: Saved, tmp_path: Path) -> None:
    """Hundreds anywhere, and one in each byte of the beginning and of the seal."""
    rng, size = random.Random(1), len(saved.content)
    places = [*range(200), *range(size - 200, size), *rng.choices(range(size), k=400)]
    flipped(saved, [(place, rng.randrange(8)) for place in places], tmp_path / "changed.npz")


@pytest.mark.slow
def test_a_changed_bit_in_any_byte_is_found(saved: Saved, tmp_path: Path) -> None:
    rng = random.Random(3)
    every = ((place, rng.randrange(8)) for place in range(len(saved.content)))
    flipped(saved, every, tmp_path / "changed.npz")


def test_a_file_cut_short_or_longer_is_found(saved: Saved, tmp_path: Path) -> None:
    path, rng = tmp_path / "changed.npz", random.Random(2)
    for length in [0, 1, 2, 3, *rng.sample(range(len(saved.content)), 50)]:
        refused(saved, path, saved.content[:length])
        refused(saved, path, saved.content[length + 1 :])
    for more in (b"\0", b"\n", saved.content, BLANK):
        refused(saved, path, saved.content + more)
        refused(saved, path, more + saved.content)


# --- with the right seal on -----------------------------------------------------------------------


def tried(saved: Saved, path: Path) -> bool:
    """Whether a forged file is read; then it can be used, and nothing else happens."""
    try:
        found = saved.read(path)
    except FileError as error:
        one_line(error, path)
        return False
    with contextlib.suppress(AmgError):
        saved.use(found)
    return True


def forge_bytes(saved: Saved, path: Path, seed: int) -> bool:
    rng = random.Random(seed)
    content = bytearray(saved.content[: -len(BLANK)])
    for _ in range(rng.randint(1, 3)):
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    path.write_bytes(sealed(bytes(content) + BLANK))
    return tried(saved, path)


def forge_arrays(saved: Saved, path: Path, seed: int) -> bool:
    """Wild numbers, or another shape or type, in one array."""
    rng = random.Random(seed)
    path.write_bytes(saved.content)
    header, arrays = archive.read(path, KIND, VERSION)
    name = rng.choice(list(arrays))
    array, real = arrays[name].copy(), arrays[name].dtype.kind == "f"
    if array.size and rng.random() < 0.6:
        wild = [0, 1, 2, 7, 10**6, 2**31, 2**62, -1, -7, -(2**62)]
        odd = [np.nan, np.inf, -np.inf, 0.5, 1e300, -1e300, 5e-324]
        number = rng.choice(wild + odd if real else wild)
        array.flat[rng.randrange(array.size)] = (
            number % 2**63 if array.dtype.kind == "u" else number
        )
    else:
        others = [array.astype("f4"), array.astype(">i8"), array.reshape(-1), array.T, array[:0]]
        others += [array[:-1], array[1:], np.concatenate([array, array]), array[..., None]]
        array = rng.choice(others)
    archive.write(path, header, {**arrays, name: np.ascontiguousarray(array)})
    return tried(saved, path)


@pytest.mark.parametrize("forge", [forge_bytes, forge_arrays])
def test_a_forged_file_is_refused_or_harmless(
    run: Saved, forge: Callable[[Saved, Path, int], bool], tmp_path: Path
) -> None:
    read = [forge(run, tmp_path / "forged.npz", seed) for seed in range(100)]
    assert not all(read)


@pytest.mark.slow
@pytest.mark.parametrize("forge", [forge_bytes, forge_arrays])
def test_thousands_of_forged_files(
    run: Saved, forge: Callable[[Saved, Path, int], bool], tmp_path: Path
) -> None:
    read = [forge(run, tmp_path / "forged.npz", seed) for seed in range(100, 3000)]
    assert 0 < sum(read) < len(read)


# --- tables ---------------------------------------------------------------------------------------


CLAIMS = entries.read_claims(ROOT / entries.CLAIMS)


def damage(content: bytes, rng: random.Random) -> bytes:
    start = rng.randrange(len(content))
    length = rng.choice([1, 1, 5, len(content)])
    piece = rng.choice(
        [b"", b"\0", b"\xff", b"x", b'"', b",", b"\n", b"nan", b"-1e999", b"\r", b"5"]
    )
    return content[:start] + piece + content[start + length :]


def examine_tables(cases: range, place: Path) -> int:
    """Damage one of the tables that claims are judged from; the number of refusals."""
    tables, found = study(), 0
    for name, table in tables.items():
        write_table(table, place / f"{name}.csv")
    for seed in cases:
        rng = random.Random(seed)
        name = rng.choice(list(tables))
        path = place / "damaged.csv"
        path.write_bytes(damage((place / f"{name}.csv").read_bytes(), rng))
        try:
            read = read_table(path)
        except FileError as error:
            found += 1
            one_line(error, path)
            continue
        with contextlib.suppress(FileError):
            assert len(judge_all(CLAIMS, {**tables, name: read})) == len(CLAIMS), seed
    return found


def test_numbers_that_cannot_be_are_said_in_one_line() -> None:
    tables = study()
    tables["coverage"]["runs_holding"] = tables["coverage"]["runs"] + 1
    with pytest.raises(FileError, match="claim confidence-lemma: the table coverage, or another"):
        judge_all(CLAIMS, tables)


def test_a_damaged_table_is_refused_or_judged(tmp_path: Path) -> None:
    assert examine_tables(range(60), tmp_path) > 20


@pytest.mark.slow
def test_thousands_of_damaged_tables(tmp_path: Path) -> None:
    assert examine_tables(range(60, 3000), tmp_path) > 1000


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "cut short"),
        (b"\n", "No columns to parse"),
        (b"game,mean\nfish,1.5\nfish,1.5x\n", "line 3, column mean: '1.5x' is no number"),
        (b"game,mean\nfish,1.5\nfish\n", "line 3 has 1 fields, the header 2"),
        (b"game,mean\nfish,1.5,2\n", "line 2 has 3 fields, the header 2"),
        (b"game,mean\nfish,1.", "cut short"),
        (b"game,mean\nfi\0sh,1\n", "overwritten"),
        (b"game,game\nfish,1\n", "two columns have the same name"),
        (b"game,mean\n\xff,1\n", "byte 10 is not UTF-8"),
        (b'game,mean\n"fish,1\n', "unexpected end of data"),
        (b"PK\x03\x04", "cut short"),
    ],
)
def test_what_is_wrong_with_a_table_is_said(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    with pytest.raises(FileError) as caught:
        read_table(path, {"game": str, "mean": float})
    one_line(caught.value, path)
    assert says in str(caught.value)
