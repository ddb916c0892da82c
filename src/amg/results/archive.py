"""The container of result files: an `.npz` with plain arrays and a JSON header.

Anyone can open one with numpy alone: `json.loads(str(np.load(path)["header"]))` says what it is.
A file is safe to read from anybody. Nothing is unpickled; the zip comment holds a SHA-256 of all
the rest, so a changed bit is found; sizes are checked before memory is allocated: the arrays may
take `ROOM` bytes, or `RATIO` times the size of the file. The same content gives the same bytes.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import re
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from amg.base.errors import FileError
from amg.base.files import read_bytes, write_bytes

Arrays = dict[str, NDArray[Any]]
LARGEST = 4 << 30  # bytes of a file, and of the arrays in it
ROOM = 1 << 30  # bytes of arrays that any file may have
RATIO = 64  # results shrink to a fortieth at most, zeros to a thousandth
HEADER = 64 << 20  # bytes of the header
EPOCH = (1980, 1, 1, 0, 0, 0)
PREFIX = b"sha256:"
BLANK = PREFIX + b"0" * 64
REMEDY = "delete it, then fetch or make it again"


def write(path: Path, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write header and arrays to `path`, wholly or not at all."""
    text = np.array(json.dumps(header, sort_keys=True))
    if text.nbytes > HEADER:
        raise FileError(f"{path}: cannot be written: the game has too many names; use shorter ones")
    write_bytes(path, _pack({"header": text, **arrays}))


def read(path: Path, kind: str, version: int, room: int = ROOM) -> tuple[dict[str, Any], Arrays]:
    """Return the header and arrays of a file of this kind and version."""
    data = read_bytes(path, LARGEST)
    _check_digest(path, data)
    arrays = _unpack(path, data, min(LARGEST, max(room, RATIO * len(data))))
    try:
        header = json.loads(str(arrays.pop("header")))
        actual, number = header["kind"], header["version"]
    except (KeyError, ValueError, TypeError, RecursionError):
        raise FileError(f"{path}: has no header of this package; name another file") from None
    if actual != kind:
        raise FileError(f"{path}: is a {actual!r} file; name a {kind!r} file")
    if type(number) is not int or number != version:
        remedy = "update the package" if type(number) is int and number > version else REMEDY
        raise FileError(
            f"{path}: has format version {number!r}; this package reads {version}; {remedy}"
        )
    return header, arrays


def require(
    path: Path, arrays: Arrays, name: str, dtype: type, shape: tuple[int | None, ...]
) -> NDArray[Any]:
    """Return the array of this name after checking its type and shape (None: any length)."""
    if name not in arrays:
        raise FileError(f"{path}: lacks the array {name!r}; {REMEDY}")
    array = arrays[name]
    fits = array.ndim == len(shape) and all(
        want is None or want == have for want, have in zip(shape, array.shape, strict=True)
    )
    if array.dtype != dtype or not fits:
        wanted = f"{np.dtype(dtype)}{shape}".replace("None", "any")
        raise FileError(
            f"{path}: array {name!r} is {array.dtype}{array.shape}, expected {wanted}; {REMEDY}"
        )
    if dtype is np.float64 and not np.isfinite(array).all():
        raise FileError(f"{path}: array {name!r} has entries that are not finite; {REMEDY}")
    return array


def _pack(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, array in arrays.items():
            entry = zipfile.ZipInfo(f"{name}.npy", EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(entry, "w", force_zip64=True) as file:
                npy.write_array(file, np.asarray(array, order="C"), allow_pickle=False)
        archive.comment = BLANK
    data = buffer.getvalue()
    return data[: -len(BLANK)] + PREFIX + hashlib.sha256(data).hexdigest().encode()


def _check_digest(path: Path, data: bytes) -> None:
    """Refuse a file whose SHA-256 is not the one in its zip comment."""
    seal = data[-len(BLANK) :]
    if not data.startswith(b"PK") or not seal.startswith(PREFIX):
        raise FileError(f"{path}: is not a result file, or was cut short; {REMEDY}")
    digest = hashlib.sha256(memoryview(data)[: -len(BLANK)])
    digest.update(BLANK)
    if digest.hexdigest().encode() != seal[len(PREFIX) :]:
        raise FileError(f"{path}: is damaged (its checksum does not match); {REMEDY}")


def _unpack(path: Path, data: bytes, room: int) -> Arrays:
    """Return the arrays after checking that together they claim at most `room` bytes."""
    arrays: Arrays = {}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            if sum(entry.file_size for entry in entries) > room:
                raise FileError(f"{path}: claims more than {room} bytes of arrays, refused")
            for entry in entries:
                name = re.fullmatch(r"([\w.]{1,100})\.npy", entry.filename, re.ASCII)
                if name is None or name[1] in arrays:
                    raise FileError(f"{path}: {entry.filename[:100]!r} is no name of an array")
                if name[1] == "header" and entry.file_size > HEADER:
                    raise FileError(f"{path}: its header has more than {HEADER} bytes, refused")
                if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    raise FileError(f"{path}: {entry.filename}: unknown compression, refused")
                with archive.open(entry) as file:
                    arrays[name[1]] = _array(path, entry, file)
    except FileError:
        raise
    except Exception as error:  # zipfile, zlib, tokenize and numpy each have errors of their own
        raise FileError(f"{path}: is not a readable result file ({error!r}); {REMEDY}") from None
    return arrays


def _array(path: Path, entry: zipfile.ZipInfo, file: Any) -> NDArray[Any]:
    """Return one array after checking that its header claims no more than is in the file."""
    if npy.read_magic(file) != (1, 0):
        raise FileError(f"{path}: {entry.filename}: unknown array format, refused")
    shape, fortran, dtype = npy.read_array_header_1_0(file)
    if dtype.kind not in "biufU" or fortran:
        raise FileError(f"{path}: {entry.filename}: arrays of type {dtype} are refused")
    size = math.prod(shape) * dtype.itemsize
    if size != entry.file_size - file.tell():
        raise FileError(f"{path}: {entry.filename}: claims {size} bytes and does not have them")
    return np.frombuffer(file.read(size), dtype=dtype).reshape(shape)
