"""A command of Snakemake's: alone on its results, and quick to stop.

Snakemake's own lock outlives a command that was killed, and then refuses the same command. A lock
of the operating system ends with the process that holds it: if nobody holds one, then whatever is
left in Snakemake's directory is nobody's.
"""

from __future__ import annotations

import fcntl
import logging
import os
import shutil
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import IO
from urllib.parse import quote, unquote

import psutil

from amg import archive
from amg.errors import FileError

PLACE = Path(".snakemake")
LOCKS = PLACE / "commands"
LEFT = ("locks", "scripts", "backups")  # what a killed command leaves behind in PLACE
ROOM = 1 << 18  # bytes that Snakemake should be able to write there

_held: list[IO[str]] = []  # for as long as this process lives


def begin() -> None:
    """On reading the workflow: clear up after a killed command, say which others are at work."""
    if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:  # as for a script in the background
        signal.signal(signal.SIGINT, _interrupted)
    logging.getLogger("snakemake.logging").addFilter(_worth_saying)
    logging.raiseExceptions = False  # a log that cannot be written is no news on a full disk
    _check_room()
    with _gate():
        at_work = {lock: holder for lock in LOCKS.glob("*.lock") if (holder := _holder(lock))}
        if not at_work:
            for name in LEFT:
                shutil.rmtree(PLACE / name, ignore_errors=True)
    for lock, holder in at_work.items():
        print(_busy(unquote(lock.stem), holder), file=sys.stderr)


def _check_room() -> None:
    """Snakemake cannot do without its directory, and would say so with a traceback."""
    probe = LOCKS / "probe"
    try:
        archive.write_bytes(probe, bytes(ROOM))
        probe.unlink(missing_ok=True)
    except (FileError, OSError) as error:
        sys.exit(f"error: {error}")


def claim(results: str) -> None:
    """Before any job starts: take the results for this command alone."""
    with _gate():
        file = (LOCKS / f"{quote(results, safe='')}.lock").open("a+", encoding="utf-8")
        with suppress(OSError):  # where there are no locks, Snakemake's own has to do
            if not _locked(file, fcntl.LOCK_EX):
                sys.exit(f"error: {_busy(results, _read(file))}")
        file.truncate(0)
        print(os.getpid(), file=file, flush=True)
    _held.append(file)


@contextmanager
def _gate() -> Iterator[None]:
    """One command at a time looks at the locks or takes one: nothing is cleared that is in use."""
    LOCKS.mkdir(parents=True, exist_ok=True)
    with (LOCKS / "gate").open("w") as file:
        with suppress(OSError):  # not every file system has locks
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _holder(lock: Path) -> str | None:
    """The process that holds a lock; in doubt there is one."""
    try:
        with lock.open("r+", encoding="utf-8") as file:
            return None if _locked(file, fcntl.LOCK_SH) else _read(file)
    except FileNotFoundError:
        return None
    except OSError:
        return "unknown"


def _locked(file: IO[str], how: int) -> bool:
    try:
        fcntl.flock(file, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _read(file: IO[str]) -> str:
    file.seek(0)
    return file.read().strip() or "unknown"


def _busy(results: str, holder: str) -> str:
    return (
        f"{results}: another command is at work here (process {holder}); before you start one, "
        f"wait until it has finished or stop it"
    )


def _worth_saying(record: logging.LogRecord) -> bool:
    """Not, for each of a failed job's many runs, whether there was an earlier one."""
    return not str(record.msg).startswith(("Cannot restore ", "Restored previous version of "))


def _interrupted(number: int, frame: FrameType | None) -> None:
    """Ctrl-C: ask the jobs to stop, in one line; a second one stops at once.

    Jobs do not hear of Ctrl-C themselves (see alone.smk): while Python starts, it would answer with
    a traceback. Shells in between just wait.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    print("\ninterrupted: stopping; the same command goes on from here", file=sys.stderr)
    logging.disable()  # what Snakemake has to say of each job that is stopped
    sys.excepthook = lambda *_: None
    for process in psutil.Process().children(recursive=True):
        try:
            if not process.children():
                process.terminate()
        except psutil.Error:
            pass
    raise KeyboardInterrupt
