"""Games as data: a YAML file that says what a builder would (docs/game-files.md).

    game = load("config/games/fishermen.yaml")
    dump(game, "copy.yaml")  # load("copy.yaml") has the same tables, bit for bit

Every scalar of a file is text, and a number only where a number is wanted: `no`, `1e3` and `1:30`
are what they look like, whatever YAML 1.1 makes of them. Tags, anchors, aliases and repeated keys
are refused. A file is read through the parser's events, so that nothing in it is ever
constructed; what is wrong with it is one line: file, line, path of keys, value, remedy.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from math import fsum
from pathlib import Path
from typing import Any, Generic, NoReturn, TextIO, TypeVar

import numpy as np
import yaml
from numpy.typing import NDArray

from amg.errors import AmgError, FileError, GameError
from amg.game import PROBABILITY_TOLERANCE, Game, exact, tabulate

FORMAT = "amg-game/1"
EVERYONE = "all"  # every agent that is not named beside it
MAX_BYTES = 16 << 20
MAX_DEPTH = 12
MAX_STEPS = 10_000

Entry = TypeVar("Entry")


def load(path: str | Path) -> Game:
    """The game that the file says."""
    name = str(path) if str(path).isprintable() else repr(str(path))
    root = _parse(_read(Path(path), name), name)
    try:
        return _Reader(root).game()
    except _PlacedError:
        raise
    except GameError as error:  # found by the game itself, which knows of no file
        raise GameError(f"{name}: {error}") from None


def dump(game: Game, target: str | Path | TextIO, description: str = "") -> None:
    """Write `game` so that `load` gives back the same tables, bit for bit.

    Names, efforts, pay and probabilities are kept; a builder's parameters are not, since a file is
    the game that they made.
    """
    text = yaml.dump(
        _document(game, description),
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=None,
        width=100,
    )
    if not isinstance(target, str | Path):
        target.write(text)
        return
    partial = Path(f"{target}.partial")  # never half a file under the final name
    try:
        partial.write_text(text, encoding="utf-8")
        os.replace(partial, target)
    except OSError as error:
        raise FileError(f"{target}: cannot be written: {error.strerror}") from None


# --- from text to nodes --------------------------------------------------------------------------


class _PlacedError(GameError):
    """A mistake whose message has the file, the line and the path of keys already."""


class _Node:
    """A text, a list or a mapping, and where in the file it stands."""

    __slots__ = ("file", "key", "line", "parent", "value")

    def __init__(self, file: str, parent: _Node | None = None, key: str | int = "") -> None:
        self.file, self.parent, self.key = file, parent, key
        self.line = 1
        self.value: str | list[_Node] | dict[str, _Node] = ""

    def child(self, key: str | int) -> _Node:
        return _Node(self.file, self, key)

    @property
    def path(self) -> str:
        """The keys from the top: steps[1].states.high.rewards."""
        if self.parent is None:
            return ""
        if isinstance(self.key, int):
            return f"{self.parent.path}[{self.key}]"
        key = self.key if re.fullmatch(r"[\w/+-]+|\?", self.key) else repr(self.key)
        return f"{self.parent.path}.{key}".lstrip(".")

    @property
    def shown(self) -> str:
        """The value, for messages."""
        if isinstance(self.value, str):
            text = repr(self.value)
            return text if len(text) <= 60 else f"{text[:57]}..."
        return f"a {'list' if isinstance(self.value, list) else 'mapping'} of {len(self.value)}"

    def refuse(self, problem: str, kind: type[AmgError] = _PlacedError) -> NoReturn:
        place = f"{self.file}:{self.line}"
        raise kind(f"{place}: {self.path}: {problem}" if self.path else f"{place}: {problem}")

    # --- the plain value, if the node is what it must be ---

    def entries(self) -> dict[str, _Node]:
        if not isinstance(self.value, dict) or not self.value:
            self.refuse(f"must be a mapping with at least one 'key: value', not {self.shown}")
        return self.value

    def fields(self, required: Iterable[str], optional: Iterable[str] = ()) -> dict[str, _Node]:
        """The entries of a mapping whose keys are fixed."""
        required = tuple(required)
        known = (*required, *optional)
        for key, child in self.entries().items():
            if key not in known:
                child.refuse(f"unknown key; there are {', '.join(known)}")
        for key in required:
            if key not in self.entries():
                self.refuse(f"key {key!r} is missing; add it")
        return self.entries()

    def items(self) -> list[_Node]:
        if not isinstance(self.value, list) or not self.value:
            self.refuse(f"must be a list with at least one item, not {self.shown}")
        return self.value

    def text(self) -> str:
        if not isinstance(self.value, str):
            self.refuse(f"must be text, not {self.shown}")
        return self.value

    def name(self) -> str:
        if not (self.text() and self.text().isprintable()):
            self.refuse(f"{self.shown} is not a name; give printable text on one line")
        return self.text()

    def number(self) -> Fraction:
        try:
            return exact(self.text())
        except ValueError:
            self.refuse(f"{self.shown} is not a number; write it like 0.25, 1e-3 or 2/3")

    def real(self) -> float:
        try:
            return float(self.number())
        except OverflowError:
            self.refuse(f"{self.shown} is too large a number")

    def count(self, most: int) -> int:
        number = self.number()
        if number.denominator != 1 or not 1 <= number <= most:
            self.refuse(f"{self.shown} is not an integer from 1 to {most}")
        return int(number)


def _read(path: Path, name: str) -> str:
    try:
        with path.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = getattr(error, "strerror", None) or error
        raise FileError(f"{name}: cannot be read: {reason}; check the path") from None
    if len(content) > MAX_BYTES:
        raise FileError(f"{name}: is larger than {MAX_BYTES >> 20} MB, the limit of game files")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FileError(f"{name}: byte {error.start} is not UTF-8; save it as UTF-8") from None


def _parse(text: str, name: str) -> _Node:
    """The nodes of the one document in `text`."""
    try:
        parser = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
        parser.get_event()  # the stream's start
        if parser.check_event(yaml.StreamEndEvent):
            raise FileError(f"{name}: is empty; the first line should be 'format: {FORMAT}'")
        parser.get_event()  # the document's start
        root = _compose(parser, _Node(name), depth=1)
        parser.get_event()  # the document's end
        if not parser.check_event(yaml.StreamEndEvent):
            raise FileError(f"{name}: holds more than one YAML document; keep only the first")
        return root
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or getattr(error, "reason", "unreadable")
        place = f"{name}:{mark.line + 1}" if mark else name
        raise FileError(f"{place}: not YAML: {' '.join(str(problem).split())}") from None


def _compose(parser: Any, node: _Node, depth: int) -> _Node:
    """Fill `node` from the parser's next events."""
    event = parser.get_event()
    node.line = event.start_mark.line + 1
    if event.anchor is not None:  # of an alias, too
        node.refuse("has an anchor or alias (& or *); write the value out", FileError)
    if event.tag is not None:
        node.refuse(f"has the tag {event.tag!r}; remove it", FileError)
    if depth > MAX_DEPTH:
        node.refuse(f"is nested more than {MAX_DEPTH} deep; see docs/game-files.md", FileError)
    if isinstance(event, yaml.ScalarEvent):
        node.value = event.value
    elif isinstance(event, yaml.SequenceStartEvent):
        items: list[_Node] = []
        while not parser.check_event(yaml.SequenceEndEvent):
            items.append(_compose(parser, node.child(len(items)), depth + 1))
        node.value = items
        parser.get_event()
    else:
        entries: dict[str, _Node] = {}
        while not parser.check_event(yaml.MappingEndEvent):
            label = _compose(parser, node.child("?"), depth + 1)
            key = label.name()
            child = _compose(parser, node.child(key), depth + 1)
            child.line = label.line
            if key in entries:
                child.refuse(f"repeats the key of line {entries[key].line}; keep one", FileError)
            entries[key] = child
        node.value = entries
        parser.get_event()
    return node


