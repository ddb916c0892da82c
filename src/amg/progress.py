"""Progress of long work: a line that renews itself on a terminal, a line now and then in a log."""

from __future__ import annotations

import sys
import time
from typing import TextIO

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
