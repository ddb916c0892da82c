"""`amg games`: the games with their sizes and exact reference values."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from amg.base.errors import ParameterError
from amg.base.text import columns_of_numbers, text_table
from amg.cli import Commands, add_command, add_game_settings, find_game

if TYPE_CHECKING:
    from amg.game.model import Game

COLUMNS = 4  # agents with a column of their own


def add(commands: Commands) -> None:
    """Declare the command."""
    command = add_command(commands, "games", run)
    command.add_argument("game", nargs="?", metavar="GAME|FILE.yaml", help="only this one")
    add_game_settings(command)
    command.add_argument("--json", action="store_true", help="for programs")
    command.add_argument("--yaml", action="store_true", help="write the game as a game file")


def run(options: argparse.Namespace) -> int:
    """List the games, or one of them, with sizes and exact reference values."""
    from amg.game.file import to_text
    from amg.game.library import BUILDERS

    if options.yaml:
        if not options.game:
            raise ParameterError("--yaml writes one game: name it, as in `amg games fishermen`")
        sys.stdout.write(to_text(find_game(options.game, options.with_), ""))
        return 0
    names = [options.game] if options.game else list(BUILDERS)
    entries = [_describe(find_game(name, options.with_)) for name in names]
    print(json.dumps(entries, indent=2) if options.json else "\n\n".join(map(_page, entries)))
    return 0


def _describe(game: Game) -> dict[str, Any]:
    """Return sizes and reference values of a game."""
    from amg.exact import references

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
    settings = ", ".join(f"{name}={value}" for name, value in entry["parameters"].items())
    low, high = entry["reward_range"]
    states = " → ".join(str(len(step)) for step in entry["states"])
    header = ["reference value", "average", *entry["agents"][:COLUMNS]]
    numbers = columns_of_numbers(
        [[row["average"], *row["per_agent"][:COLUMNS]] for row in entry["references"]]
    )
    labels = [row["label"] for row in entry["references"]]
    rows = [[label, *row] for label, row in zip(labels, numbers, strict=True)]
    return "\n".join(
        [
            f"{entry['name']}({settings})",
            f"  {len(entry['agents'])} agents, horizon {entry['horizon']}, states {states}, "
            f"at most {max(entry['most_actions'])} actions, rewards in [{low:g}, {high:g}]",
            *(f"  {line}" for line in text_table(header, rows)),
        ]
    )
