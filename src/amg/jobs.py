"""What the workflow's scripts share: messages go to the terminal and the log, errors too."""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

from amg.archive import reason
from amg.errors import AmgError, FileError
from amg.stopping import exit_code, leave_with_leader

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
        sys.stderr.write(text)
        self.note(text)
        return len(text)

    def note(self, text: str) -> None:
        """To the log alone."""
        if self.log is None:
            return
        try:
            self.log.write(text)
        except OSError as error:
            self.close()
            print(f"{self.path}: goes on without it: {error.strerror}", file=sys.stderr)

    def flush(self) -> None:
        sys.stderr.flush()

    def isatty(self) -> bool:
        return False  # jobs share a terminal: whole lines, now and then

    def close(self) -> None:
        if self.log is not None:
            with suppress(OSError):  # what is still unwritten
                self.log.close()
            self.log = None


@contextmanager
def job(snakemake: Any) -> Iterator[Any]:
    """Run a script's work with a stream for its messages; what a person can mend ends in one line.

    To be stopped is no error: the work goes on when the same command is given again. Only training
    has anything to save then; SIGTERM just ends every other job.
    """
    leave_with_leader()
    messages, begun = None, time.perf_counter()
    try:
        messages = Messages(Path(str(snakemake.log[0])))
        yield messages
        messages.note(f"{WORK}{time.perf_counter() - begun:.3f} s\n")
    except KeyboardInterrupt as error:
        _end(messages, f"{snakemake.rule}: stopped; the same command goes on from here")
        raise SystemExit(exit_code(error)) from None
    except AmgError as error:
        _end(messages, f"{snakemake.rule}: {error}")
        raise SystemExit(1) from None
    except OSError as error:
        _end(messages, f"{snakemake.rule}: {error.filename or 'a file'}: {reason(error)}")
        raise SystemExit(1) from None
    except Exception:
        if messages is not None:
            messages.note(traceback.format_exc())
        raise
    finally:
        if messages is not None:
            messages.close()


def _end(messages: Messages | None, line: str) -> None:
    print(line, file=messages or sys.stderr)
