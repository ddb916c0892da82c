"""The container of result files: an `.npz` with plain arrays and a JSON header.

Anyone can open one with numpy alone: `json.loads(str(np.load(path)["header"]))` says what it is.
A file is safe to read from anybody. Nothing is unpickled. The zip comment holds a SHA-256 of all
the rest, so a changed bit is found. Sizes are checked before memory is allocated: the arrays may
take `ROOM` bytes, or `RATIO` times the size of the file. The same content gives the same bytes.
"""

import hashlib
import io
import json
import math
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
RATIO = 64  # results are compressed to a fortieth at most, zeros to a thousandth
HEADER = 64 << 20  # bytes of the header
EPOCH = (1980, 1, 1, 0, 0, 0)
PREFIX = b"sha256:"
BLANK = PREFIX + b"0" * 64
REMEDY = "fetch or make it again, or name another file"


def write(path: Path, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write header and arrays to `path`, wholly or not at all."""
    text = np.array(json.dumps(header, sort_keys=True))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, array in {"header": text, **arrays}.items():
            entry = zipfile.ZipInfo(f"{name}.npy", EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            # zip64 where the size needs it, not always: Python before 3.11.4 writes it otherwise.
            entry.file_size = array.nbytes
            with archive.open(entry, "w") as file:
                npy.write_array(file, np.asarray(array, order="C"), allow_pickle=False)
        archive.comment = BLANK
    data = buffer.getvalue()
    seal = PREFIX + hashlib.sha256(data).hexdigest().encode()
    write_bytes(path, data[: -len(BLANK)] + seal)


def read(
    path: Path, kind: str, version: int, room: int = ROOM, remedy: str = REMEDY
) -> tuple[dict[str, Any], Arrays]:
    """Return the header and arrays of a file of this kind and version, or say what to do."""
    data = read_bytes(path, LARGEST)
    content, seal = memoryview(data)[: -len(BLANK)], data[-len(BLANK) :]
    if not data.startswith(b"PK") or not seal.startswith(PREFIX):
        raise FileError(f"{path}: is not a result file, or was cut short; {remedy}")
    digest = hashlib.sha256(content)
    digest.update(BLANK)
    if digest.hexdigest().encode() != seal[len(PREFIX) :]:
        raise FileError(f"{path}: is damaged (its checksum does not match); {remedy}")
    try:
        arrays = unpack(data, min(LARGEST, max(room, RATIO * len(data))))
    except Exception as error:  # zipfile, zlib, tokenize and numpy each have errors of their own
        raise FileError(f"{path}: is not a readable result file ({error!r}); {remedy}") from None
    try:
        header = json.loads(str(arrays.pop("header")))
        actual, number = header["kind"], header["version"]
    except (KeyError, ValueError, TypeError, RecursionError):
        raise FileError(f"{path}: has no header of this package; name another file") from None
    if actual != kind:
        raise FileError(f"{path}: is a {actual!r} file; name a {kind!r} file")
    if number != version:
        raise FileError(
            f"{path}: has format version {number!r}; this package reads {version}; update the "
            f"package, or {remedy}"
        )
    return header, arrays


def unpack(data: bytes, room: int) -> Arrays:
    """Return the arrays of an `.npz`; raise a ValueError if they claim more than `room` bytes."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        sizes = {entry.filename: entry.file_size for entry in archive.infolist()}
        if sum(entry.file_size for entry in archive.infolist()) > room:
            raise ValueError(f"it claims more than {room} bytes of arrays")
        if sizes.get("header.npy", 0) > HEADER:
            raise ValueError(f"its header has more than {HEADER} bytes")
        return {name.removesuffix(".npy"): _array(name, archive.read(name)) for name in sizes}


def _array(name: str, content: bytes) -> NDArray[Any]:
    """Return one array after checking that its header claims what is there."""
    file = io.BytesIO(content)
    if npy.read_magic(file) != (1, 0):
        raise ValueError(f"{name}: unknown array format")
    shape, fortran, dtype = npy.read_array_header_1_0(file)
    if dtype.kind not in "biufU":
        raise ValueError(f"{name}: arrays of type {dtype} are refused")
    claimed = math.prod(shape) * dtype.itemsize
    if claimed != len(content) - file.tell():
        raise ValueError(f"{name}: claims {claimed} bytes and does not have them")
    flat = np.frombuffer(content, dtype=dtype, offset=file.tell())
    return np.asarray(flat.reshape(shape, order="F" if fortran else "C"), order="C")


def require(arrays: Arrays, name: str, dtype: type, shape: tuple[int | None, ...]) -> NDArray[Any]:
    """Return the array of this name after checking its type and shape (None: any length)."""
    if name not in arrays:
        raise FileError(f"lacks the array {name!r}; {REMEDY}")
    array = arrays[name]
    full = tuple(m if n is None else n for n, m in zip(shape, array.shape, strict=False))
    if (array.dtype, array.ndim, array.shape) != (dtype, len(shape), full):
        wanted = f"{np.dtype(dtype)}{shape}".replace("None", "any")
        raise FileError(
            f"array {name!r} is {array.dtype}{array.shape}, expected {wanted}; {REMEDY}"
        )
    if dtype is np.float64 and not np.isfinite(array).all():
        raise FileError(f"array {name!r} has entries that are not finite; {REMEDY}")
    return array
