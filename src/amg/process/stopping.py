"""Stopping early: Ctrl-C is answered soon, training waits for a good moment to end, and jobs leave
with their command.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

import psutil

COMMAND = "AMG_COMMAND"  # process id of the command that a job belongs to, in its environment
SECONDS = 0.5  # between two looks at whether somebody still waits for this process
GRACE = 1.0  # seconds in which Python itself may answer Ctrl-C


class Stopped(KeyboardInterrupt):
    """A request to stop was heeded: Ctrl-C, or the SIGTERM of Slurm, `timeout` or a command."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def exit_code(error: KeyboardInterrupt) -> int:
    """As a shell names it: 128 and the signal."""
    return 128 + (error.number if isinstance(error, Stopped) else signal.SIGINT)


def run_process(name: str, main: Callable[[], int | None]) -> NoReturn:
    """All that a process does; Ctrl-C ends it with one line, even while compiled code runs.

    Python raises KeyboardInterrupt between two steps of its own only. So the signal also wakes up a
    thread, which ends the process if that has not happened soon: long kernels release the GIL.
    """
    ours, theirs = os.pipe()
    os.set_blocking(theirs, False)
    signal.set_wakeup_fd(theirs, warn_on_full_buffer=False)
    line = f"\n{name}: interrupted"
    threading.Thread(target=_insist, args=(ours, line), daemon=True).start()
    try:
        code = main()
    except KeyboardInterrupt as error:
        print(line, file=sys.stderr)
        code = exit_code(error)
    sys.exit(code)


def _insist(pipe: int, line: str) -> None:
    while os.read(pipe, 1) != bytes([signal.SIGINT]):
        pass
    time.sleep(GRACE)
    print(line, file=sys.stderr, flush=True)
    os._exit(exit_code(KeyboardInterrupt()))


@contextmanager
def requests_wait() -> Iterator[list[int]]:
    """While this lasts, requests to stop are noted in the list, to be heeded at a good moment.

    To raise from a signal's handler would not do: Python drops an exception that hits a callback
    of compiled code, as there are while a kernel is loaded, and work would go on to its end.
    After a request another SIGTERM is ignored, and another Ctrl-C does what it did before.
    """
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    if before[signal.SIGINT] == signal.SIG_IGN:  # a job, or a script in the background
        del before[signal.SIGINT]
    asked: list[int] = []

    def take_note(number: int, frame: FrameType | None) -> None:
        asked.append(number)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if signal.SIGINT in before:
            signal.signal(signal.SIGINT, before[signal.SIGINT])

    wakeup = signal.set_wakeup_fd(-1)  # nobody is to end this process meanwhile
    for number in before:
        signal.signal(number, take_note)
    try:
        yield asked
    finally:
        signal.set_wakeup_fd(wakeup, warn_on_full_buffer=False)
        for number, handler in before.items():
            signal.signal(number, handler)
    if asked:  # too late to be heeded
        os.kill(os.getpid(), asked.pop())


def lead() -> None:
    """Jobs that this process starts from now on are its own, and leave with it."""
    os.environ[COMMAND] = str(os.getpid())


def leave_with_leader() -> None:
    """Terminate soon after the command that started this job has gone.

    Or a job whose command was killed would go on, beside that of the next one on the same files.
    """
    leader = int(os.environ.get(COMMAND, 0))
    if leader:
        threading.Thread(target=_watch, args=(leader,), daemon=True).start()


def _watch(leader: int) -> None:
    while leader in [process.pid for process in psutil.Process().parents()]:
        time.sleep(SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
