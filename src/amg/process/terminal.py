"""A line on the terminal that is rewritten in place, and progress of episodes in such a line."""

import os
import shutil
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from amg.base.text import duration

BAR, LEAST_BAR = 24, 10  # characters of a bar, fewer on a narrow terminal
LOG_SECONDS = 10.0  # between two lines in a log
FIRST_SECONDS = 2.0  # of work before its rate is taken to be known
WINDOW_SECONDS = 20.0  # over which a rate is taken: the work may get slower or faster


def columns(stream: TextIO) -> int:
    """Return the width of the terminal that a stream writes to; 80 if nobody knows."""
    try:
        known = os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):  # no terminal, or no file at all
        known = 0
    return known or shutil.get_terminal_size().columns


def bar(share: float, width: int = BAR) -> str:
    """Return a bar that is filled up to a share."""
    return ("█" * int(min(share, 1.0) * width)).ljust(width, "·")


class LiveLine:
    """The last line of a terminal; what is printed goes above it. A log has no such line."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.terminal = stream.isatty() and os.environ.get("TERM") != "dumb"
        self.shown = False

    @property
    def room(self) -> int:
        """Characters that fit; one fewer than the terminal has, which would begin a new line."""
        return max(columns(self.stream) - 1, 1)

    def show(self, text: str) -> None:
        """Put a text in place of the one before, cut to the width of the terminal."""
        if self.terminal:
            cut = text if len(text) <= self.room else f"{text[: self.room - 1]}…"
            self._write(f"\r{cut}\x1b[K")
            self.shown = True

    def print(self, text: str) -> None:
        """Print lines that stay."""
        self.clear()
        self._write(f"{text}\n")

    def clear(self) -> None:
        """Take the line away."""
        if self.shown:
            self._write("\r\x1b[K")
            self.shown = False

    def _write(self, text: str) -> None:
        self.stream.write(text)
        self.stream.flush()


@contextmanager
def waiting(label: str) -> Iterator[None]:
    """Show on the terminal for how long something has been going on that cannot tell how far."""
    line, begun, done = LiveLine(sys.stderr), time.monotonic(), threading.Event()

    def tick() -> None:
        while not done.wait(FIRST_SECONDS):
            line.show(f"{label}  {duration(time.monotonic() - begun)}")

    ticker = threading.Thread(target=tick, daemon=True)
    ticker.start()
    try:
        yield
    finally:
        done.set()
        ticker.join()
        line.clear()


class Progress:
    """Shows how much is done, the rate and the time left; on a terminal in place.

    The rate counts from the first report on, so it leaves out the time that compiling takes.
    """

    def __init__(
        self, total: int, label: str, stream: TextIO | None = None, unit: str = "episodes"
    ) -> None:
        self.total, self.label, self.unit = total, label, unit
        self.line = LiveLine(sys.stderr if stream is None else stream)
        self.begun = self.printed = time.monotonic()
        self.reports: deque[tuple[float, int]] = deque()  # times, and what was done then

    def __call__(self, done: int) -> None:
        """Report how much is done."""
        now = time.monotonic()
        while len(self.reports) > 1 and now - self.reports[1][0] >= WINDOW_SECONDS:
            self.reports.popleft()
        self.reports.append((now, done))
        if self.line.terminal or now - self.printed >= LOG_SECONDS:
            self.printed = now
            self._show(done, *self._outlook(now, done))

    def close(self) -> None:
        """Print the last line, which stays."""
        self._show(self.total, f"{duration(time.monotonic() - self.begun)} taken", stays=True)

    def _outlook(self, now: float, done: int) -> list[str]:
        """Return the time left and the rate; nothing as long as they are not known."""
        begun, before = self.reports[0]
        if now - begun < FIRST_SECONDS or done <= before:
            return []
        rate = (done - before) / (now - begun)
        return [f"{duration((self.total - done) / rate)} left", f"{rate:,.0f}/s"]

    def _show(self, done: int, *rest: str, stays: bool = False) -> None:
        """Show as much as fits of: label, share, time, rate, number, bar."""
        share = f"{done / self.total:4.0%}"
        number = f"{done:,}/{self.total:,} {self.unit}"
        if not self.line.terminal:
            self.line.print("  ".join([f"{self.label} {share}", number, *rest]))
            return
        text, least = f"{self.label} {share}", LEAST_BAR + 1
        for part in (*rest, number):
            if len(text) + 2 + len(part) + least <= self.line.room:
                text += f"  {part}"
        width = min(BAR, self.line.room - len(text) - 1)
        if width >= LEAST_BAR:
            text = text.replace(share, f"{bar(done / self.total, width)} {share}", 1)
        self.line.show(text)
        if stays:
            self.line.stream.write("\n")
            self.line.shown = False