# --- from nodes to a game ------------------------------------------------------------------------


class _BySum(Generic[Entry]):
    """What a mapping says for each sum of efforts, and which sums were asked for.

    The game asks for exactly the sums that can happen, so what was not asked for cannot happen.
    """

    def __init__(self, node: _Node, what: str, read: Callable[[_Node], Entry]) -> None:
        self.node, self.what = node, what
        self.entries: dict[Fraction, tuple[_Node, Entry]] = {}
        self.asked: set[Fraction] = set()
        for key, child in node.entries().items():
            try:
                total = exact(key)
            except ValueError:
                child.refuse(f"key {key!r} is not a number; it must be the {what}")
            if total in self.entries:
                child.refuse(f"{what} {total} is there twice; keep one")
            self.entries[total] = child, read(child)

    def ask(self, total: Fraction) -> Entry:
        self.asked.add(total)
        try:
            return self.entries[total][1]
        except KeyError:
            self.node.refuse(f"{self.what} {total} can happen but is missing; add it")

    def finish(self) -> None:
        if not self.asked:
            self.node.refuse("belongs to no action that an agent has here; remove it")
        for total, (child, _) in self.entries.items():
            if total not in self.asked:
                possible = ", ".join(str(other) for other in sorted(self.asked))
                child.refuse(f"{self.what} {total} cannot happen, only {possible}; remove it")


