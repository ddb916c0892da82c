"""A live line fits its terminal; progress says nothing that it cannot know."""

from __future__ import annotations

import fcntl
import io
import os
import re
import struct
import termios

import pytest

from amg.process import terminal
from amg.process.terminal import LiveLine, Progress


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def term(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr(terminal.time, "monotonic", lambda: now[0])
    return now


def states(stream: Terminal) -> list[str]:
    """What the line looked like, one after another."""
    return [part.split("\x1b[K")[0] for part in stream.getvalue().split("\r")[1:]]


@pytest.mark.parametrize("columns", [20, 40, 80, 200])
def test_progress_fits_the_terminal(
    columns: int, clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    stream = Terminal()
    bar = Progress(10**10, "a game", stream)
    for done in (10**9, 5 * 10**9):
        clock[0] += 100
        bar(done)
    bar.close()
    shown = states(stream)
    assert len(shown) == 3
    assert all(len(line) < columns for line in shown)
    assert all("50%" in line or "10%" in line or "100%" in line for line in shown)
    assert ("2.1 min left" in shown[1]) == (columns >= 40)
    assert stream.getvalue().endswith("\x1b[K\n")


def test_the_width_is_that_of_the_stream_s_own_terminal() -> None:
    mine, its = os.openpty()
    with os.fdopen(its, "w") as stream:
        fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 33, 0, 0))
        line = LiveLine(stream)
        line.show("x" * 100)
        line.print("kept")
    assert os.read(mine, 1000).decode() == f"\r{'x' * 31}…\x1b[K\r\x1b[Kkept\r\n"
    os.close(mine)


def test_a_dumb_terminal_gets_lines_of_a_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    stream = Terminal()
    line = LiveLine(stream)
    line.show("now")
    line.print("done")
    assert stream.getvalue() == "done\n"


def test_compiling_is_not_part_of_the_rate(clock: list[float]) -> None:
    stream = io.StringIO()
    report = Progress(1_000, "game", stream)
    for seconds, done in ((60, 100), (70, 200), (71, 210), (80, 300)):
        clock[0] = seconds
        report(done)
    report.close()
    assert stream.getvalue().splitlines() == [
        "game  10%  100/1,000 episodes",
        "game  20%  200/1,000 episodes  80 s left  10/s",
        "game  30%  300/1,000 episodes  70 s left  10/s",
        "game 100%  1,000/1,000 episodes  80 s taken",
    ]


def test_the_first_estimate_waits_until_it_is_one(clock: list[float]) -> None:
    """The first chunks are of 1, 4, 16 … episodes; their rates say nothing."""
    stream = Terminal()
    report = Progress(10**8, "game", stream)
    for seconds, done in ((1.0, 1), (1.001, 4), (1.5, 1000), (2.9, 10**6), (3.1, 2 * 10**6)):
        clock[0] = seconds
        report(done)
    *early, last = states(stream)
    assert not any("left" in line for line in early)
    assert re.search(r" 1\.7 min left ", last)


def test_the_rate_is_that_of_the_last_while(clock: list[float]) -> None:
    """Runs that exist already are kept at once, and other runs are slower than the first ones."""
    stream = Terminal()
    report = Progress(10_000, "game", stream)
    report(0)
    for j in range(100):
        clock[0] = 1.0 + j
        report(5_000 + j)  # of which 5,000 were there
    assert "81.7 min left" in states(stream)[-1]
