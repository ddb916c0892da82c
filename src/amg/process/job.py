"""What every job of the workflow runs in: its log, errors in one line, exit codes.

---
Progress of long work: a line that renews itself on a terminal, a line now and then in a log.
"""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

from amg.base.errors import AmgError, FileError
from amg.base.files import reason
from amg.process.stopping import exit_code, leave_with_leader

WORK = "work: "  # begins the last line of a log: seconds after start-up


class Messages:
    """A text stream to the terminal and to a log; a log that cannot be written is given up."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self.log: TextIO | None = path.open("w", encoding="utf-8", buffering=1)
        except OSError as error:
            self.log = None
            raise FileError(f"{path}: cannot be written: {reason(error)}") from None

    def write(self, text: str) -> int:
        """Write to the terminal and the log."""
        sys.stderr.write(text)
        self.note(text)
        return len(text)

    def note(self, text: str) -> None:
        """Write to the log alone."""
        if self.log is None:
            return
        try:
            self.log.write(text)
        except OSError as error:
            self.close()
            print(f"{self.path}: goes on without it: {error.strerror}", file=sys.stderr)

    def flush(self) -> None:
        """Flush the terminal; the log is written line by line."""
        sys.stderr.flush()

    def isatty(self) -> bool:
        """Return False: jobs share a terminal and write whole lines, now and then."""
        return False

    def close(self) -> None:
        """Close the log."""
        if self.log is not None:
            with suppress(OSError):  # on a full disk the rest cannot be written
                self.log.close()
            self.log = None


@contextmanager
def job(snakemake: Any) -> Iterator[Any]:
    """Run a script's work with a stream for its messages; a user error is one line, exit code 1.

    To be stopped is no error: the same command goes on from there. Only training has anything to
    save then; SIGTERM just ends every other job.
    """
    leave_with_leader()
    messages, begun = None, time.perf_counter()
    try:
        messages = Messages(Path(str(snakemake.log[0])))
        yield messages
        messages.note(f"{WORK}{time.perf_counter() - begun:.3f} s\n")
    except KeyboardInterrupt as error:
        _say(messages, f"{snakemake.rule}: stopped; the same command goes on from here")
        raise SystemExit(exit_code(error)) from None
    except AmgError as error:
        _say(messages, f"{snakemake.rule}: {error}")
        raise SystemExit(1) from None
    except OSError as error:
        _say(messages, f"{snakemake.rule}: {error.filename or 'a file'}: {reason(error)}")
        raise SystemExit(1) from None
    except Exception:
        if messages is not None:
            messages.note(traceback.format_exc())
        raise
    finally:
        if messages is not None:
            messages.close()


def named_inputs(snakemake: Any) -> dict[str, list[Path]]:
    """Return the named inputs of a job, each as a list of paths."""
    return {
        name: [Path(files)] if isinstance(files, str) else [Path(file) for file in files]
        for name, files in snakemake.input.items()
    }


def _say(messages: Messages | None, line: str) -> None:
    print(line, file=messages or sys.stderr)


# ===== process/progress

BAR = 24
LOG_SECONDS = 10.0


class Progress:
    """Episodes done, rate and time left."""

    def __init__(self, total: int, label: str, stream: TextIO | None = None, done: int = 0) -> None:
        self.total, self.label, self.first = total, label, done
        self.stream = sys.stderr if stream is None else stream
        self.terminal = self.stream.isatty()
        self.begun = self.shown = time.monotonic()

    def __call__(self, done: int) -> None:
        now = time.monotonic()
        if self.terminal:
            self.stream.write(f"\r{self._line(done, now)}\x1b[K")
            self.stream.flush()
        elif now - self.shown >= LOG_SECONDS:
            self.shown = now
            print(self._line(done, now), file=self.stream, flush=True)

    def close(self, done: int) -> None:
        """The last line, which stays."""
        end = "\x1b[K\n" if self.terminal else "\n"
        start = "\r" if self.terminal else ""
        self.stream.write(f"{start}{self._line(done, time.monotonic())}{end}")
        self.stream.flush()

    def _line(self, done: int, now: float) -> str:
        share = done / self.total
        elapsed = max(now - self.begun, 1e-9)
        rate = (done - self.first) / elapsed
        left = (self.total - done) / rate if rate else float("inf")
        filled = int(share * BAR)
        bar = "█" * filled + "·" * (BAR - filled)
        return (
            f"{self.label} {bar} {share:4.0%}  {done:,}/{self.total:,} episodes"
            f"  {_count(rate)}/s  {_clock(left) if done < self.total else _clock(elapsed)}"
            f" {'left' if done < self.total else 'taken'}"
        )


def _count(number: float) -> str:
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if number >= size:
            return f"{number / size:.1f} {unit}"
    return f"{number:.0f} "


def _clock(seconds: float) -> str:
    if seconds == float("inf"):
        return "?"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