class _ByAgent(dict[str, Entry]):
    """What a mapping says for each agent, under its own name or under `all`."""

    def __init__(
        self, node: _Node, agents: Mapping[str, _Node], read: Callable[[_Node], Entry]
    ) -> None:
        self.node = node
        for key, child in node.entries().items():
            if key not in agents and key != EVERYONE:
                child.refuse(f"unknown agent; there are {', '.join(agents)} and '{EVERYONE}'")
            if key == EVERYONE and len(node.entries()) > len(agents):
                child.refuse("stands for no agent, as each has an entry of its own; remove it")
            self[key] = read(child)

    def __missing__(self, agent: str) -> Entry:
        if EVERYONE not in self:
            self.node.refuse(f"agent {agent!r} is missing; add it, or '{EVERYONE}' for the rest")
        return self[EVERYONE]


class _State:
    """One state of one step."""

    def __init__(self, node: _Node, reader: _Reader) -> None:
        fields = node.fields(("actions", "rewards"), ("transitions",))
        self.node = node
        self.menus = _ByAgent(fields["actions"], reader.agents, reader.menu)
        self.rewards = _ByAgent(fields["rewards"], reader.agents, reader.rows)
        self.transitions: _BySum[_Node] | None = None
        if "transitions" in fields:
            self.transitions = _BySum(fields["transitions"], "total effort", lambda law: law)

    def pay(self, agent: str, action: str, others: Fraction) -> float:
        rows = self.rewards[agent]
        if action not in rows:
            place = self.rewards.node.entries()[agent if agent in self.rewards else EVERYONE]
            place.refuse(f"action {action!r} of agent {agent!r} is missing; add it")
        return rows[action].ask(others)

    def law(self, total: Fraction, states: Iterable[str]) -> dict[str, float]:
        if self.transitions is None:
            self.node.refuse("key 'transitions' is missing; only the last step goes without")
        return _law(self.transitions.ask(total), states)

    def finish(self) -> None:
        for rows in self.rewards.values():
            for row in rows.values():
                row.finish()
        if self.transitions:
            self.transitions.finish()


