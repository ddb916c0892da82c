"""A command in a terminal, and what is left on its screen."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import termios
from collections.abc import Mapping, Sequence
from pathlib import Path

ERASE = "\x1b[K"  # the only escape sequence that this terminal knows
COLUMNS = 80


class Screen:
    """What a command wrote: lines that stayed, and each state of lines that were rewritten."""

    def __init__(self, written: str) -> None:
        self.written = written
        self.lines: list[str] = []
        self.states: list[str] = []
        for line in written.replace("\r\n", "\n").split("\n"):
            shown = ""
            for part in line.split("\r"):
                text, erased, _ = part.partition(ERASE)
                assert "\x1b" not in text + _, f"an escape sequence: {part!r}"
                shown = text + _ if erased else text + shown[len(text) :]
                self.states.append(shown)
            self.lines.append(shown)

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def in_terminal(
    command: Sequence[str], directory: Path, environment: Mapping[str, str], columns: int = COLUMNS
) -> tuple[int, Screen]:
    """Run a command in a terminal of so many columns; its exit code and the screen."""
    mine, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    given = {name: value for name, value in environment.items() if name != "COLUMNS"}
    process = subprocess.Popen(
        command, cwd=directory, env={**given, "TERM": "xterm"},
        stdin=its, stdout=its, stderr=its, start_new_session=True,
    )  # fmt: skip
    os.close(its)
    written = b""
    while True:
        try:
            more = os.read(mine, 1 << 16)
        except OSError:  # the last one has closed it
            break
        if not more:
            break
        written += more
    os.close(mine)
    return process.wait(), Screen(written.decode())
