"""Files are whole or not there, and what the system refuses is one line with a remedy."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from amg.base.errors import FileError
from amg.base.files import delete_leftovers, read_bytes, read_text, write_bytes, write_text


def test_a_file_is_replaced_and_nothing_is_left_behind(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file"
    write_bytes(path, b"one")
    write_text(path, "zwölf")
    assert read_text(path, 10) == "zwölf"
    assert list(path.parent.iterdir()) == [path]


def test_a_failed_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    write_bytes(path, b"old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FileError, match=r"cannot be written: No space left .*; free some space"):
        write_bytes(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(
        FileError, match=r"file/below: cannot be written: .*move what is in the way"
    ):
        write_bytes(tmp_path / "file" / "below", b"")


def test_only_leftovers_of_dead_processes_are_deleted(tmp_path: Path) -> None:
    dead, alive = tmp_path / ".file.1.partial", tmp_path / ".file.2.partial"
    dead.touch()
    with alive.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        delete_leftovers(tmp_path / "file")
        assert list(tmp_path.iterdir()) == [alive]


def test_reading_is_bounded(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"\xff" * (1 << 20))
    assert len(read_bytes(path, 1 << 20)) == 1 << 20
    with pytest.raises(FileError, match="larger than 0 MB"):
        read_bytes(path, 100)
    with pytest.raises(FileError, match="byte 0 is not UTF-8"):
        read_text(path, 1 << 20)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileError, match="is not a file"):
        read_bytes(tmp_path / "pipe", 100)
