"""Result files: one `.npz` each, plain arrays and a JSON header, safe to read from anybody.

Anyone can open one with numpy alone: `json.loads(str(np.load(path)["header"]))` says what it is.
Written to a temporary file, flushed, read back, and renamed, so that a file is whole or not there;
what a killed process left half written is cleared away by the next to write there. The zip comment
holds a SHA-256 of everything else, so that a changed bit anywhere is found. The same content gives
the same bytes. Nothing is ever unpickled, names in a file are never paths, and sizes are checked
before allocation: what a file may take is `ROOM`, or `RATIO` times its own size.
"""

from __future__ import annotations

import errno
import fcntl
import glob
import hashlib
import io
import json
import math
import os
import re
import struct
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from amg.errors import FileError

Arrays = dict[str, NDArray[Any]]
LARGEST = 4 << 30  # bytes of a file, and of the arrays in one
ROOM = 1 << 30  # bytes of arrays that any file may have, however well they are compressed
RATIO = 64  # beyond that; zeros shrink to a thousandth, results to a fortieth at most
HEADER = 64 << 20  # bytes of a file's header, of which each may become many when it is parsed
DIRECTORY = 1 << 20  # bytes of a file's list of arrays, which is read as a whole
REMEDIES = {
    errno.ENOSPC: "free some space",
    errno.EDQUOT: "free some of your quota",
    errno.EROFS: "make the place writable or choose another",
    errno.EACCES: "get the permission or choose another place",
    errno.EPERM: "get the permission or choose another place",
    errno.ENOTDIR: "move the file that is in the way",
    errno.EEXIST: "move the file that is in the way",
    errno.EISDIR: "move the directory that is in the way",
}
_EPOCH = (1980, 1, 1, 0, 0, 0)
_PREFIX = b"sha256:"
_BLANK = _PREFIX + b"0" * 64
_END = struct.Struct("<4s4H2LH")  # the end of a zip file's directory, in front of the comment


