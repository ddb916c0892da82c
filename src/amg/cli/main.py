"""The command `amg`: one parser, and one place for errors and exit codes.

Exit codes: 0 if all is well, 1 if something differs or is damaged (verify, compare), 2 for a user
error, 130 after Ctrl-C. A user error is one line on standard error.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from amg import __version__
from amg.base.errors import AmgError
from amg.base.files import reason
from amg.cli import Commands, add_command, bench, check, compare, games, train, verify


def add_docs(commands: Commands) -> None:
    """Declare `amg docs`."""
    add_command(commands, "docs", docs)


def docs(options: argparse.Namespace) -> int:
    """Write the generated parts of the documentation again."""
    from amg.report.docs import write_pages

    for path in write_pages(Path()):
        print(f"{path}: written")
    return 0


COMMANDS = (
    games.add, train.add, train.add_certify, check.add, verify.add, verify.add_reference,
    compare.add, add_docs, bench.add,
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    options = _parser().parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):  # show as escapes what its encoding lacks
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code: int = options.run(options)
        sys.stdout.flush()
    except AmgError as error:
        return _refuse(str(error))
    except BrokenPipeError:  # the reader has seen enough, as in `amg games | head`
        _discard_output()
        return 0
    except MemoryError:
        return _refuse("needs more memory than there is; ask for less")
    except OSError as error:
        code = _refuse(f"{error.filename or 'standard output'}: {reason(error)}")
        _discard_output()
    return code


def _refuse(message: str) -> int:
    print(f"amg: error: {message}", file=sys.stderr)
    return 2


def _discard_output() -> None:
    """Redirect standard output so that the flush at exit cannot fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="amg", description="Learn in aggregative Markov games and evaluate what was learned."
    )
    parser.add_argument("--version", action="version", version=f"amg {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for add in COMMANDS:
        add(commands)
    return parser
