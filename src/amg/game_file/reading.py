"""From the nodes of a document to a game."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from math import fsum
from typing import Generic, TypeVar

from amg.documents import Node, listed
from amg.errors import FileError
from amg.game import Game
from amg.numbers import exact
from amg.tabulation import MAX_ENTRIES, tabulate
from amg.validation import PROBABILITY_TOLERANCE, range_problem

FORMAT = "amg-game/1"
EVERYONE = "all"  # every agent that is not named beside it
MAX_STEPS = 10_000
MAX_MENUS = 1 << 17  # steps × states × agents: each menu takes some work, however small it is

Entry = TypeVar("Entry")


class _BySum(Generic[Entry]):
    """What a mapping says for each sum of efforts, and which sums were asked for.

    The game asks for exactly the sums that can happen, so what was not asked for cannot happen.
    """

    def __init__(self, node: Node, what: str, read: Callable[[Node], Entry]) -> None:
        self.node, self.what = node, what
        self.entries: dict[Fraction, tuple[Node, Entry]] = {}
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
                possible = listed(str(other) for other in sorted(self.asked))
                child.refuse(f"{self.what} {total} cannot happen, only {possible}; remove it")


class _ByAgent(dict[str, Entry]):
    """What a mapping says for each agent, under its own name or under `all`."""

    def __init__(
        self, node: Node, agents: Mapping[str, Node], read: Callable[[Node], Entry]
    ) -> None:
        self.node = node
        for key, child in node.entries().items():
            if key not in agents and key != EVERYONE:
                child.refuse(f"unknown agent; there are {listed(agents)} and '{EVERYONE}'")
            if key == EVERYONE and len(node.entries()) > len(agents):
                child.refuse("stands for no agent, as each has an entry of its own; remove it")
            self[key] = read(child)

    def __missing__(self, agent: str) -> Entry:
        if EVERYONE not in self:
            self.node.refuse(f"agent {agent!r} is missing; add it, or '{EVERYONE}' for the rest")
        return self[EVERYONE]


class _State:
    """One state of one step."""

    def __init__(self, node: Node, reader: Reader) -> None:
        fields = node.fields(("actions", "rewards"), ("transitions",))
        self.node = node
        self.menus = _ByAgent(fields["actions"], reader.agents, reader.menu)
        self.rewards = _ByAgent(fields["rewards"], reader.agents, reader.rows)
        self.transitions: _BySum[Node] | None = None
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


class Reader:
    """A whole file: what holds at every step, then the steps, then the game."""

    def __init__(self, root: Node) -> None:
        form = root.entries().get("format", root)
        if form.value != FORMAT:
            form.refuse(
                f"not a game file that can be read here; needs 'format: {FORMAT}'", FileError
            )
        self.fields = root.fields(
            ("format", "name", "agents", "reward_range", "initial", "steps"),
            ("description", "aggregator", "effort_grid"),
        )
        self.agents: dict[str, Node] = {}
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
        problem = range_problem(self.low, self.high)
        if problem:
            self.fields["reward_range"].refuse(f"[{self.low}, {self.high}] {problem}")
        self.steps: list[dict[str, _State]] = []
        for node in self.fields["steps"].items():
            self.steps += self.step(node)

    def step(self, node: Node) -> list[dict[str, _State]]:
        """The states of one entry of `steps`, as often as it is to be repeated."""
        fields = node.fields(("states",), ("repeat",))
        repeat = fields["repeat"].count(MAX_STEPS) if "repeat" in fields else 1
        if len(self.steps) + repeat > MAX_STEPS:
            node.refuse(f"makes {len(self.steps) + repeat} steps; at most {MAX_STEPS} can be read")
        states = fields["states"].entries().items()
        return [{name: _State(child, self) for name, child in states}] * repeat

    def menu(self, node: Node) -> dict[str, Fraction]:
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

    def rows(self, node: Node) -> dict[str, _BySum[float]]:
        """{action: {others' sum: pay}}"""
        rows = node.entries().items()
        return {action: _BySum(child, "others' sum", self.pay) for action, child in rows}

    def pay(self, node: Node) -> float:
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

    def check_size(self) -> None:
        """Refuse a game whose tables could not be made, before room for them is."""
        agents, steps = len(self.agents), self.steps
        states = max(map(len, steps))
        if len(steps) * states * agents > MAX_MENUS:
            self.fields["steps"].refuse(
                f"{len(steps)} steps × {states} states × {agents} agents are more than "
                f"{MAX_MENUS}; make the game smaller"
            )
        distinct = {state: None for step in steps for state in step.values()}
        actions = max(len(menu) for state in distinct for menu in state.menus.values())
        if len(steps) * states * agents * actions > MAX_ENTRIES:
            self.fields["steps"].refuse(
                f"{len(steps)} steps × {states} states × {agents} agents × {actions} actions are "
                f"more than {MAX_ENTRIES}; make the game smaller"
            )

    def game(self) -> Game:
        self.check_size()
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


def _law(node: Node, states: Iterable[str]) -> dict[str, float]:
    """A distribution over `states`."""
    law = {}
    for state, child in node.entries().items():
        if state not in states:
            child.refuse(f"unknown state; there are {listed(states)}")
        law[state] = child.real()
        if not 0 <= law[state] <= 1:
            child.refuse(f"probability {child.shown} is not between 0 and 1")
    if abs(fsum(law.values()) - 1) > PROBABILITY_TOLERANCE:
        node.refuse(f"probabilities sum to {fsum(law.values())}, not 1; write thirds as 1/3")
    return law