def write(path: Path, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write header and arrays to `path`, wholly or not at all."""
    text = np.array(json.dumps(header, sort_keys=True))
    if text.nbytes > HEADER:
        raise FileError(f"{path}: cannot be written: the game has too many names; use shorter ones")
    write_bytes(path, _pack({"header": text, **arrays}))


def write_bytes(path: Path, data: bytes) -> None:
    """Replace the file at `path` by one with these bytes, or leave it as it was."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        clear_leftovers(path)
        try:
            with partial.open("w+b") as file:
                with suppress(OSError):  # not every file system has locks
                    fcntl.flock(file, fcntl.LOCK_EX)
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
                file.seek(0)
                if file.read() != data:
                    raise OSError(errno.EIO, "it reads back as something else")
                os.replace(partial, path)
        finally:
            partial.unlink(missing_ok=True)
    except OSError as error:
        raise FileError(f"{path}: cannot be written: {reason(error)}") from None


def clear_leftovers(path: Path) -> None:
    """Delete what processes that are no more have left half written of this file."""
    for left in path.parent.glob(f".{glob.escape(path.name)}.*.partial"):
        with suppress(OSError), left.open("r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # refused while its writer lives
            left.unlink()


def reason(error: OSError) -> str:
    """Why the system refused, and what can be done about it."""
    why = error.strerror or str(error)
    remedy = REMEDIES.get(error.errno or 0)
    return f"{why}; {remedy}, then give the same command again" if remedy else why


def read(path: Path, kind: str, version: int, room: int = ROOM) -> tuple[dict[str, Any], Arrays]:
    """The header and arrays of a file of this kind, not newer than `version`."""
    data = _bytes(path)
    _verify(path, data)
    arrays = _unpack(path, data, min(LARGEST, max(room, RATIO * len(data))))
    try:
        header = json.loads(str(arrays.pop("header")))
        found, number = header["kind"], header["version"]
    except (KeyError, ValueError, TypeError, RecursionError):
        raise FileError(f"{path}: has no readable header, it is no file of this package") from None
    if found != kind:
        raise FileError(f"{path}: is a {found!r} file; a {kind!r} file is needed here")
    if type(number) is not int or not 1 <= number <= version:
        raise FileError(
            f"{path}: format version {number!r}; this package reads up to {version}, update it"
        )
    return header, arrays


def _bytes(path: Path) -> bytes:
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):  # a pipe may have no end
            raise OSError("is not a file")
        if path.stat().st_size > LARGEST:
            raise FileError(f"{path}: larger than {LARGEST} bytes, refused")
        return path.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = getattr(error, "strerror", None) or error
        raise FileError(f"{path}: cannot be read: {reason}") from None


def _pack(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, array in arrays.items():
            entry = zipfile.ZipInfo(f"{name}.npy", _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(entry, "w", force_zip64=True) as file:
                npy.write_array(file, np.asarray(array, order="C"), allow_pickle=False)
        archive.comment = _BLANK
    data = buffer.getvalue()
    return data[: -len(_BLANK)] + _PREFIX + hashlib.sha256(data).hexdigest().encode()


def _verify(path: Path, data: bytes) -> None:
    """The checksum, over the bytes with the checksum itself blanked."""
    seal = data[-len(_BLANK) :]
    if not data.startswith(b"PK") or not seal.startswith(_PREFIX):
        raise FileError(
            f"{path}: is not a result file, or was cut short; delete it, fetch or make it again"
        )
    digest = hashlib.sha256(memoryview(data)[: -len(_BLANK)])
    digest.update(_BLANK)
    if digest.hexdigest().encode() != seal[len(_PREFIX) :]:
        raise FileError(
            f"{path}: is damaged (its checksum does not match); delete it, fetch or make it again"
        )


def _unpack(path: Path, data: bytes, room: int) -> Arrays:
    """The arrays, after checking that all of them together claim no more than `room` bytes."""
    arrays: Arrays = {}
    try:
        _check_directory(data)
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            if sum(entry.file_size for entry in entries) > room:
                raise FileError(f"{path}: claims more than {room} bytes of arrays, refused")
            for entry in entries:
                name = re.fullmatch(r"([\w.]{1,100})\.npy", entry.filename, re.ASCII)
                if name is None or name[1] in arrays:
                    raise FileError(f"{path}: {entry.filename[:100]!r} is no name of an array here")
                if name[1] == "header" and entry.file_size > HEADER:
                    raise FileError(f"{path}: its header has more than {HEADER} bytes, refused")
                if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    raise FileError(f"{path}: {entry.filename}: is packed in an unknown way")
                with archive.open(entry) as file:
                    arrays[name[1]] = _array(path, entry, file)
    except FileError:
        raise
    except Exception as error:  # zipfile, zlib, tokenize and numpy each have errors of their own
        raise FileError(f"{path}: is not a readable result file ({error!r})") from None
    return arrays


def _check_directory(data: bytes) -> None:
    """The list of arrays is small, and ends where the seal begins."""
    place = len(data) - len(_BLANK) - _END.size
    mark, _, _, _, _, size, _, comment = _END.unpack_from(data, max(place, 0))
    if mark != b"PK\5\6" or comment != len(_BLANK) or data[max(place - 20, 0) :][:4] == b"PK\6\7":
        raise ValueError("its list of arrays is not where it belongs")
    if size > DIRECTORY:
        raise ValueError("its list of arrays is too long")


def _array(path: Path, entry: zipfile.ZipInfo, file: Any) -> NDArray[Any]:
    """One array, after checking that its header claims no more than is there."""
    if npy.read_magic(file) != (1, 0):
        raise FileError(f"{path}: {entry.filename}: unknown array format")
    shape, fortran, dtype = npy.read_array_header_1_0(file)
    if dtype.kind not in "biufU" or fortran:
        raise FileError(f"{path}: {entry.filename}: arrays of type {dtype} are refused")
    size = math.prod(shape) * dtype.itemsize
    if size != entry.file_size - file.tell():
        raise FileError(f"{path}: {entry.filename}: claims {size} bytes and does not have them")
    return np.frombuffer(file.read(size), dtype=dtype).reshape(shape)


def require(
    path: Path, arrays: Arrays, name: str, dtype: type, shape: tuple[int | None, ...]
) -> NDArray[Any]:
    """The array of this name, with the type of numbers and the shape (None: any) it must have."""
    if name not in arrays:
        raise FileError(f"{path}: lacks the array {name!r}")
    array = arrays[name]
    fits = array.ndim == len(shape) and all(
        want is None or want == have for want, have in zip(shape, array.shape, strict=True)
    )
    if array.dtype != dtype or not fits:
        wanted = f"{np.dtype(dtype)}{shape}".replace("None", "any")
        raise FileError(f"{path}: array {name!r} is {array.dtype}{array.shape}, expected {wanted}")
    if dtype is np.float64 and not np.isfinite(array).all():
        raise FileError(f"{path}: array {name!r} has entries that are not finite")
    return array
