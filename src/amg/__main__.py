"""`amg`, or `python -m amg`: Ctrl-C ends it with one line, or with none while it is loading."""

import signal


def main() -> None:
    """Load the command line, then run it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from amg.cli.main import main as run
    from amg.process.stopping import run_process

    signal.signal(signal.SIGINT, signal.default_int_handler)
    run_process("amg", run)


if __name__ == "__main__":
    main()
