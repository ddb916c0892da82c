"""Stopping early: a request to end is like Ctrl-C, so that a checkpoint is left behind."""

from __future__ import annotations

import os
import signal
import threading
import time
from types import FrameType

import psutil

COMMAND = "AMG_COMMAND"  # process id of the command that a job belongs to, in its environment
SECONDS = 0.5  # between two looks at whether somebody still waits for this process


class Terminated(KeyboardInterrupt):
    """SIGTERM: what Slurm and `timeout` send, and what a command that is stopped sends its jobs."""


def exit_code(error: KeyboardInterrupt) -> int:
    """As a shell names it: 128 and the signal."""
    return 128 + (signal.SIGTERM if isinstance(error, Terminated) else signal.SIGINT)


def heed_termination() -> None:
    """From now on SIGTERM raises `Terminated`."""
    signal.signal(signal.SIGTERM, _terminated)


def _terminated(number: int, frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # once: what it sets off is not to be disturbed
    raise Terminated


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
