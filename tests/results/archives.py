"""Archives made by hand: any members, any headers, and the checksum that they should have."""

from __future__ import annotations

import hashlib
import io
import os
import warnings
import zipfile
from collections.abc import Iterable
from typing import Any

import numpy as np

BLANK = b"sha256:" + b"0" * 64


class Bomb:
    """Leaves a mark when it is unpickled."""

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return os.mkdir, ("unpickled",)


def sealed(data: bytes) -> bytes:
    """Return a zip file that ends in a blank checksum with the checksum it should have."""
    assert data.endswith(BLANK)
    return data[: -len(BLANK)] + b"sha256:" + hashlib.sha256(data).hexdigest().encode()


def packed(
    members: Iterable[tuple[str, bytes]], method: int = zipfile.ZIP_DEFLATED, claim: int = 0
) -> bytes:
    """Return a file of these members; `claim` is the size that it says its first one has."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a name that is there twice
        for name, data in members:
            file.writestr(name, data)
        if claim:
            file.infolist()[0].file_size = claim
        file.comment = BLANK
    return sealed(buffer.getvalue())


def member(array: Any) -> bytes:
    """Return an array as `.npy`, pickled if it is one of objects."""
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def npy(header: str, data: bytes = b"") -> bytes:
    """Return a `.npy` file with any header."""
    text = header.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data
