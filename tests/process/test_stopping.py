"""Requests to stop are never lost, and never heeded at a bad moment."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from amg.process.stopping import Stopped, requests_wait

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """Each test leaves the handlers as it found them; SIGTERM must not end the tests."""
    before = {number: signal.signal(number, _raise) for number in SIGNALS}
    yield
    assert {number: signal.getsignal(number) for number in SIGNALS} == dict.fromkeys(
        SIGNALS, _raise
    )
    for number, handler in before.items():
        signal.signal(number, handler)


def _raise(number: int, frame: object) -> None:
    raise Stopped(number)


def ask(number: int) -> None:
    os.kill(os.getpid(), number)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_request_within_a_callback_of_compiled_code_is_noted(
    number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where an exception would be lost, as the first half shows."""
    callback = ctypes.CFUNCTYPE(None)(lambda: ask(number))
    lost: list[type[BaseException] | None] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda what: lost.append(what.exc_type))
    callback()
    assert lost == [Stopped]
    with requests_wait() as asked:
        callback()
        assert asked.pop() == number


@pytest.mark.parametrize("number", SIGNALS)
def test_what_nobody_heeded_is_asked_again(number: signal.Signals) -> None:
    with pytest.raises(Stopped) as stopped, requests_wait():
        ask(number)
    assert stopped.value.exit_code == 128 + number


def test_another_request_after_the_first() -> None:
    """SIGTERM must not disturb what the first one set off; a second Ctrl-C is meant."""
    with requests_wait() as asked:
        ask(signal.SIGTERM)
        ask(signal.SIGTERM)
        assert asked == [signal.SIGTERM]
        with pytest.raises(Stopped):
            ask(signal.SIGINT)
        asked.clear()


def test_an_error_passes() -> None:
    def fails() -> None:
        ask(signal.SIGTERM)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), requests_wait():
        fails()


def test_ctrl_c_stays_ignored_where_it_is() -> None:
    """In jobs, whose command hears it for them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with requests_wait() as asked:
        ask(signal.SIGINT)
        assert asked == []
    assert signal.signal(signal.SIGINT, _raise) == signal.SIG_IGN


# --- a whole process ------------------------------------------------------------------------------

PROCESS = """
import time
from amg.process.stopping import run_process

def main():
    print("begun", flush=True)
    {work}

run_process("a command", main)
"""
WORK = {
    "in Python": "time.sleep(60)",
    "deaf": "import signal; signal.signal(signal.SIGINT, lambda *_: None); time.sleep(60)",
}


@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
def test_ctrl_c_ends_a_process_with_one_line(work: str) -> None:
    """Also where something keeps Python from hearing of it."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROCESS.format(work=work)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert (process.returncode, said) == (130, "\na command: interrupted\n")
