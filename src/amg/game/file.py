"""Read and write game files (docs/game-files.md)."""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from amg.base.errors import FileError
from amg.base.files import write_text
from amg.base.rational import exact
from amg.base.text import choices
from amg.game.checks import GameMistake, Place
from amg.game.format import EVERYONE, FORMAT, Aggregator, GameFile
from amg.game.model import Game
from amg.game.tabulation import tabulate
from amg.inputs.document import LARGEST, Node, load
from amg.inputs.models import validate

Keys = tuple[str | int | Fraction, ...]  # from the top of a file; sums of efforts are fractions


def load_game(path: str | Path) -> Game:
    """Return the game that a file describes (docs/game-files.md).

    Parameters
    ----------
    path : str or Path
        A game file in YAML, such as ``amg games fishermen --yaml`` writes.

    Returns
    -------
    Game

    Raises
    ------
    AmgError
        What is wrong with the file, in one line with the file, the line and the path of keys.

    Examples
    --------
    >>> game = amg.load_game("config/games/example.yaml")  # doctest: +SKIP
    """
    document = load(Path(path), f"the first line should be 'format: {FORMAT}'", LARGEST)
    form = document.get("format") or document
    if form.value != FORMAT:
        form.refuse(f"not a game file of this version; it needs 'format: {FORMAT}'", FileError)
    file = validate(GameFile, document)
    entries = _Entries(file)
    names = {*file.agents, EVERYONE}
    for keys in entries.values if len(names) > len(file.agents) else ():  # no name is there twice
        if keys[4] != "transitions" and keys[5] not in names:
            _node(document, keys[:6]).refuse(f"is no agent; there are {choices(file.agents)}")
    agents, aggregator = file.agents, file.aggregator
    named = aggregator if isinstance(aggregator, Aggregator) else None
    try:
        game = tabulate(
            name=file.name,
            agents=agents,
            states=[tuple(file.steps[j].states) for j in entries.steps],
            efforts=lambda t, s, i: entries[Place("actions", t, s, agents[i])],
            reward=lambda t, s, i, a, others: entries[Place("rewards", t, s, agents[i], a, others)],
            transition=lambda t, s, total: entries[Place("transitions", t, s, total=total)],
            initial=file.initial,
            reward_range=(file.reward_range[0], file.reward_range[1]),
            origin=file.effort_grid.origin,
            unit=file.effort_grid.unit,
            aggregator=named.name if named else str(aggregator),
            aggregate_scale=named.scale if named else None,
        )
    except GameMistake as mistake:
        _node(document, entries.keys(mistake.place)).refuse(mistake.problem)
    for keys in entries.values:
        if keys not in entries.used:
            _node(document, keys).refuse("belongs to nothing that can happen here; remove it")
    return game


class _Entries:
    """The entries of a game file by their places in the game; remembers which were used.

    `tabulate` asks for all that can happen and for nothing else. So an unused entry is a mistake.
    """

    def __init__(self, file: GameFile) -> None:
        self.game = file.name
        self.steps = [j for j, step in enumerate(file.steps) for _ in range(step.repeat)]
        self.used: set[Keys] = set()
        self.values: dict[Keys, Any] = {}
        for j, step in enumerate(file.steps):
            for state, entry in step.states.items():
                above = ("steps", j, "states", state)
                for agent, menu in entry.actions.items():
                    self.values[*above, "actions", agent] = menu
                for agent, rows in entry.rewards.items():
                    self.values[*above, "rewards", agent] = rows
                    for action, row in rows.items():
                        for total, pay in row.items():
                            self.values[*above, "rewards", agent, action, total] = pay
                for total, law in entry.transitions.items():
                    self.values[*above, "transitions", total] = law

    def __getitem__(self, place: Place) -> Any:
        keys = self.keys(place)
        if keys not in self.values:
            raise GameMistake(self.game, place, "can happen but is missing; add it")
        self.used.update((keys[:6], keys))
        return self.values[keys]

    def keys(self, place: Place) -> Keys:
        """Return the keys of a place; an agent without an entry of its own has that of `all`."""
        if place.t is None:
            return (place.part,)
        above = ("steps", self.steps[place.t], "states", place.state, place.part)
        own = (*above, place.agent) in self.values or (*above, EVERYONE) not in self.values
        keys = (*above, place.agent if own else EVERYONE, place.action, place.total)
        return tuple(key for key in keys if key is not None)


