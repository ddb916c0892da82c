"""A crate: a zip of files, and in it `ro-crate-metadata.json`, which has the digest of each.

The same files give the same bytes. They are stored in order of their names, without times, and not
compressed: most of them are already.

A crate is safe to read from anybody. Names, number and sizes of its files are checked before any of
them is unpacked, and each is unpacked in small pieces.
"""

import hashlib
import io
import json
import re
import struct
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from amg.base.errors import FileError
from amg.base.files import read_text, write_bytes
from amg.base.text import quote
from amg.results.archive import EPOCH, LARGEST, RATIO, ROOM

METADATA = "ro-crate-metadata.json"
DESCRIBED = 16 << 20  # bytes of it
MOST = 20_000  # files
LISTED = 16 << 20  # bytes of the zip's list of files
PIECE = 1 << 20  # bytes that are read at once
END = struct.Struct("<4s3HH2LH")  # of a zip: mark, …, files, bytes and place of the list, comment
LOCATOR = 20  # bytes before it that lead to the end record of a larger zip
READABLE = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # other methods take memory as they please
# A name of a file below a directory on every system, and nothing else.
PART = r"(?!\.\.?(?:/|$))[\w.,+ -]{1,100}"
NAME = re.compile(rf"{PART}(?:/{PART}){{0,20}}", re.ASCII)
REMEDY = "fetch or make it again"


def write(path: Path, files: Mapping[str, bytes]) -> None:
    """Write a crate, wholly or not at all."""
    for name in files:
        if not NAME.fullmatch(name):
            raise FileError(f"{quote(name)}: a crate takes no such name; rename the file")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.create_system, entry.external_attr = 3, 0o100644 << 16  # Unix, readable by all
            archive.writestr(entry, files[name])
    write_bytes(path, buffer.getvalue())


def unpack(path: Path, into: Path) -> dict[str, str]:
    """Write the files of a crate below a directory; return what is wrong with each, or ""."""
    try:
        _check_end(path)
        with zipfile.ZipFile(path) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
            _check_list(path, entries)
            digests = {entry.filename: _extract(archive, entry, into) for entry in entries}
    except (FileError, OSError):
        raise
    except Exception as error:  # zipfile and zlib have errors of many kinds
        raise FileError(f"{path}: is not a readable crate ({error}); {REMEDY}") from None
    try:
        recorded = described(read_text(into / METADATA, DESCRIBED))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise FileError(f"{path}: its {METADATA} does not list files; {REMEDY}") from None
    return compare(digests, recorded)


def described(metadata: str) -> dict[str, Any]:
    """Return the files that a crate's metadata describes, and the SHA-256 of each."""
    files = [one for one in json.loads(metadata)["@graph"] if "File" in _list(one["@type"])]
    return {unquote(one["@id"]): one.get("sha256") for one in files}


def compare(digests: Mapping[str, str], recorded: Mapping[str, Any]) -> dict[str, str]:
    """Return what is wrong with each file, or ""."""
    wrong = {}
    for name in sorted({*digests, *recorded} - {METADATA}):
        if name not in digests:
            wrong[name] = "is missing in the crate"
        elif name not in recorded:
            wrong[name] = f"is not described in {METADATA}"
        elif digests[name] != recorded[name]:
            wrong[name] = f"has SHA-256 {digests[name]}, recorded is {quote(recorded[name], 70)}"
        else:
            wrong[name] = ""
    return wrong


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _check_end(path: Path) -> None:
    """Refuse what is no zip, and a list of files that would fill the memory."""
    if path.exists() and not path.is_file():  # a pipe may have no end
        raise FileError(f"{path}: is not a file; name a crate")
    with path.open("rb") as file:
        size = file.seek(0, io.SEEK_END)
        file.seek(max(size - END.size - LOCATOR, 0))
        tail = file.read()
    mark, *_, files, listed, _, comment = END.unpack(tail[-END.size :].rjust(END.size))
    if mark != b"PK\5\6" or comment:
        raise FileError(f"{path}: is not a crate, or was cut short; {REMEDY}")
    if tail.startswith(b"PK\6\7") or files > MOST or listed > LISTED or size > LARGEST:
        raise FileError(f"{path}: holds more than {MOST:,} files or 4 GiB, the limits; {REMEDY}")


def _check_list(path: Path, entries: Sequence[zipfile.ZipInfo]) -> None:
    """Refuse names that lead elsewhere or to the same place, and sizes that would fill the disk."""
    for entry in entries:
        if not NAME.fullmatch(entry.filename):
            raise FileError(f"{path}: the name {quote(entry.filename)} is refused; {REMEDY}")
        if entry.compress_type not in READABLE:
            raise FileError(f"{path}: {entry.filename} is packed in an unknown way; {REMEDY}")
    places = [entry.filename.lower() for entry in entries]  # some systems do not tell case apart
    above = {str(parent) for place in places for parent in Path(place).parents}
    if len({*places, *above}) != len(places) + len(above):
        raise FileError(f"{path}: two files in it have one place; {REMEDY}")
    if METADATA not in places:
        raise FileError(f"{path}: lacks {METADATA}, so it is no crate; {REMEDY}")
    room = min(LARGEST, max(ROOM, RATIO * path.stat().st_size))
    if sum(entry.file_size for entry in entries) > room:
        raise FileError(f"{path}: claims more than {room >> 20} MB of files; {REMEDY}")


def _extract(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, into: Path) -> str:
    """Write one file, and return its SHA-256."""
    place, digest = into / entry.filename, hashlib.sha256()
    place.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(entry) as packed, place.open("xb") as file:
        while piece := packed.read(PIECE):
            digest.update(piece)
            file.write(piece)
    return digest.hexdigest()
