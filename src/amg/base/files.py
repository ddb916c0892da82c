"""Files that are whole or not there: atomic writes, bounded reads, one line for each failure."""

import errno
import fcntl
import glob
import os
from contextlib import suppress
from pathlib import Path

from amg.base.errors import FileError

REMEDIES = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), "free some space"),
    **dict.fromkeys(
        (errno.EACCES, errno.EPERM, errno.EROFS), "make the place writable or choose another"
    ),
    **dict.fromkeys((errno.ENOTDIR, errno.EEXIST, errno.EISDIR), "move what is in the way"),
}


def write_bytes(path: Path, data: bytes) -> None:
    """Replace the file at `path`, or leave it as it was.

    The data goes to a temporary file first. It is flushed to the disk, then the file is renamed.
    """
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        delete_leftovers(path)
        with partial.open("wb") as file:
            with suppress(OSError):  # not every file system has locks
                fcntl.flock(file, fcntl.LOCK_EX)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            os.replace(partial, path)
    except OSError as error:
        raise FileError(f"{path}: cannot be written: {reason(error)}") from None
    finally:
        with suppress(OSError):
            partial.unlink()


def write_text(path: Path, text: str) -> None:
    """Replace the file at `path` by this text in UTF-8, or leave it as it was."""
    write_bytes(path, text.encode())


def delete_leftovers(path: Path) -> None:
    """Delete partial files of `path` that dead processes left behind."""
    for left in path.parent.glob(f".{glob.escape(path.name)}.*.partial"):
        with suppress(OSError), left.open("r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails while the writer is alive
            left.unlink()


def read_bytes(path: Path, largest: int) -> bytes:
    """Return the content of a file of at most `largest` bytes."""
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):  # a pipe may have no end
            raise OSError("is not a file")
        with path.open("rb") as stream:
            fits = os.fstat(stream.fileno()).st_size <= largest
            content = stream.read() if fits else b""  # read(n) would allocate n bytes at once
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        problem = getattr(error, "strerror", None) or error
        raise FileError(f"{path}: cannot be read: {problem}; check the path") from None
    if not fits or len(content) > largest:
        raise FileError(f"{path}: is larger than {largest >> 20} MB, the limit; make it smaller")
    return content


def read_text(path: Path, largest: int) -> str:
    """Return the text of a UTF-8 file of at most `largest` bytes."""
    try:
        return read_bytes(path, largest).decode("utf-8")
    except UnicodeDecodeError as error:
        problem = f"byte {error.start} is not UTF-8; save it as UTF-8"
        raise FileError(f"{path}: {problem}") from None


def printable(path: Path) -> str:
    """Return the path for a message; unprintable characters are escaped."""
    return str(path) if str(path).isprintable() else repr(str(path))


def reason(error: OSError) -> str:
    """Return why the system refused, and the remedy if one is known."""
    problem = error.strerror or str(error)
    remedy = REMEDIES.get(error.errno or 0)
    return f"{problem}; {remedy}, then give the same command again" if remedy else problem
