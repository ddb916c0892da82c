"""What the commands share: how arguments are declared and read.

A command is a module with two functions: `add(commands)` declares its arguments, `run(options)`
does the work and returns the exit code. Heavy modules are imported in `run`, so that `amg --help`
is quick.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from amg.base.errors import ParameterError
from amg.base.rational import exact
from amg.base.text import quote

if TYPE_CHECKING:
    from amg.game.model import Game

Commands = Any  # what add_subparsers returns; argparse has no public name for it


def add_command(
    commands: Commands, name: str, run: Callable[[argparse.Namespace], int], epilog: str = ""
) -> argparse.ArgumentParser:
    """Declare a command; its help is the docstring of `run`."""
    text = (run.__doc__ or "").strip()
    command: argparse.ArgumentParser = commands.add_parser(
        name,
        help=text.splitlines()[0],
        description=text,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(run=run)
    return command


def add_game_settings(command: argparse.ArgumentParser) -> None:
    """Declare --with NAME=VALUE, a parameter of a game."""
    command.add_argument(
        "--with",
        dest="with_",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a parameter of the game, as agents=4",
    )


def find_game(name: str, settings: Sequence[str]) -> Game:
    """Return the game of this name with these settings, or the game in a file."""
    if not name.endswith((".yaml", ".yml")):
        from amg.game.library import build

        return build(name, {key: _number_or_text(text) for key, text in map(setting, settings)})
    if settings:
        raise ParameterError(f"{name}: a game file takes no parameters; edit the file instead")
    from amg.game.file import load_game

    return load_game(Path(name))


def setting(text: str) -> tuple[str, str]:
    """Return 'name=value' as a pair."""
    name, equals, value = text.partition("=")
    if not (name.strip() and equals and value.strip()):
        raise ParameterError(f"setting {quote(text)} is not of the form name=value")
    return name.strip(), value.strip()


def _number_or_text(text: str) -> int | str:
    """Return a whole number as int; builders read other numbers from text, exactly."""
    try:
        number = exact(text)
    except ValueError:
        return text
    return int(number) if number.denominator == 1 else text


def whole(name: str, text: str) -> int:
    """Return the whole number that the text spells: 1000000 or 1e6."""
    try:
        number = exact(text)
    except ValueError:
        raise ParameterError(f"{name} = {quote(text)} is not a number") from None
    if number.denominator != 1:
        raise ParameterError(f"{name} = {text} is not a whole number")
    return int(number)
