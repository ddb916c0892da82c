"""Stopping early: Ctrl-C is answered soon, and training ends at a moment when it can be saved."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

GRACE = 1.0  # seconds in which Python itself may answer Ctrl-C
INTERRUPTED = 128 + signal.SIGINT  # exit code after Ctrl-C, as a shell names it


class Stopped(KeyboardInterrupt):
    """A request to stop was followed: Ctrl-C, or SIGTERM from Slurm, `timeout` or a command."""

    def __init__(self, number: int) -> None:
        self.exit_code = 128 + number


def run_process(name: str, main: Callable[[], int]) -> NoReturn:
    """Run `main` and exit; Ctrl-C ends the process with one line, even while compiled code runs.

    Python raises KeyboardInterrupt only between two steps of its own. So the signal also wakes up a
    thread, which ends the process if Python has not done so soon: long kernels release the GIL.
    """
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    line = f"\n{name}: interrupted"

    def insist() -> None:
        while os.read(reader, 1) != bytes([signal.SIGINT]):
            pass
        time.sleep(GRACE)
        print(line, file=sys.stderr, flush=True)
        os._exit(INTERRUPTED)

    threading.Thread(target=insist, daemon=True).start()
    try:
        code = main()
    except KeyboardInterrupt:
        print(line, file=sys.stderr)
        code = INTERRUPTED
    sys.exit(code)


@contextmanager
def requests_wait() -> Iterator[list[int]]:
    """Collect requests to stop in a list, so that the caller can follow them at a good moment.

    A signal handler that raises would not do: Python drops an exception in a callback of compiled
    code, as there are while a kernel is loaded, and the work would go on to its end. After the
    first request, another SIGTERM is ignored, and another Ctrl-C does what it did before.
    """
    sigint, sigterm = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    requests: list[int] = []

    def take_note(number: int, frame: FrameType | None) -> None:
        requests.append(number)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, sigint)

    wakeup = signal.set_wakeup_fd(-1)  # the thread of `run_process` must not end us meanwhile
    signal.signal(signal.SIGTERM, take_note)
    if sigint != signal.SIG_IGN:  # ignored in a job, or in a script in the background
        signal.signal(signal.SIGINT, take_note)
    try:
        yield requests
    finally:
        signal.set_wakeup_fd(wakeup, warn_on_full_buffer=False)
        signal.signal(signal.SIGTERM, sigterm)
        signal.signal(signal.SIGINT, sigint)
    if requests:  # nobody followed it: ask again
        os.kill(os.getpid(), requests.pop())
