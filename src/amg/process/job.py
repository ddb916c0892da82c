"""What every job of the workflow runs in: its log, errors in one line, its end.

A job ends soon after its command. Otherwise it would go on beside the job of the next command, on
the same files.
"""

import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

import psutil

from amg.base.errors import AmgError
from amg.base.files import reason

COMMAND = "AMG_COMMAND"  # process id of the command that a job belongs to, in its environment
WATCH_SECONDS = 0.5  # between two looks at whether the command is still there
WORK = "work: "  # begins the last line of a log: seconds after start-up
STANDARD_ERROR = 2  # the number of its file


@contextmanager
def job(snakemake: Any) -> Iterator[TextIO]:
    """Run a script's work with its log; a user error is one line in it, with exit code 1.

    The log also gets what libraries write to standard error, which belongs to the command and its
    live line. To be stopped is no error: the same command goes on from there.
    """
    _end_with_command()
    begun = time.perf_counter()
    path = Path(str(snakemake.log[0]))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8", buffering=1) as log:
            try:
                with _standard_error_to(log):
                    yield log
                print(f"{WORK}{time.perf_counter() - begun:.3f} s", file=log)
            except BaseException as error:
                print(f"{snakemake.rule}: {_explain(error)}", file=log)
                sys.exit(1)
    except OSError as error:  # of the log itself
        sys.exit(f"{snakemake.rule}: {_explain(error)}")


@contextmanager
def _standard_error_to(log: TextIO) -> Iterator[None]:
    """Send to the log what this process writes to standard error."""
    sys.stderr.flush()
    before = os.dup(STANDARD_ERROR)
    os.dup2(log.fileno(), STANDARD_ERROR)
    try:
        yield
    finally:
        with suppress(OSError):  # the log's disk may be full
            sys.stderr.flush()
        os.dup2(before, STANDARD_ERROR)
        os.close(before)


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
