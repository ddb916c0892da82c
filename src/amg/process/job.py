"""What every job of the workflow runs in: its log, its progress, errors in one line, its end.

A job ends soon after its command. Otherwise it would go on beside the job of the next command, on
the same files.
"""

import io
import os
import shutil
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, TextIO

import psutil

from amg.base.errors import AmgError
from amg.base.files import reason

COMMAND = "AMG_COMMAND"  # process id of the command that a job belongs to, in its environment
WATCH_SECONDS = 0.5  # between two looks at whether the command is still there
WORK = "work: "  # begins the last line of a log: seconds after start-up
BAR = 24  # characters of the bar, fewer on a narrow terminal
LOG_SECONDS = 10.0  # between two lines in a log


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


class Progress:
    """Prints how many episodes are done, the rate and the time left.

    The rate counts from the first report on, so it leaves out the time that compiling takes.
    """

    def __init__(self, total: int, label: str, stream: TextIO | None = None) -> None:
        self.total, self.label = total, label
        self.stream = sys.stderr if stream is None else stream
        self.terminal = self.stream.isatty()
        self.begun = self.printed = time.monotonic()
        self.first: tuple[int, float] | None = None  # episodes and time of the first report

    def __call__(self, done: int) -> None:
        """Report how many episodes are done."""
        now = time.monotonic()
        if self.first is None:
            self.first, self.printed = (done, now), now
        if self.terminal or now - self.printed >= LOG_SECONDS:
            self.printed = now
            episodes, seconds = done - self.first[0], now - self.first[1]
            rate = episodes / seconds if seconds else 0.0
            left = timedelta(seconds=round((self.total - done) / rate)) if rate else "?"
            self._print(done, f"{rate:,.0f}/s  {left} left")

    def close(self) -> None:
        """Print the last line, which stays."""
        taken = timedelta(seconds=round(time.monotonic() - self.begun))
        self._print(self.total, f"{taken} taken", end="\n")

    def _print(self, done: int, rest: str, end: str = "") -> None:
        """Print a line; on a terminal over the one before, and no wider than the terminal."""
        share = done / self.total
        numbers = f"{share:4.0%}  {done:,}/{self.total:,} episodes  {rest}"
        if not self.terminal:
            print(f"{self.label} {numbers}", file=self.stream, flush=True)
            return
        columns = shutil.get_terminal_size().columns - 1
        width = max(min(BAR, columns - len(f"{self.label}  {numbers}")), 0)
        bar = ("█" * int(share * width)).ljust(width, "·")
        line = f"{self.label} {bar} {numbers}"[:columns]
        print(f"\r{line}\x1b[K", end=end, file=self.stream, flush=True)
