"""Result files: whole or refused, the same bytes for the same content, nothing ever unpickled."""

from __future__ import annotations

import json
import os
import struct
import time
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from archives import BLANK, Bomb, member, npy, packed, sealed
from hypothesis import given, settings
from hypothesis import strategies as st

from amg.base.errors import FileError
from amg.results import archive

KIND, VERSION = "amg-test", 3
HEADER = {"kind": KIND, "version": VERSION, "name": "ε ≤ 0.1", "list": [1, 2.5, None]}
ARRAYS = {
    "matrix": np.arange(6.0).reshape(2, 3),
    "scalar": np.array(7),
    "empty": np.zeros((0, 4), dtype=np.int64),
    "flags": np.array([True, False]),
    "rng": np.array([2**64 - 1], dtype=np.uint64),
    "words": np.array(["a", "λ"]),
}


def header_member(header: Any = HEADER) -> tuple[str, bytes]:
    return "header.npy", member(np.array(json.dumps(header)))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "result.npz"


def refused(path: Path, why: str | None = None) -> str:
    """The one line that reading is refused with."""
    with pytest.raises(FileError, match=why) as caught:
        archive.read(path, KIND, VERSION)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert message.isprintable()  # one line
    return message


def test_content_comes_back(path: Path) -> None:
    archive.write(path, HEADER, ARRAYS)
    header, arrays = archive.read(path, KIND, VERSION)
    assert header == HEADER
    assert list(arrays) == list(ARRAYS)
    for name, array in ARRAYS.items():
        assert arrays[name].dtype == array.dtype
        assert arrays[name].shape == array.shape
        assert arrays[name].tolist() == array.tolist()


def test_numpy_alone_opens_it(path: Path) -> None:
    archive.write(path, HEADER, ARRAYS)
    with np.load(path, allow_pickle=False) as file:
        assert json.loads(str(file["header"])) == HEADER
        assert file["matrix"].tolist() == ARRAYS["matrix"].tolist()


def test_same_content_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive.write(tmp_path / "one", HEADER, ARRAYS)
    monkeypatch.setattr(time, "time", lambda: 2e9)
    shuffled = dict(reversed(HEADER.items()))
    archive.write(
        tmp_path / "deep/er/two", shuffled, {**ARRAYS, "matrix": ARRAYS["matrix"].copy("F")}
    )
    assert (tmp_path / "one").read_bytes() == (tmp_path / "deep/er/two").read_bytes()


def test_every_python_writes_the_same_headers(path: Path) -> None:
    archive.write(path, HEADER, ARRAYS)
    with zipfile.ZipFile(path) as file:
        entries = file.infolist()
    content = path.read_bytes()
    for entry in entries:  # what is written where zip64 is forced depends on Python's version
        _, version, *_, extra = struct.unpack_from("<4s5H3L2H", content, entry.header_offset)
        assert (version, entry.extract_version, extra, entry.extra) == (20, 20, 0, b"")


# --- damage ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("archive") / "whole.npz"
    archive.write(path, HEADER, ARRAYS)
    return path


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_any_changed_byte_is_found(whole: Path, data: st.DataObject) -> None:
    content = bytearray(whole.read_bytes())
    content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
    changed = whole.with_name("changed.npz")
    changed.write_bytes(content)
    refused(changed)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_a_file_cut_short_is_found(whole: Path, data: st.DataObject) -> None:
    content = whole.read_bytes()
    cut = whole.with_name("cut.npz")
    cut.write_bytes(content[: data.draw(st.integers(0, len(content) - 1))])
    refused(cut)


def test_a_file_with_something_behind_it_is_found(whole: Path) -> None:
    longer = whole.with_name("longer.npz")
    longer.write_bytes(whole.read_bytes() + b"\0")
    refused(longer)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_what_was_made_unreadable_on_purpose_is_refused_too(
    whole: Path, data: st.DataObject
) -> None:
    """With a right checksum over wrong bytes: refused or read, but nothing else happens."""
    content = bytearray(whole.read_bytes()[: -len(BLANK)])
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
    forged = whole.with_name("forged.npz")
    forged.write_bytes(sealed(bytes(content) + BLANK))
    try:
        archive.read(forged, KIND, VERSION)
    except FileError:
        refused(forged)


# --- files of others ------------------------------------------------------------------------------


def test_the_hand_made_files_below_are_like_real_ones(path: Path) -> None:
    path.write_bytes(packed([header_member(), ("x.npy", member(np.arange(3)))]))
    header, arrays = archive.read(path, KIND, VERSION)
    assert header == HEADER
    assert arrays["x"].tolist() == [0, 1, 2]


def test_objects_are_neither_written_nor_read(path: Path) -> None:
    objects = np.array([{"a": 1}], dtype=object)
    with pytest.raises(ValueError, match="allow_pickle"):
        archive.write(path, HEADER, {"x": objects})
    assert not path.exists()
    path.write_bytes(packed([header_member(), ("x.npy", member(objects))]))
    refused(path, "x.npy: arrays of type object are refused")


def test_a_pickle_in_place_of_the_header_is_never_opened(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(path.parent)
    path.write_bytes(packed([("header.npy", member(np.array(Bomb(), dtype=object)))]))
    refused(path, "object")
    assert not Path("unpickled").exists()


@pytest.mark.parametrize(
    "content",
    [
        npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }"),
        npy("{'descr': '<U1000000000', 'fortran_order': False, 'shape': (9,), }", b"\0" * 36),
        npy("{'descr': '<f8', 'fortran_order': False, 'shape': (-1, -2), }", b"\0" * 16),
    ],
)
def test_a_claim_to_a_huge_array_allocates_nothing(path: Path, content: bytes) -> None:
    path.write_bytes(packed([header_member(), ("x.npy", content)]))
    tracemalloc.start()
    refused(path)
    assert tracemalloc.get_traced_memory()[1] < 2**22
    tracemalloc.stop()


