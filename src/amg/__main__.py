"""`amg`, or `python -m amg`: Ctrl-C while the package is being loaded ends it without a word."""

from __future__ import annotations

import signal
from typing import NoReturn


def main() -> NoReturn:
    """Load the command line, then hand over to it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from amg.cli import main as run
    from amg.stopping import run_process

    signal.signal(signal.SIGINT, signal.default_int_handler)
    run_process("amg", run)


if __name__ == "__main__":
    main()
