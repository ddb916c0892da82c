"""One Snakemake command: where its config comes from, its lock, and how it stops.

Snakemake's own lock outlives a command that was killed, and then refuses the same command. A lock
of the operating system ends with the process that holds it. If no process holds one, all that is
left in Snakemake's directory was left by a dead command.
"""

from __future__ import annotations

import fcntl
import logging
import os
import shutil
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import IO, Any
from urllib.parse import quote, unquote

import psutil

from amg.base.errors import FileError
from amg.base.files import write_bytes
from amg.process.stopping import lead

DIRECTORY = Path(".snakemake")
LOCKS = DIRECTORY / "commands"
LEFTOVERS = ("locks", "scripts", "backups")  # of a killed command, in DIRECTORY
ROOM = 1 << 18  # bytes that Snakemake should be able to write there

_locks: list[IO[str]] = []  # held as long as this process lives


def config_sources(workflow: Any, config: Mapping[str, Any], default: Path) -> dict[str, Any]:
    """Return the arguments of `read_config` for this workflow.

    As the main workflow: `default`, over it each --configfile and --config (--replace-workflow-config
    leaves `default` out). As a module of another workflow: `default`, and the module's `config:`.
    """
    if not workflow.modifier.is_main_snakefile():
        return {"files": [default], "given": config}
    settings = workflow.config_settings
    first = [] if settings.replace_workflow_config else [default]
    workflow.configfiles.extend(first)  # so that Snakemake's report has it
    return {
        "files": [*first, *map(Path, workflow.overwrite_configfiles)],
        "settings": settings.config_args or [],
    }


def begin(workflow: Any) -> None:
    """Prepare this process: jobs that stop cleanly, no leftovers of a killed command."""
    lead()
    if not workflow.is_main_process:
        return
    if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:  # ignored in a background script
        signal.signal(signal.SIGINT, _interrupt)
    logging.getLogger("snakemake.logging").addFilter(_worth_saying)
    logging.raiseExceptions = False  # a log that cannot be written is no news on a full disk
    _check_room()
    with _gate():
        busy = {lock: holder for lock in LOCKS.glob("*.lock") if (holder := _holder(lock))}
        if not busy:
            for name in LEFTOVERS:
                shutil.rmtree(DIRECTORY / name, ignore_errors=True)
    for lock, holder in busy.items():
        print(_busy(unquote(lock.stem), holder), file=sys.stderr)


def claim(workflow: Any, results: str) -> None:
    """Lock the results for this command before any job starts."""
    if not workflow.is_main_process:
        return
    with _gate():
        file = (LOCKS / f"{quote(results, safe='')}.lock").open("a+", encoding="utf-8")
        with suppress(OSError):  # where there are no locks, Snakemake's own must do
            if not _lock(file, fcntl.LOCK_EX):
                sys.exit(f"error: {_busy(results, _read(file))}")
        file.truncate(0)
        print(os.getpid(), file=file, flush=True)
    _locks.append(file)


def _check_room() -> None:
    """Exit if Snakemake's directory cannot be written: Snakemake would print a traceback."""
    probe = LOCKS / "probe"
    try:
        write_bytes(probe, bytes(ROOM))
        probe.unlink(missing_ok=True)
    except (FileError, OSError) as error:
        sys.exit(f"error: {error}")


@contextmanager
def _gate() -> Iterator[None]:
    """Let one command at a time look at the locks or take one."""
    LOCKS.mkdir(parents=True, exist_ok=True)
    with (LOCKS / "gate").open("w") as file:
        with suppress(OSError):  # not every file system has locks
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _holder(lock: Path) -> str | None:
    """Return the process that holds a lock; "unknown" if it cannot be determined."""
    try:
        with lock.open("r+", encoding="utf-8") as file:
            return None if _lock(file, fcntl.LOCK_SH) else _read(file)
    except FileNotFoundError:
        return None
    except OSError:
        return "unknown"


def _lock(file: IO[str], how: int) -> bool:
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
        f"{results}: another command works here (process {holder}); wait until it has finished, or "
        f"stop it first"
    )


def _worth_saying(record: logging.LogRecord) -> bool:
    """Drop what Snakemake says about backups of a failed job's output."""
    return not str(record.msg).startswith(("Cannot restore ", "Restored previous version of "))


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Answer Ctrl-C: ask the jobs to stop, in one line; a second Ctrl-C stops at once.

    Jobs do not receive Ctrl-C themselves (see the shell prefix in common.smk), because Python
    would answer it with a traceback while it starts.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    print("\ninterrupted: stopping; the same command goes on from here", file=sys.stderr)
    logging.disable()  # Snakemake would report each job that is stopped
    sys.excepthook = lambda *_: None
    for process in psutil.Process().children(recursive=True):
        try:
            if not process.children():
                process.terminate()
        except psutil.Error:
            pass
    raise KeyboardInterrupt
