"""Read game files: the checks that need the whole file, and the tables.

---
Write game files: text that reads back to the same tables, bit for bit.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, TextIO

import numpy as np
import yaml
from numpy.typing import NDArray

from amg.base.errors import FileError, GameError
from amg.base.files import write_text
from amg.base.rational import exact
from amg.base.text import choices
from amg.game.format import EVERYONE, FORMAT, MAX_STEPS, Aggregator, Entry, GameFile, StateEntry
from amg.game.model import Game
from amg.game.tabulation import MAX_ENTRIES, tabulate
from amg.inputs.document import LARGEST, Node, load
from amg.inputs.models import validate

MAX_MENUS = 1 << 17  # steps × states × agents: each menu takes some work, however small it is


class _State:
    """One state of the file, and which sums of efforts the game has asked for.

    The game asks for exactly the sums that can happen. So the others cannot happen.
    """

    def __init__(self, node: Node, entry: StateEntry) -> None:
        self.node, self.entry = node, entry
        self.asked: dict[tuple[str, ...], set[Fraction]] = defaultdict(set)

    def menu(self, agent: str) -> dict[str, Fraction]:
        return self.entry.actions[self._key("actions", agent)]

    def pay(self, agent: str, action: str, others: Fraction) -> float:
        key = self._key("rewards", agent)
        rows = self.entry.rewards[key]
        if action not in rows:
            place = self.node.at("rewards", key)
            place.refuse(f"action {action!r} of agent {agent!r} is missing; add it")
        return self._ask("others' sum", others, rows[action], "rewards", key, action)

    def law(self, total: Fraction, states: Collection[str]) -> dict[str, float]:
        laws = self.entry.transitions
        if not laws:
            self.node.refuse("key 'transitions' is missing; only the last step goes without")
        law = self._ask("total effort", total, laws, "transitions")
        if not law.keys() <= set(states):
            spelled = list(self.node.at("transitions").plain)[list(laws).index(total)]
            _check_states(self.node.at("transitions", spelled), states)
        return law

    def finish(self) -> None:
        """Refuse entries that belong to nothing that can happen."""
        rewards = self.entry.rewards.items()
        for key, action in ((key, action) for key, rows in rewards for action in rows):
            self._finish("others' sum", "rewards", key, action)
        if self.entry.transitions:
            self._finish("total effort", "transitions")

    def _key(self, part: Literal["actions", "rewards"], agent: str) -> str:
        """Return the key of the entry for an agent: its name or `all`."""
        entries = getattr(self.entry, part)
        if agent not in entries and EVERYONE not in entries:
            place = self.node.at(part)
            place.refuse(f"agent {agent!r} is missing; add it, or '{EVERYONE}' for the rest")
        return agent if agent in entries else EVERYONE

    def _ask(
        self, what: str, total: Fraction, entries: Mapping[Fraction, Entry], *path: str
    ) -> Entry:
        self.asked[path].add(total)
        if total not in entries:
            self.node.at(*path).refuse(f"{what} {total} can happen but is missing; add it")
        return entries[total]

    def _finish(self, what: str, *path: str) -> None:
        asked, place = self.asked[path], self.node.at(*path)
        if not asked:
            place.refuse("belongs to no action that an agent has in this state; remove it")
        for key in place.plain:
            if exact(key) not in asked:
                possible = choices(map(str, sorted(asked)))
                place.at(key).refuse(f"{what} {key} cannot happen, only {possible}; remove it")


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
    _check_size(file, document.at("steps"))
    try:
        return _game(file, document)
    except GameError as error:  # the game itself does not know the file
        raise GameError(f"{document.file}: {error}") from None


def _check_size(file: GameFile, node: Node) -> None:
    """Refuse a game whose tables would be too large, before there is anything of that size."""
    steps = sum(step.repeat for step in file.steps)
    if steps > MAX_STEPS:
        node.refuse(f"makes {steps} steps; at most {MAX_STEPS} can be read")
    every = [state for step in file.steps for state in step.states.values()]
    states = max(len(step.states) for step in file.steps)
    actions = max(len(menu) for state in every for menu in state.actions.values())
    size = f"{steps} steps × {states} states × {len(file.agents)} agents"
    menus = steps * states * len(file.agents)
    if menus > MAX_MENUS:
        node.refuse(f"{size} are more than {MAX_MENUS}; make the game smaller")
    if menus * actions > MAX_ENTRIES:
        node.refuse(
            f"{size} × {actions} actions are more than {MAX_ENTRIES}; make the game smaller"
        )


def _game(file: GameFile, document: Node) -> Game:
    agents = file.agents
    steps: list[dict[str, _State]] = []
    for j, step in enumerate(file.steps):
        place = document.at("steps", j, "states")
        states = {name: _State(place.at(name), entry) for name, entry in step.states.items()}
        steps += [states] * step.repeat
    if file.steps[-1].repeat == 1:  # a repeated last step leads to itself
        for state in steps[-1].values():
            if state.entry.transitions:
                place = state.node.at("transitions")
                place.refuse("the last step leads to no other; remove it")
    _check_states(document.at("initial"), steps[0])
    aggregator = file.aggregator
    named = aggregator if isinstance(aggregator, Aggregator) else None
    game = tabulate(
        name=file.name,
        agents=agents,
        states=[tuple(step) for step in steps],
        efforts=lambda t, s, i: steps[t][s].menu(agents[i]),
        reward=lambda t, s, i, action, others: steps[t][s].pay(agents[i], action, others),
        transition=lambda t, s, total: steps[t][s].law(total, steps[t + 1]),
        initial=file.initial,
        reward_range=(file.reward_range[0], file.reward_range[1]),
        origin=file.effort_grid.origin,
        unit=file.effort_grid.unit,
        aggregator=named.name if named else str(aggregator),
        aggregate_scale=named.scale if named else None,
    )
    for state in dict.fromkeys(state for step in steps for state in step.values()):
        state.finish()
    return game


def _check_states(law: Node, states: Collection[str]) -> None:
    for state in law.plain:
        if state not in states:
            law.at(state).refuse(f"unknown state; there are {choices(states)}")


# ===== game/writing


def dump_game(game: Game, target: str | Path | TextIO, description: str = "") -> None:
    """Write a game so that `load_game` returns the same tables, bit for bit.

    Names, efforts, pay and probabilities are written. The parameters of a builder are not.

    Parameters
    ----------
    game : Game
    target : path or open text file
    description : text for people
    """
    text = to_text(game, description)
    if isinstance(target, str | Path):
        write_text(Path(target), text)
    else:
        target.write(text)


def to_text(game: Game, description: str = "") -> str:
    """Return the text of a game file."""
    text: str = yaml.dump(
        _document(game, description),
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=None,
        width=100,
    )
    return text


class _Dumper(yaml.SafeDumper):
    """Writes equal values in full each time, never as an alias."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def _document(game: Game, description: str) -> dict[str, Any]:
    """Return the content of the file; equal agents and equal steps in a row are written once."""
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
    """Return whether step t equals step t − 1, names and tables."""
    same = game.states[t] == game.states[t - 1] and game.actions[t] == game.actions[t - 1]
    tables = [game.effort, game.reward]
    if t + 1 < game.T:  # only the last step leads to no states; the others need equal names
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
    """Return a number for the file: an integer, a fraction, or a float by its shortest digits."""
    if -1e15 < number < 1e15 and number == int(number):
        return int(number)
    return str(number) if isinstance(number, Fraction) else float(number)
