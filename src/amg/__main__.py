"""`amg`, or `python -m amg`: Ctrl-C while the package is being loaded ends it without a word."""

from __future__ import annotations

import signal
import sys


def main() -> int:
    """Load the command line, then hand over to it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from amg.cli import main as run

    signal.signal(signal.SIGINT, signal.default_int_handler)
    return run()


if __name__ == "__main__":
    sys.exit(main())
