"""List the games, or one of them, with sizes and exact reference values."""

import argparse
import json
from typing import Any

from amg.base.errors import ParameterError
from amg.base.text import columns_of_numbers, text_table
from amg.cli import add_game, find_game
from amg.exact import references
from amg.game.file import to_text
from amg.game.library import BUILDERS
from amg.game.model import Game

COLUMNS = 4  # agents with a column of their own


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the game, and how it is printed."""
    add_game(parser, nargs="?")
    parser.add_argument("--json", action="store_true", help="for programs")
    parser.add_argument("--yaml", action="store_true", help="write the game as a game file")


def run(options: argparse.Namespace) -> int:
    """Print the games; return 0."""
    names = [options.game] if options.game else list(BUILDERS)
    if options.yaml and not options.game:
        raise ParameterError("--yaml writes one game: name it, as in `amg games fishermen`")
    games = [find_game(name, options.with_) for name in names]
    if options.yaml:
        print(to_text(games[0]), end="")
    else:
        entries = [_describe(game) for game in games]
        print(json.dumps(entries, indent=2) if options.json else "\n\n".join(map(_page, entries)))
    return 0


def _describe(game: Game) -> dict[str, Any]:
    """Return sizes and reference values of a game."""
    return {
        "name": game.name,
        "parameters": dict(game.parameters),
        "agents": list(game.agents),
        "horizon": game.T,
        "states": [list(step) for step in game.states],
        "most_actions": game.A.tolist(),
        "reward_range": list(game.reward_range),
        "digest": game.digest,
        "references": [
            {"label": row.label, "per_agent": row.per_agent.tolist(), "average": row.average}
            for row in references(game).rows
        ],
    }


def _page(entry: dict[str, Any]) -> str:
    """Return sizes and reference values as text."""
    settings = ", ".join(f"{name}={value}" for name, value in entry["parameters"].items())
    low, high = entry["reward_range"]
    states = " → ".join(str(len(step)) for step in entry["states"])
    header = ["reference value", "average", *entry["agents"][:COLUMNS]]
    rows = entry["references"]
    numbers = columns_of_numbers([[row["average"], *row["per_agent"][:COLUMNS]] for row in rows])
    cells = [[row["label"], *texts] for row, texts in zip(rows, numbers, strict=True)]
    return "\n".join(
        [
            f"{entry['name']}({settings})",
            f"  {len(entry['agents'])} agents, horizon {entry['horizon']}, states {states}, "
            f"at most {max(entry['most_actions'])} actions, rewards in [{low:g}, {high:g}]",
            *(f"  {line}" for line in text_table(header, cells)),
        ]
    )
