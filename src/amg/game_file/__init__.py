"""Games as data: a YAML file that says what a builder would (docs/game-files.md).

game = load("config/games/fishermen.yaml")
dump(game, "copy.yaml")  # load("copy.yaml") has the same tables, bit for bit
"""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

from amg import documents
from amg.archive import write_bytes
from amg.documents import PlacedError
from amg.errors import GameError
from amg.game import Game
from amg.game_file.reading import FORMAT, Reader
from amg.game_file.writing import to_text


def load(path: str | Path) -> Game:
    """The game that the file says."""
    root = documents.load(Path(path), f"the first line should be 'format: {FORMAT}'")
    try:
        return Reader(root).game()
    except PlacedError:
        raise
    except GameError as error:  # found by the game itself, which knows of no file
        raise GameError(f"{root.file}: {error}") from None


def dump(game: Game, target: str | Path | TextIO, description: str = "") -> None:
    """Write `game` so that `load` gives back the same tables, bit for bit.

    Names, efforts, pay and probabilities are kept; a builder's parameters are not, since a file is
    the game that they made.
    """
    text = to_text(game, description)
    if isinstance(target, str | Path):
        write_bytes(Path(target), text.encode())
    else:
        target.write(text)
