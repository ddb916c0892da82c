"""Crates: the same bytes each time, every difference is found, and hostile ones are refused."""

from __future__ import annotations

import json
import os
import struct
import zipfile
from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path

import pytest

from amg.base.errors import FileError
from amg.results import crate_file
from amg.results.crate_file import METADATA, unpack, write

FILES = {"results/runs/a.npz": b"runs" * 1000, "README.md": b"hello", ".ci/run": b""}
Members = Iterable[tuple[str, bytes]]


def metadata(files: dict[str, bytes]) -> bytes:
    graph = [{"@id": "./", "@type": "Dataset"}]
    for name, data in files.items():
        graph.append({"@id": name, "@type": "File", "sha256": sha256(data).hexdigest()})
    return json.dumps({"@graph": graph}).encode()


def whole(files: dict[str, bytes]) -> dict[str, bytes]:
    return {**files, METADATA: metadata(files)}


def zipped(path: Path, members: Members, method: int = zipfile.ZIP_DEFLATED) -> Path:
    """Any zip, as another program may have made it."""
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in members:
            archive.writestr(zipfile.ZipInfo(name), data, method)
    return path


def test_a_crate_is_unpacked_as_it_was(tmp_path: Path) -> None:
    write(tmp_path / "crate.zip", whole(FILES))
    assert unpack(tmp_path / "crate.zip", tmp_path / "new") == dict.fromkeys(sorted(FILES), "")
    assert {name: (tmp_path / "new" / name).read_bytes() for name in FILES} == FILES


def test_order_and_time_do_not_change_its_bytes(tmp_path: Path) -> None:
    write(tmp_path / "one.zip", whole(FILES))
    write(tmp_path / "two.zip", dict(reversed(whole(FILES).items())))
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()


def test_a_crate_that_was_packed_again_is_read(tmp_path: Path) -> None:
    """Other programs compress, and have entries for directories."""
    members = [("results/", b""), ("results/runs/", b""), *whole(FILES).items()]
    assert not any(unpack(zipped(tmp_path / "crate.zip", members), tmp_path / "new").values())


def test_changed_lost_and_added_files_are_told_apart(tmp_path: Path) -> None:
    members = whole(FILES) | {"README.md": b"hallo", "new": b""}
    del members[".ci/run"]
    found = unpack(zipped(tmp_path / "crate.zip", members.items()), tmp_path / "new")
    assert found.pop("results/runs/a.npz") == ""
    assert found.pop("README.md").startswith(f"has SHA-256 {sha256(b'hallo').hexdigest()}, rec")
    assert found == {".ci/run": "is missing in the crate", "new": f"is not described in {METADATA}"}


def test_a_file_without_a_recorded_digest_is_not_right(tmp_path: Path) -> None:
    described = json.dumps({"@graph": [{"@id": "a", "@type": ["File", "SoftwareSourceCode"]}]})
    members = [("a", b""), (METADATA, described.encode())]
    found = unpack(zipped(tmp_path / "crate.zip", members), tmp_path / "new")
    assert found["a"].endswith("recorded is None")


NAMES = [
    *("../out", "a/../../out", "/out", "a//b", "./a", "a/.", "..", "c:/out", "a\\..\\out", "a\nb"),
    *("\x1b[2J", "Ä", "a" * 200, "/".join("a" * 30), "~/\u202ea"),
]


@pytest.mark.parametrize("name", NAMES)
def test_names_that_lead_elsewhere_are_refused(name: str, tmp_path: Path) -> None:
    path = zipped(tmp_path / "crate.zip", [*whole(FILES).items(), (name, b"")])
    with pytest.raises(FileError, match="is refused"):
        unpack(path, tmp_path / "new")
    assert sorted(tmp_path.iterdir()) == [path]  # nothing was unpacked, here or elsewhere
    with pytest.raises(FileError, match="rename the file"):
        write(tmp_path / "new.zip", {name: b""})


def claiming(size: int) -> Callable[[Path], None]:
    """A file of a megabyte that claims to have another size."""

    def make(path: Path) -> None:
        zipped(path, [*whole(FILES).items(), ("zeros", bytes(1 << 20))])
        data = bytearray(path.read_bytes())
        first, last = data.index(b"zeros"), data.rindex(b"zeros")
        for place in (data.rindex(b"PK\3\4", 0, first) + 22, data.rindex(b"PK\1\2", 0, last) + 24):
            data[place : place + 4] = struct.pack("<L", size)
        path.write_bytes(data)

    return make


