"""Progress of long work: a line that renews itself on a terminal, a line now and then in a log."""

from __future__ import annotations

import shutil
import sys
import time
from datetime import timedelta
from typing import TextIO

BAR = 24  # characters of the bar, fewer on a narrow terminal
LOG_SECONDS = 10.0  # between two lines in a log


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
