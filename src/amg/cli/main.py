"""The command `amg`: one parser, and one place for errors and exit codes.

Exit codes: 0 if all is well, 1 if something differs or is damaged (verify, compare), 2 for a user
error, 130 after Ctrl-C. A user error is one line on standard error.
"""

import argparse
import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

from amg import __version__
from amg.base.errors import AmgError, ParameterError
from amg.base.files import reason

COMMANDS = {  # a command is the module of its name, loaded only when it is needed
    "games": "list the games with sizes and exact reference values",
    "train": "train one run and write it to a file",
    "certify": "evaluate exactly the policy of a run, or your own",
    "check": "check configs, game files, claims, sweeps and multiverses",
    "verify": "evaluate run files again and compare with recorded numbers",
    "compare": "compare two directories of results",
    "theory": "print the theorem's rate and the bound with its constants",
    "freeze": "write the digests of what verdicts are made by",
    "crate": "pack a finished study into one file to publish",
    "docs": "write the generated parts of the documentation",
    "bench": "measure the speed of the kernels",
}


class Parser(argparse.ArgumentParser):
    """A parser that reports wrong usage like every other error."""

    def error(self, message: str) -> NoReturn:
        raise ParameterError(f"{message}; see {self.prog} --help")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # show as escapes what its encoding lacks
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code = run(arguments)
        sys.stdout.flush()
        return code
    except AmgError as error:
        message = str(error)
    except MemoryError:
        message = "needs more memory than there is; ask for less"
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or the flush at exit fails
        if isinstance(error, BrokenPipeError):  # the reader has seen enough: `amg games | head`
            return 0
        message = f"{error.filename or 'standard output'}: {reason(error)}"
    print(f"amg: error: {message}", file=sys.stderr)
    return 2


def run(arguments: Sequence[str] | None) -> int:
    """Read the command's name, load its module, let it read the other arguments, and run it."""
    text = "Learn in aggregative Markov games and evaluate what was learned."
    parser = Parser(prog="amg", description=text)
    parser.add_argument("--version", action="version", version=f"amg {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, text in COMMANDS.items():
        commands.add_parser(name, help=text, add_help=False)
    options, rest = parser.parse_known_args(arguments)
    command = import_module(f"amg.cli.{options.command}")
    style = argparse.RawDescriptionHelpFormatter
    own = Parser(prog=f"amg {options.command}", description=command.__doc__, formatter_class=style)
    command.add_arguments(own)
    return int(command.run(own.parse_args(rest)))
