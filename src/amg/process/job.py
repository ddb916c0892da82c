"""What every job of the workflow runs in: its log, errors in one line, its end.

A job ends soon after its command. Otherwise it would go on beside the job of the next command, on
the same files.
"""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import psutil

from amg.base.errors import AmgError
from amg.base.files import reason

COMMAND = "AMG_COMMAND"  # process id of the command that a job belongs to, in its environment
WATCH_SECONDS = 0.5  # between two looks at whether the command is still there
WORK = "work: "  # begins the last line of a log: seconds after start-up


class Messages(io.TextIOBase):
    """A text stream to the terminal and to a log."""

    def __init__(self, log: TextIO) -> None:
        self.log = log

    def write(self, text: str) -> int:
        """Write to both."""
        sys.stderr.write(text)
        return self.log.write(text)


@contextmanager
def job(snakemake: Any) -> Iterator[Messages]:
    """Run a script's work with a stream for its messages; a user error is one line, exit code 1.

    To be stopped is no error: the same command goes on from there.
    """
    _end_with_command()
    begun = time.perf_counter()
    path = Path(str(snakemake.log[0]))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8", buffering=1) as log:
            try:
                yield Messages(log)
                print(f"{WORK}{time.perf_counter() - begun:.3f} s", file=log)
            except BaseException as error:
                print(f"{snakemake.rule}: {_explain(error)}", file=log)
                raise
    except (KeyboardInterrupt, AmgError, OSError) as error:
        sys.exit(f"{snakemake.rule}: {_explain(error)}")


def _explain(error: BaseException) -> str:
    """Return what happened, in one line if a user can correct it."""
    if isinstance(error, KeyboardInterrupt):
        return "stopped; the same command goes on from here"
    if isinstance(error, OSError):
        return f"{error.filename or 'a file'}: {reason(error)}"
    return str(error) if isinstance(error, AmgError) else traceback.format_exc()


def named_inputs(snakemake: Any) -> dict[str, list[Path]]:
    """Return the named inputs of a job, each as a list of paths."""
    return {
        name: [Path(files)] if isinstance(files, str) else [Path(file) for file in files]
        for name, files in snakemake.input.items()
    }


def _end_with_command() -> None:
    """Terminate this process soon after the command that started it has gone."""
    command = int(os.environ.get(COMMAND, 0))

    def watch() -> None:
        while command in [process.pid for process in psutil.Process().parents()]:
            time.sleep(WATCH_SECONDS)
        os.kill(os.getpid(), signal.SIGTERM)

    if command:
        threading.Thread(target=watch, daemon=True).start()
