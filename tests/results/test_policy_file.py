"""Policy files: what is read as it was written, and what is refused in one line."""

from __future__ import annotations

import io
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from archives import Bomb, member, npy, packed

from amg.base.errors import FileError
from amg.results.policy_file import holds_policy, load_policy

UNIFORM = np.full((2, 2, 2, 2), 0.5)


def saved(**arrays: Any) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


@pytest.mark.parametrize(
    "arrays",
    [{"policy": UNIFORM}, {"policy": UNIFORM[None], "weights": np.ones(1)}, {"joint": UNIFORM / 2}],
)
@pytest.mark.parametrize("ending", ["npz", "json"])
def test_what_was_written_is_read(arrays: dict[str, Any], ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"policy.{ending}"
    lists = {name: array.tolist() for name, array in arrays.items()}
    path.write_bytes(saved(**arrays) if ending == "npz" else json.dumps(lists).encode())
    assert holds_policy(path)
    found = load_policy(path)
    assert found.pop("joint", False) == ("joint" in arrays)
    for array, read in zip(arrays.values(), found.values(), strict=True):
        assert np.asarray(read).tolist() == array.tolist()


def test_other_ways_of_numpy_to_write_an_array(tmp_path: Path) -> None:
    path = tmp_path / "policy.npz"
    array = np.random.default_rng(1).random((2, 3, 4, 5))
    for written in (np.asfortranarray(array), array.astype(">f8"), array.transpose(3, 1, 0, 2)):
        for save in (np.savez, np.savez_compressed):
            save(path, policy=written)
            assert load_policy(path)["policy"].tolist() == written.tolist()


REFUSED: dict[str, tuple[str, bytes, str]] = {
    "nothing": ("npz", b"", "is not a readable .npz file"),
    "no zip": ("npz", b"policy", "is not a readable .npz file"),
    "a lone array": ("npz", member(UNIFORM), "write it with numpy.savez"),
    "no arrays": ("npz", saved(), "it holds nothing; give it policy, policy and weights, or joint"),
    "another array": ("npz", saved(pi=UNIFORM), "is not a policy, it holds 'pi'; give it policy"),
    "one too many": ("npz", saved(policy=UNIFORM, x=UNIFORM), "it holds 'policy', 'x'; give"),
    "both": ("npz", saved(policy=UNIFORM, joint=UNIFORM), "it holds 'policy', 'joint'; give"),
    "weights alone": ("npz", saved(weights=[1]), "it holds 'weights'; give"),
    "a joint law with weights": ("npz", saved(joint=UNIFORM, weights=[1]), "'joint', 'weights'"),
    "a pickle": ("npz", saved(policy=np.array(Bomb(), dtype=object)), "type object are refused"),
    "a list of lists": ("npz", saved(policy=np.array([[1], [1, 2]], dtype=object)), "type object"),
    "complex": ("npz", saved(policy=UNIFORM * 1j), "type complex128 are refused"),
    "a terabyte": ("npz", packed([("policy.npy", npy("{'descr': '<f8', 'fortran_order': False, "
                   "'shape': (1000000000000,), }"))]), "claims 8000000000000 bytes"),
    "a bomb": ("npz", packed([("policy.npy", member(UNIFORM))], claim=2 << 30), "claims more than"),
    "a run": ("npz", saved(header="{}", game_effort=[1]), "is a run file, which holds its own"),
    "no text": ("json", b"\xff\xfe", "byte 0 is not UTF-8"),
    "broken": ("json", b'{"policy": [1,', "is not readable JSON (Expecting value: line 1 column"),
    "empty": ("json", b"", "is not readable JSON"),
    "a list": ("json", b"[1]", "is not a JSON object; give it policy"),
    "NaN": ("json", b'{"policy": [NaN]}', "is not readable JSON (NaN is not a number)"),
    "infinity": ("json", b'{"policy": [-Infinity]}', "(-Infinity is not a number)"),
    "twice": ("json", b'{"policy": 1, "policy": 2}', "a name is there twice"),
    "deep": ("json", b'{"policy": ' + b"[" * 10**5 + b"]" * 10**5 + b"}", "is not readable JSON"),
    "a long number": ("json", b'{"policy": ' + b"9" * 10**4 + b"}", "is not readable JSON"),
    "an unknown name": ("json", b'{"q\\u001b": 1}', "it holds 'q\\x1b'; give"),
    "a large file": ("json", b" " * ((16 << 20) + 1), "is larger than 16 MB"),
}  # fmt: skip


@pytest.mark.parametrize(("ending", "content", "message"), REFUSED.values(), ids=REFUSED)
def test_other_files_are_refused_in_one_line(
    ending: str, content: bytes, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path(f"policy.{ending}")
    path.write_bytes(content)
    with pytest.raises(FileError) as caught:
        load_policy(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)
    assert str(caught.value).isprintable()
    assert list(Path().iterdir()) == [path]  # nothing was unpickled


def test_pipes_directories_and_missing_files_are_refused_at_once(tmp_path: Path) -> None:
    for ending in ("npz", "json"):
        os.mkfifo(tmp_path / f"pipe.{ending}")
        for name in (f"pipe.{ending}", ".", f"none.{ending}", f"a\0.{ending}"):
            holds_policy(tmp_path / name)
            with pytest.raises(FileError, match="cannot be read"):
                load_policy(tmp_path / name)


def test_a_run_is_no_policy(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.npy", b"")
        archive.writestr("0.policy.npy", b"")
    assert not holds_policy(path)