class _Reader:
    """A whole file: what holds at every step, then the steps, then the game."""

    def __init__(self, root: _Node) -> None:
        form = root.entries().get("format", root)
        if form.value != FORMAT:
            form.refuse(
                f"not a game file that can be read here; needs 'format: {FORMAT}'", FileError
            )
        self.fields = root.fields(
            ("format", "name", "agents", "reward_range", "initial", "steps"),
            ("description", "aggregator", "effort_grid"),
        )
        self.agents: dict[str, _Node] = {}
        for node in self.fields["agents"].items():
            if node.name() in self.agents or node.name() == EVERYONE:
                node.refuse(f"agent name {node.shown} is taken; give another")
            self.agents[node.name()] = node
        self.origin, self.unit = Fraction(0), Fraction(1)
        if "effort_grid" in self.fields:
            grid = self.fields["effort_grid"].fields(("origin", "unit"))
            self.origin, self.unit = grid["origin"].number(), grid["unit"].number()
            if self.unit <= 0:
                grid["unit"].refuse(f"{self.unit} must be above 0")
        bounds = self.fields["reward_range"].items()
        self.low, self.high = (bounds[0].real(), bounds[-1].real())
        if len(bounds) != 2 or not self.low < self.high:
            self.fields["reward_range"].refuse("must be [low, high] with low < high")
        self.steps: list[dict[str, _State]] = []
        for node in self.fields["steps"].items():
            self.steps += self.step(node)

    def step(self, node: _Node) -> list[dict[str, _State]]:
        """The states of one entry of `steps`, as often as it is to be repeated."""
        fields = node.fields(("states",), ("repeat",))
        repeat = fields["repeat"].count(MAX_STEPS) if "repeat" in fields else 1
        if len(self.steps) + repeat > MAX_STEPS:
            node.refuse(f"makes {len(self.steps) + repeat} steps; at most {MAX_STEPS} can be read")
        states = fields["states"].entries().items()
        return [{name: _State(child, self) for name, child in states}] * repeat

    def menu(self, node: _Node) -> dict[str, Fraction]:
        """{action: effort}"""
        menu = {action: child.number() for action, child in node.entries().items()}
        for action, effort in menu.items():
            index = (effort - self.origin) / self.unit
            if index.denominator != 1 or index < 0:
                node.entries()[action].refuse(
                    f"effort {effort} is off the grid {self.origin} + {self.unit}·n, n ≥ 0; "
                    "change it or effort_grid"
                )
        return menu

    def rows(self, node: _Node) -> dict[str, _BySum[float]]:
        """{action: {others' sum: pay}}"""
        rows = node.entries().items()
        return {action: _BySum(child, "others' sum", self.pay) for action, child in rows}

    def pay(self, node: _Node) -> float:
        pay = node.real()
        if not self.low <= pay <= self.high:
            node.refuse(
                f"pay {node.shown} is outside reward_range [{self.low}, {self.high}]; "
                "correct it or widen the range"
            )
        return pay

    def aggregate(self) -> tuple[str, Fraction | None]:
        """The aggregator's name, and its scale unless the name says it."""
        node = self.fields.get("aggregator")
        if node is None:
            return "sum", None
        if isinstance(node.value, dict):
            fields = node.fields(("name", "scale"))
            if fields["scale"].number() <= 0:
                fields["scale"].refuse(f"{fields['scale'].shown} must be above 0")
            return fields["name"].name(), fields["scale"].number()
        if node.value not in ("sum", "mean"):
            node.refuse(f"{node.shown} is unknown; use sum, mean or {{name: …, scale: …}}")
        return node.text(), None

    def game(self) -> Game:
        agents, steps = tuple(self.agents), self.steps
        if steps[-1:] != steps[-2:-1]:  # where it repeats the step before, it may lead on
            for state in steps[-1].values():
                if state.transitions:
                    state.transitions.node.refuse("the last step leads to no other; remove it")
        aggregator, scale = self.aggregate()
        game = tabulate(
            name=self.fields["name"].name(),
            agents=agents,
            states=[tuple(step) for step in steps],
            efforts=lambda t, s, i: steps[t][s].menus[agents[i]],
            reward=lambda t, s, i, action, others: steps[t][s].pay(agents[i], action, others),
            transition=lambda t, s, total: steps[t][s].law(total, steps[t + 1]),
            initial=_law(self.fields["initial"], steps[0]),
            reward_range=(self.low, self.high),
            origin=self.origin,
            unit=self.unit,
            aggregator=aggregator,
            aggregate_scale=scale,
        )
        for state in {state: None for step in steps for state in step.values()}:
            state.finish()
        return game


def _law(node: _Node, states: Iterable[str]) -> dict[str, float]:
    """A distribution over `states`."""
    law = {}
    for state, child in node.entries().items():
        if state not in states:
            child.refuse(f"unknown state; there are {', '.join(states)}")
        law[state] = child.real()
        if not 0 <= law[state] <= 1:
            child.refuse(f"probability {child.shown} is not between 0 and 1")
    if abs(fsum(law.values()) - 1) > PROBABILITY_TOLERANCE:
        node.refuse(f"probabilities sum to {fsum(law.values())}, not 1; write thirds as 1/3")
    return law


# --- from a game to text -------------------------------------------------------------------------


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