def _node(document: Node, keys: Keys) -> Node:
    """Return the node below these keys; a sum is found however it was written."""
    node = document
    for key in keys:
        if isinstance(key, Fraction):
            key = next((text for text in node.plain if exact(text) == key), str(key))
        node = node.at(key)
    return node


# --- writing ---------------------------------------------------------------------------------


def dump_game(game: Game, path: str | Path) -> None:
    """Write a game so that `load_game` returns the same tables, bit for bit.

    Names, efforts, rewards and probabilities are written. The parameters of a builder are not.

    Parameters
    ----------
    game : Game
    path : str or Path
    """
    write_text(Path(path), to_text(game))


def to_text(game: Game) -> str:
    """Return the text of a game file; equal agents and equal steps in a row are written once."""
    usual = {"sum": Fraction(1), "mean": Fraction(1, game.N)}
    aggregator: Any = game.aggregator
    if usual.get(game.aggregator) != game.aggregate_scale:
        aggregator = {"name": game.aggregator, "scale": _plain(game.aggregate_scale)}
    steps: list[dict[str, Any]] = []
    for t, names in enumerate(game.states):
        if t and _repeats(game, t):
            steps[-1] = {"repeat": steps[-1].get("repeat", 1) + 1, "states": steps[-1]["states"]}
        else:
            steps.append({"states": {name: _state(game, t, s) for s, name in enumerate(names)}})
    document = {
        "format": FORMAT,
        "name": game.name,
        "agents": list(game.agents),
        "aggregator": aggregator,
        "effort_grid": {"origin": _plain(game.origin), "unit": _plain(game.unit)},
        "reward_range": [_plain(bound) for bound in game.reward_range],
        "initial": _law(game.initial, game.states[0]),
        "steps": steps,
    }
    layout = {"sort_keys": False, "allow_unicode": True, "default_flow_style": None, "width": 100}
    return str(yaml.dump(document, Dumper=_Dumper, **layout))


class _Dumper(yaml.SafeDumper):
    """Writes equal values in full each time, never as an alias."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def _repeats(game: Game, t: int) -> bool:
    """Return whether step t equals step t − 1, names and tables."""
    same = game.states[t] == game.states[t - 1] and game.actions[t] == game.actions[t - 1]
    tables = [game.effort, game.reward]
    if t + 1 < game.T:  # only the last step leads to no states; the others need equal names
        same = same and game.states[t] == game.states[t + 1]
        tables.append(game.transition)
    return same and all(np.array_equal(table[t], table[t - 1]) for table in tables)


def _state(game: Game, t: int, s: int) -> dict[str, Any]:
    """Return the entry of a state; agents with equal actions or pay share one of `all`."""
    others, totals = game.reachable[0][t, s], game.reachable[1][t, s]
    names, effort, reward = game.actions[t][s], game.effort[t, s], game.reward[t, s]
    each = {agent: i for i, agent in enumerate(game.agents)}
    same_menus = len(set(names)) == 1 and bool((effort == effort[0]).all())
    same_pay = same_menus and bool((reward == reward[0]).all())

    def menu(i: int) -> dict[str, Any]:
        efforts = (_plain(game.effort_value(n)) for n in effort[i].tolist())
        return dict(zip(names[i], efforts, strict=False))

    def rows(i: int) -> dict[str, Any]:
        sums = {
            d: _plain(game.effort_value(d, game.N - 1)) for d in np.flatnonzero(others[i]).tolist()
        }
        return {
            action: {total: _plain(reward[i, a, d]) for d, total in sums.items()}
            for a, action in enumerate(names[i])
        }

    state: dict[str, Any] = {
        "actions": {EVERYONE: menu(0)} if same_menus else {a: menu(i) for a, i in each.items()},
        "rewards": {EVERYONE: rows(0)} if same_pay else {a: rows(i) for a, i in each.items()},
    }
    if t + 1 < game.T:
        state["transitions"] = {
            _plain(game.effort_value(d, game.N)): _law(game.transition[t, s, d], game.states[t + 1])
            for d in np.flatnonzero(totals).tolist()
        }
    return state


def _law(law: NDArray[np.float64], states: Sequence[str]) -> dict[str, Any]:
    return {state: _plain(p) for state, p in zip(states, law.tolist(), strict=False) if p}


def _plain(number: float | Fraction) -> int | float | str:
    """Return a number for the file: an integer, a fraction, or a float by its shortest digits."""
    if -1e15 < number < 1e15 and number == int(number):
        return int(number)
    return str(number) if isinstance(number, Fraction) else float(number)
