"""Standard output that takes any text."""

from __future__ import annotations

import io
import sys


def take_any_text() -> None:
    """Show as escapes what the terminal's encoding lacks: an ε, or a file's name that is no text.

    Python does so for errors; on standard output it would end in a traceback.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
