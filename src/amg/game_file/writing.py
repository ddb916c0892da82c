"""From a game to text that reads back to the same tables."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from amg.errors import GameError
from amg.game import Game
from amg.game_file.reading import EVERYONE, FORMAT


def to_text(game: Game, description: str) -> str:
    """The game as a YAML document."""
    return yaml.dump(
        _document(game, description),
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=None,
        width=100,
    )


class _Dumper(yaml.SafeDumper):
    """Writes what is equal twice, rather than as an alias."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def _document(game: Game, description: str) -> dict[str, Any]:
    """The file's content; what is the same for all agents, or at successive steps, is said once."""
    if EVERYONE in game.agents:
        raise GameError(f"game {game.name!r}: a file cannot have an agent named {EVERYONE!r}")
    document: dict[str, Any] = {"format": FORMAT, "name": game.name}
    if description:
        document["description"] = description
    document["agents"] = list(game.agents)
    usual = {"sum": Fraction(1), "mean": Fraction(1, game.N)}
    document["aggregator"] = (
        game.aggregator
        if usual.get(game.aggregator) == game.aggregate_scale
        else {"name": game.aggregator, "scale": _plain(game.aggregate_scale)}
    )
    document["effort_grid"] = {"origin": _plain(game.origin), "unit": _plain(game.unit)}
    document["reward_range"] = [_plain(bound) for bound in game.reward_range]
    document["initial"] = _chances(game.initial, game.states[0])
    document["steps"] = []
    for t in range(game.T):
        if t and _repeats(game, t):
            last = document["steps"][-1]
            document["steps"][-1] = {"repeat": last.get("repeat", 1) + 1, "states": last["states"]}
        else:
            states = {name: _state(game, t, s) for s, name in enumerate(game.states[t])}
            document["steps"].append({"states": states})
    return document


def _repeats(game: Game, t: int) -> bool:
    """Whether step t is step t − 1 again, names and tables."""
    same = game.states[t] == game.states[t - 1] and game.actions[t] == game.actions[t - 1]
    tables = [game.effort, game.reward]
    if t + 1 < game.T:  # the last step leads nowhere; any other must lead to states of equal names
        same = same and game.states[t] == game.states[t + 1]
        tables.append(game.transition)
    return same and all(np.array_equal(table[t], table[t - 1]) for table in tables)


def _state(game: Game, t: int, s: int) -> dict[str, Any]:
    others, totals = game.reachable[0][t, s], game.reachable[1][t, s]
    names, effort, reward = game.actions[t][s], game.effort[t, s], game.reward[t, s]
    everyone, each = {EVERYONE: 0}, {agent: i for i, agent in enumerate(game.agents)}
    same_menus = len(set(names)) == 1 and bool((effort == effort[0]).all())
    same_pay = same_menus and bool((reward == reward[0]).all())

    def menu(i: int) -> dict[str, Any]:
        return {
            action: _plain(game.effort_value(int(effort[i, a])))
            for a, action in enumerate(names[i])
        }

    def rows(i: int) -> dict[str, Any]:
        sums = {_plain(game.effort_value(d, game.N - 1)): d for d in _where(others[i])}
        return {
            action: {total: _plain(reward[i, a, d]) for total, d in sums.items()}
            for a, action in enumerate(names[i])
        }

    state: dict[str, Any] = {
        "actions": {agent: menu(i) for agent, i in (everyone if same_menus else each).items()},
        "rewards": {agent: rows(i) for agent, i in (everyone if same_pay else each).items()},
    }
    if t + 1 < game.T:
        state["transitions"] = {
            _plain(game.effort_value(d, game.N)): _chances(
                game.transition[t, s, d], game.states[t + 1]
            )
            for d in _where(totals)
        }
    return state


def _where(mask: NDArray[np.bool_]) -> list[int]:
    return np.flatnonzero(mask).tolist()


def _chances(law: NDArray[np.float64], states: Iterable[str]) -> dict[str, Any]:
    return {state: _plain(p) for state, p in zip(states, law.tolist(), strict=False) if p}


def _plain(number: float | Fraction) -> int | float | str:
    """A number as a file has it: an integer, a fraction, or a float by its shortest digits."""
    if -1e15 < number < 1e15 and number == int(number):
        return int(number)
    return str(number) if isinstance(number, Fraction) else float(number)
