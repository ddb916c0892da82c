"""Progress fits the terminal, and its rate leaves out the first chunk."""

from __future__ import annotations

import io

import pytest

from amg.process import job
from amg.process.job import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr(job.time, "monotonic", lambda: now[0])
    return now


@pytest.mark.parametrize("columns", [30, 80, 200])
def test_a_bar_fits_the_terminal(
    columns: int, clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    stream = Terminal()
    bar = Progress(10**10, "a game with a name", stream)
    for done in (10**9, 5 * 10**9):
        clock[0] += 100
        bar(done)
    bar.close()
    lines = stream.getvalue().split("\r")[1:]
    assert len(lines) == 3
    assert all(len(line.removesuffix("\n").removesuffix("\x1b[K")) < columns for line in lines)
    assert stream.getvalue().endswith("\x1b[K\n")


def test_compiling_is_not_part_of_the_rate(clock: list[float]) -> None:
    stream = io.StringIO()
    report = Progress(1_000, "game", stream)
    for seconds, done in ((60, 100), (70, 200), (71, 210), (80, 300)):
        clock[0] = seconds
        report(done)
    report.close()
    assert stream.getvalue().splitlines() == [
        "game  20%  200/1,000 episodes  10/s  0:01:20 left",
        "game  30%  300/1,000 episodes  10/s  0:01:10 left",
        "game 100%  1,000/1,000 episodes  0:01:20 taken",
    ]
