"""Run files made to do harm are refused in one line, soon and with little memory.

They have the right checksum: somebody made them on purpose. `test_damaged_files.py` has files that
were damaged by accident.
"""

from __future__ import annotations

import ast
import json
import os
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from archives import Bomb, member, npy, packed
from limits import measured

from amg.base.errors import AmgError, FileError, ParameterError
from amg.cli.main import main as amg
from amg.game.file import dump_game, load_game
from amg.results import archive
from amg.results.run_file import VERSION, load_run

ROOT = Path(__file__).resolve().parents[2]
GOOD = ROOT / "reference" / "fishermen-K1000.npz"
MEGABYTE = 1 << 20
READER = "amg.results.run_file:load_run"


def members() -> dict[str, bytes]:
    """What a good run file holds."""
    with zipfile.ZipFile(GOOD) as file:
        return {name: file.read(name) for name in file.namelist()}


def with_member(name: str, data: bytes) -> Callable[[], bytes]:
    return lambda: packed({**members(), name: data}.items())


def with_returns(data: bytes) -> Callable[[], bytes]:
    return with_member("0.returns.npy", data)


def with_header(**changes: Any) -> Callable[[], bytes]:
    """The header with some of it changed; keys are joined by two underscores."""

    def make() -> bytes:
        header = json.loads(str(np.load(GOOD)["header"]))
        for path, value in changes.items():
            *way, last = path.split("__")
            part = header
            for key in way:
                part = part[int(key) if key.isdecimal() else key]
            part[last] = value
        return with_member("header.npy", member(np.array(json.dumps(header))))()

    return make


def claiming(descr: str, shape: str, data: bytes = b"") -> bytes:
    return npy(f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}", data)


def zeros(megabytes: int) -> bytes:
    """A member of so many zeros, by its `.npy` header."""
    return claiming("<f8", f"({megabytes * MEGABYTE // 8},)", bytes(megabytes * MEGABYTE))


def header_bomb(brackets: int) -> bytes:
    """A header whose every three characters become a list of 56 bytes."""
    text = str(np.load(GOOD)["header"])[:-1] + ', "x": [' + "[]," * brackets + "0]}"
    return with_member("header.npy", member(np.array(text)))()


def wrapped_efforts() -> bytes:
    """Four efforts of 2⁶², whose sum is 0 in 64 bits; sums as bit masks would take exabytes."""
    header = json.loads(str(np.load(GOOD)["header"]))
    header["game"] |= {"agents": [*"abcd"], "states": [["s"]], "actions": [[[["x"]] * 4]]}
    arrays = {
        "header": np.array(json.dumps(header)),
        "game_effort": np.full((1, 1, 4, 1), 1 << 62),
        "game_reward": np.full((1, 1, 4, 1, 1), 5.0),
        "game_transition": np.zeros((1, 1, 1, 1)),
        "game_initial": np.ones(1),
    }
    return packed((f"{name}.npy", member(array)) for name, array in arrays.items())


HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "a terabyte": (with_returns(claiming("<f8", "(1000000000000,)")), "claims 8000"),
    "overflow": (with_returns(claiming("<f8", "(4294967296, 4294967296)")), "claims"),
    "negative": (with_returns(claiming("<f8", "(-1,)", bytes(8))), "claims"),
    "twice negative": (with_returns(claiming("<f8", "(-1, -1)", bytes(8))), "not a"),
    "no numbers": (with_returns(claiming("<f8", "('a',)", bytes(8))), "not a readable"),
    "hundred axes": (with_returns(claiming("<f8", f"({'1,' * 100})", bytes(8))), ""),
    "nothing of much": (with_returns(claiming("<f8", "(0, 10**18)")), ""),
    "long text": (with_returns(claiming("<U250000000", "(1,)", b"")), "claims 1000"),
    "other numbers": (with_returns(member(np.ones(3, "<f4"))), "float32"),
    "swapped bytes": (with_returns(member(np.ones(3, ">f8"))), ">f8"),
    "objects": (with_returns(member(np.array([{}], dtype=object))), "type object"),
    "a pickle": (with_member("header.npy", member(np.array(Bomb(), dtype=object))), "type object"),
    "records": (with_returns(member(np.ones(3, [("a", "<f8")]))), "are refused"),
    "dates": (with_returns(member(np.ones(3, "<M8[s]"))), "are refused"),
    "code": (with_returns(npy("__import__('os').mkdir('made')")), "not a readable"),
    "a nested zip": (with_returns(GOOD.read_bytes()), "not a readable"),
    "no array": (with_member("readme.txt", b"hello"), "not a readable"),
    "a bomb": (lambda: packed((f"x{j}.npy", zeros(63)) for j in range(20)), "claims more than"),
    "a false size": (lambda: packed(members().items(), claim=2 << 30), "claims more than"),
    "a newer format": (with_header(version=VERSION + 1), "update the package"),
    "another kind": (with_header(kind="amg-checkpoint"), "name a 'amg-runs' file"),
    "a true version": (with_header(version=True), "format version True"),
    "episodes as text": (with_header(runs__0__episodes="1000"), "episodes is not int"),
    "huge episodes": (with_header(runs__0__episodes=10**30), "does not run from 0"),
    "a seed of 1/2": (with_header(runs__0__seed=0.5), "seed is not int"),
    "terminal codes": (with_header(runs__0__algorithm="\x1b[2Jv"), "cannot be printed"),
    "a line end": (with_header(runs__0__package="1\n2"), "cannot be printed"),
    "a list of settings": (with_header(runs__0__parameters__x=[1]), "neither numbers nor text"),
    "a long game": (with_header(game__states=[["a"]] * 100_000), "game"),
    "deep header": (with_header(game__states=json.loads("[" * 500 + "]" * 500)), ""),
    "infinite rewards": (with_header(game__reward_range=[0, float("inf")]), "reward_range"),
    "a header of brackets": (lambda: header_bomb(20_000_000), "its header has more than"),
    "efforts that wrap around": (wrapped_efforts, "adds up to at most 18446744073709551616"),
    "a huge fraction": (with_header(game__unit="1e999"), ""),
}


@pytest.fixture(autouse=True)
def without_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda file: None)


