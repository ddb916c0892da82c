"""What the workflow's scripts share: messages go to the terminal and the log, errors too."""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from amg.errors import AmgError

WORK = "work: "  # begins the last line of a log: seconds after start-up


class Tee:
    """A text stream that writes to several."""

    def __init__(self, *streams: TextIO) -> None:
        self.streams = streams

    def write(self, text: str) -> int:
        for stream in self.streams:
            stream.write(text)
        return len(text)

    def flush(self) -> None:
        for stream in self.streams:
            stream.flush()

    def isatty(self) -> bool:
        return False  # jobs share a terminal: whole lines, now and then


@contextmanager
def job(snakemake: Any) -> Iterator[Any]:
    """Run a script's work with a stream for its messages; a user's mistake ends it in one line."""
    path = Path(str(snakemake.log[0]))
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as log:
        messages = Tee(sys.stderr, log)
        begun = time.perf_counter()
        try:
            yield messages
            print(f"{WORK}{time.perf_counter() - begun:.3f} s", file=log)
        except AmgError as error:
            print(f"{snakemake.rule}: {error}", file=messages)
            raise SystemExit(1) from None
        except Exception:
            traceback.print_exc(file=log)
            raise
