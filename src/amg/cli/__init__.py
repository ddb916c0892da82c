"""What the commands share: how a game is named, and how numbers and settings are read.

A command is a module with two functions: `add_arguments(parser)` declares its arguments,
`run(options)` does the work and returns the exit code. Its docstring is its help.
"""

from __future__ import annotations

import argparse
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from amg.base.errors import ParameterError
from amg.base.rational import whole_or_text
from amg.base.text import quote

if TYPE_CHECKING:
    from amg.game.model import Game

Setting = tuple[str, int | str]


def add_game(parser: argparse.ArgumentParser, nargs: str | None = None) -> None:
    """Declare the argument that names a game, and --with for its parameters."""
    text = "a game's name or a game file"
    parser.add_argument("game", nargs=nargs, metavar="GAME|FILE.yaml", help=text)
    add_settings(parser, "--with", "a parameter of the game, as agents=4")


def add_settings(parser: argparse.ArgumentParser, option: str, text: str) -> None:
    """Declare an option NAME=VALUE that can be given several times."""
    how: dict[str, Any] = {"type": setting, "action": "append", "default": []}
    parser.add_argument(option, dest=f"{option[2:]}_", metavar="NAME=VALUE", help=text, **how)


def find_game(name: str, settings: Collection[Setting]) -> Game:
    """Return the game of this name with these settings, or the game in a file."""
    from amg.game.file import load_game  # not above, so that `amg --help` is quick
    from amg.game.library import build

    if not name.endswith((".yaml", ".yml")):
        return build(name, dict(settings))
    if settings:
        raise ParameterError(f"{name}: a game file takes no parameters; edit the file instead")
    return load_game(Path(name))


def setting(text: str) -> Setting:
    """Return 'name=value' as a pair; a whole number as int, other numbers as text, to be exact."""
    name, _, value = (part.strip() for part in text.partition("="))
    if not (name and value):
        raise argparse.ArgumentTypeError(f"{quote(text)} is not of the form name=value")
    return name, whole_or_text(value)


def whole_number(text: str) -> int:
    """Return the whole number that the text spells: 1000000 or 1e6."""
    number = whole_or_text(text)
    if isinstance(number, str):
        raise argparse.ArgumentTypeError(f"{quote(text)} is not a whole number")
    return number