@pytest.mark.parametrize(("make", "says"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_run_is_refused_in_one_line(
    make: Callable[[], bytes],
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path("run.npz")
    path.write_bytes(make())
    assert amg(["certify", "run.npz"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("amg: error: run.npz: ")
    assert captured.err.endswith("\n")
    assert captured.err[:-1].isprintable()
    assert says in captured.err
    assert list(Path().iterdir()) == [path]


def test_a_good_run_packed_the_same_way_is_read(tmp_path: Path) -> None:
    """Or the test above would show nothing."""
    for make in (lambda: packed(members().items()), with_header()):
        (tmp_path / "run.npz").write_bytes(make())
        assert load_run(tmp_path / "run.npz").episodes == 1000


def test_hostile_runs_take_little_time_and_memory(tmp_path: Path) -> None:
    for j, (make, _) in enumerate(HOSTILE.values()):
        (tmp_path / f"{j}.npz").write_bytes(make())
    files = [str(tmp_path / f"{j}.npz") for j in range(len(HOSTILE))]
    found = measured(READER, str(GOOD), files, memory=4 << 30)
    for name, (refusal, seconds, memory) in zip(HOSTILE, found, strict=True):
        assert refusal, name
        assert seconds < 10, name
        assert memory < 128 * MEGABYTE, name


@pytest.mark.slow
def test_a_bomb_within_the_room_takes_no_more_than_that(tmp_path: Path) -> None:
    """The most that a small file can make the reader unpack before it is refused."""
    path = tmp_path / "bomb.npz"
    path.write_bytes(packed((f"x{j}.npy", zeros(63)) for j in range(16)))
    assert path.stat().st_size < 2 * MEGABYTE
    ((refusal, seconds, memory),) = measured(
        "amg.results.run_file:load_run", str(GOOD), [str(path)]
    )
    assert refusal is not None
    assert "has no header" in refusal
    assert seconds < 60
    assert memory < 1.25 * archive.ROOM


def test_pipes_and_directories_are_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.npz")
    for name in ("pipe.npz", ".", "none.npz", "a\0b"):
        with pytest.raises(FileError, match="cannot be read") as caught:
            load_run(tmp_path / name)
        assert str(caught.value).isprintable()


# --- names ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["../outside.npz", "/etc/hostname", "a/../../x.npz", "..", "."])
def test_recorded_names_stay_in_their_directory(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A table of recorded numbers names files to read, and to replace."""
    place = tmp_path / "reference"
    place.mkdir()
    (tmp_path / "outside.npz").write_bytes(GOOD.read_bytes())
    (place / "values.csv").write_text(f"file,sha256,episodes,max_gap\n{name},0,1000,0.1\n")
    assert amg(["verify", str(place)]) == 1
    captured = capsys.readouterr()
    assert captured.out.startswith("0 runs in 1 files: 1 ")
    assert str(tmp_path / "outside.npz") not in captured.err


def test_the_name_of_a_game_is_no_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names may be any printable text; what is written goes where the command line says."""
    place = tmp_path / "here"
    place.mkdir()
    monkeypatch.chdir(place)
    text = (ROOT / "config" / "games" / "fishermen.yaml").read_text(encoding="utf-8")
    Path("game.yaml").write_text(text.replace("name: fishermen", "name: ../../../outside"))
    assert amg(["train", "game.yaml", "--episodes", "10", "-o", "run.npz"]) == 0
    run = load_run(Path("run.npz"))
    assert run.game.name == "../../../outside"
    dump_game(run.game, "again.yaml")
    assert load_game("again.yaml").digest == run.game.digest
    assert {path.name for path in place.iterdir()} == {"game.yaml", "run.npz", "again.yaml"}
    assert list(tmp_path.iterdir()) == [place]


def test_every_message_is_one_line() -> None:
    for kind in (AmgError, FileError, ParameterError):
        assert str(kind("a\nb\x1b[31m\u202e\0")) == r"a\nb\x1b[31m\u202e\x00"


# --- the sources ----------------------------------------------------------------------------------

FORBIDDEN = {
    *("pickle", "cPickle", "dill", "cloudpickle", "joblib", "marshal", "shelve", "yte"),
    *("eval", "exec", "compile", "__import__", "os.system", "os.popen"),
    *("yaml.load", "yaml.load_all", "yaml.full_load", "yaml.full_load_all", "yaml.unsafe_load"),
    *("yaml.Loader", "yaml.FullLoader", "yaml.UnsafeLoader"),
    *("pd.eval", "pd.read_pickle", "pd.read_hdf", "shell=True", "allow_pickle=True"),
}


def used(source: str) -> Iterator[str]:
    """Modules, functions and attributes that a piece of Python uses, and `name=True`."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield str(node.module).split(".")[0]
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            yield f"{node.value.id}.{node.attr}"
        elif isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.keyword) and getattr(node.value, "value", None) is True:
            yield f"{node.arg}=True"


def test_nothing_that_runs_what_a_file_says_is_used() -> None:
    files = [*(ROOT / "src").rglob("*.py"), *(ROOT / "workflow").rglob("*.py")]
    assert len(files) > 100
    for path in files:
        found = FORBIDDEN.intersection(used(path.read_text(encoding="utf-8")))
        assert not found, f"{path}: {found}"


def test_the_rules_leave_configs_to_the_strict_reader() -> None:
    """Snakemake's own `configfile:` runs the code in a file that asks for it."""
    files = [ROOT / "Snakefile", *(ROOT / "workflow").rglob("*.smk")]
    assert len(files) > 5
    for path in files:
        code = re.sub(r"#.*", "", path.read_text(encoding="utf-8"))
        found = (FORBIDDEN - {"compile"}).intersection(re.findall(r"[\w.=]+", code))  # a rule
        assert not found, f"{path}: {found}"
        assert not re.search(r"^\s*(configfile|pepfile|run):", code, re.M), path


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "from pickle import loads",
        "x = eval('1')",
        "yaml.load(text, Loader=yaml.SafeLoader)",
        "from yaml import unsafe_load",
        "np.load(path, allow_pickle=True)",
        "subprocess.run(text, shell=True)",
    ],
)
def test_it_would_be_found(source: str) -> None:
    assert FORBIDDEN.intersection(used(source))