def many(path: Path) -> None:
    zipped(path, ((str(j), b"") for j in range(crate_file.MOST + 1)), zipfile.ZIP_STORED)


def with_comment(path: Path) -> None:
    zipped(path, whole(FILES).items())
    with zipfile.ZipFile(path, "a") as archive:
        archive.comment = b"x"


def cut(path: Path) -> None:
    zipped(path, whole(FILES).items())
    path.write_bytes(path.read_bytes()[:-100])


def damaged(path: Path) -> None:
    zipped(path, whole(FILES).items(), zipfile.ZIP_STORED)
    path.write_bytes(path.read_bytes().replace(b"runsruns", b"runsrunt", 1))


def secret(path: Path) -> None:
    """A file that says that it is encrypted."""
    zipped(path, whole(FILES).items())
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\1\2") + 8] |= 1
    path.write_bytes(data)


def described_as(text: bytes) -> Callable[[Path], None]:
    return lambda path: zipped(path, [*FILES.items(), (METADATA, text)]) and None


def holding(*names: str) -> Callable[[Path], None]:
    return lambda path: zipped(path, [*whole(FILES).items(), *((n, b"") for n in names)]) and None


HOSTILE: dict[str, tuple[Callable[[Path], object], str]] = {
    "a bomb": (claiming(2 << 30), "claims more than 1024 MB"),
    "a false size": (claiming(10), "not a readable crate"),
    "many files": (many, "holds more than 20,000 files"),
    "two of one name": (holding("README.md"), "have one place"),
    "two but for case": (holding("readme.MD"), "have one place"),
    "a file and a directory": (holding("README.md/x"), "have one place"),
    "a comment": (with_comment, "was cut short"),
    "cut": (cut, "was cut short"),
    "empty": (lambda path: path.write_bytes(b""), "was cut short"),
    "text": (lambda path: path.write_text("hello " * 99), "was cut short"),
    "damaged": (damaged, "not a readable crate"),
    "encrypted": (secret, "not a readable crate"),
    "packed otherwise": (
        lambda path: zipped(path, whole(FILES).items(), zipfile.ZIP_LZMA), "in an unknown way"
    ),
    "a pipe": (lambda path: os.mkfifo(path), "is not a file"),
    "no metadata": (lambda path: zipped(path, FILES.items()), "so it is no crate"),
    "metadata that are no JSON": (described_as(b"{"), "does not list files"),
    "metadata that are not text": (described_as(b"\xff"), "does not list files"),
    "metadata of another kind": (described_as(b'{"@graph": [7]}'), "does not list files"),
    "files with numbers for names": (
        described_as(b'{"@graph": [{"@type": "File", "@id": 7}]}'), "does not list files"
    ),
    "deep metadata": (described_as(b"[" * 100_000), "does not list files"),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_crates_are_refused_in_one_line(name: str, tmp_path: Path) -> None:
    make, says = HOSTILE[name]
    make(tmp_path / "crate.zip")
    with pytest.raises(FileError, match=says) as caught:
        unpack(tmp_path / "crate.zip", tmp_path / "new")
    assert str(caught.value).startswith(f"{tmp_path}/crate.zip: ")
    assert "\n" not in str(caught.value)
    assert {path.name for path in tmp_path.iterdir()} <= {"crate.zip", "new"}


def test_a_larger_kind_of_zip_is_refused(tmp_path: Path) -> None:
    """Its list of files may be longer than its end says."""
    write(tmp_path / "crate.zip", whole(FILES))
    data = (tmp_path / "crate.zip").read_bytes()
    (tmp_path / "crate.zip").write_bytes(data[:-22] + b"PK\6\7" + bytes(16) + data[-22:])
    with pytest.raises(FileError, match="the limits"):
        unpack(tmp_path / "crate.zip", tmp_path / "new")


def test_a_link_in_a_crate_is_a_plain_file(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("link")
    link.create_system, link.external_attr = 3, 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "crate.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")
        archive.writestr(METADATA, metadata({"link": b"/etc/passwd"}))
    assert unpack(tmp_path / "crate.zip", tmp_path / "new") == {"link": ""}
    assert not (tmp_path / "new" / "link").is_symlink()