def test_a_claim_to_a_huge_file_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_bytes(packed([header_member()], claim=5 << 30))
    refused(path, "claims more than")
    monkeypatch.setattr(archive, "LARGEST", 100)
    refused(path, "larger than 0 MB")


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (npy("{'descr': '<c16', 'fortran_order': False, 'shape': (1,), }", b"\0" * 16), "refused"),
        (npy("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }"), "refused"),
        (npy("{'descr': '<f8', 'shape': (1,), }", b"\0" * 8), "not a readable"),
        (npy("__import__('os').mkdir('unpickled')"), "not a readable"),
        (b"\x93NUMPY\x02\x00" + member(np.arange(3))[8:], "unknown array format"),
        (member(np.arange(3))[:-1], "claims 24 bytes"),
        (member(np.arange(3)) + b"\0", "claims 24 bytes"),
        (b"", "not a readable"),
    ],
)
def test_other_arrays_are_refused(path: Path, content: bytes, why: str) -> None:
    path.write_bytes(packed([header_member(), ("x.npy", content)]))
    refused(path, why)


def test_arrays_in_the_order_of_fortran_are_read_and_put_into_that_of_c(path: Path) -> None:
    array = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    path.write_bytes(packed([header_member(), ("x.npy", member(array))]))
    read = archive.read(path, KIND, VERSION)[1]["x"]
    assert read.tolist() == array.tolist()
    assert read.flags.c_contiguous


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '<f8', 'fortran_order': False, 'shape': (",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (True,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }" + 10_000 * " ",
    ],
)
def test_array_headers_that_numpy_stumbles_over_are_refused(path: Path, header: str) -> None:
    path.write_bytes(packed([header_member(), ("x.npy", npy(header, b"\0" * 8))]))
    refused(path)


def test_an_encrypted_file_is_refused(path: Path) -> None:
    content = bytearray(packed([header_member()])[: -len(BLANK)])
    for flags in (6, content.index(b"PK\x01\x02") + 8):
        content[flags] |= 1
    path.write_bytes(sealed(bytes(content) + BLANK))
    refused(path)


@pytest.mark.parametrize(
    ("header", "why"),
    [
        ({**HEADER, "kind": "amg-run"}, "is a 'amg-run' file; name a 'amg-test' file"),
        ({**HEADER, "version": 4}, "version 4; this package reads 3; update the package"),
        ({**HEADER, "version": 0}, "version 0"),
        ({**HEADER, "version": "3"}, "version '3'"),
        ({**HEADER, "version": None}, "version None"),
        ({"kind": KIND}, "has no header of this package"),
        ({"version": VERSION}, "has no header of this package"),
        ([KIND, VERSION], "has no header of this package"),
        (KIND, "has no header of this package"),
        (None, "has no header of this package"),
    ],
)
def test_other_headers_are_refused(path: Path, header: Any, why: str) -> None:
    path.write_bytes(packed([header_member(header)]))
    refused(path, why)


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "no json"])
def test_a_header_that_is_no_json_is_refused(path: Path, text: str) -> None:
    path.write_bytes(packed([("header.npy", member(np.array(text)))]))
    refused(path, "has no header of this package")


def test_files_that_are_no_archives_are_refused(path: Path) -> None:
    refused(path, "cannot be read")
    path.mkdir()
    refused(path, "cannot be read")
    path.rmdir()
    for content in (b"", b"PK", b"K,epsilon\n1000,3.7\n", BLANK, sealed(b"PK" + BLANK)):
        path.write_bytes(content)
        refused(path)
    np.savez(path, header=json.dumps(HEADER))
    refused(path, "is not a result file")
    path.write_bytes(packed([("x.npy", member(np.arange(3)))]))
    refused(path, "has no header of this package")


# --- writing --------------------------------------------------------------------------------------


def test_a_failed_write_leaves_the_old_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive.write(path, HEADER, {})
    before = path.read_bytes()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FileError, match="cannot be written: No space left") as caught:
        archive.write(path, HEADER, ARRAYS)
    assert str(caught.value).startswith(f"{path}: ")
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert path.read_bytes() == before


def test_a_place_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(FileError, match="cannot be written"):
        archive.write(tmp_path / "file" / "result.npz", HEADER, ARRAYS)


# --- what a file must have ------------------------------------------------------------------------


def test_require_checks_type_shape_and_numbers() -> None:
    arrays = {"x": np.zeros((2, 3)), "n": np.zeros(2, dtype=np.int64), "bad": np.array([np.nan])}
    assert archive.require(arrays, "x", np.float64, (None, 3)) is arrays["x"]
    for name, dtype, shape, why in (
        ("y", np.float64, (2, 3), "lacks the array 'y'"),
        ("x", np.float64, (3, 3), "expected"),
        ("x", np.float64, (2,), "expected"),
        ("x", np.int64, (2, 3), "expected"),
        ("n", np.float64, (2,), "expected"),
        ("bad", np.float64, (1,), "not finite"),
    ):
        with pytest.raises(FileError, match=why):
            archive.require(arrays, name, dtype, shape)
