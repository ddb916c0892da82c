"""Make the tables of a game from functions of its own names.

---
Checks of builders' parameters: the value, or one line that says what it must be.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from amg.base.errors import GameError, ParameterError
from amg.base.rational import Number, exact
from amg.base.text import about, choices
from amg.game.checks import MAX_SUMS, place_name
from amg.game.model import Game, reachable_sums

Efforts = Mapping[str, Number]
Value = TypeVar("Value")
MAX_ENTRIES = 1 << 26  # of the largest table: half a gigabyte


def tabulate(
    *,
    name: str,
    agents: Sequence[str],
    states: Sequence[Sequence[str]],
    efforts: Callable[[int, str, int], Efforts],
    reward: Callable[[int, str, int, str, Fraction], Number],
    transition: Callable[[int, str, Fraction], Mapping[str, Number]],
    initial: Mapping[str, Number],
    reward_range: tuple[Number, Number],
    origin: Number = 0,
    unit: Number = 1,
    aggregator: str = "sum",
    aggregate_scale: Number | None = None,
    parameters: Mapping[str, object] | None = None,
) -> Game:
    """Return the game whose tables these functions fill. Builders and game files both use it.

    Steps t and agents i count from 0. The functions are called only for sums that can happen.

    Parameters
    ----------
    name, agents, states : names of the game, of its agents, and of the states of each step
    efforts : efforts(t, state, i) returns the actions of agent i with their efforts
    reward : reward(t, state, i, action, others) returns the pay of agent i when the efforts of the
        others sum to `others`
    transition : transition(t, state, total) returns the law of the next state; not called at the
        last step
    initial : the law of the first state
    reward_range : the least and the largest reward that can be paid
    origin, unit : efforts are origin + unit · n with n = 0, 1, 2, …
    aggregator, aggregate_scale : name of the public aggregate; it is the total times the scale
    parameters : of the builder, if there is one
    """
    T, N, S = len(states), len(agents), max((len(step) for step in states), default=0)
    if not (agents and states and all(states)):
        raise GameError(f"game {name!r}: needs at least one agent, one step, one state a step")
    if T * S * N > MAX_ENTRIES:
        raise GameError(f"game {name!r}: {T} steps × {S} states × {N} agents is too large a game")
    grid = _Grid(name, _read(exact, name, "origin", origin), _read(exact, name, "unit", unit))
    menus = [[[efforts(t, s, i) for i in range(N)] for s in states[t]] for t in range(T)]
    A = max(len(menu) for step in menus for state in step for menu in state)
    effort = np.full((T, S, N, max(A, 1)), -1, dtype=np.int64)
    for t, s, i in _cells(menus):
        for a, (action, value) in enumerate(menus[t][s][i].items()):
            effort[t, s, i, a] = grid.index(value, place_name(t, states[t][s], agents[i], action))

    D = int(np.maximum(effort, 0).max(axis=3).sum(axis=2).max()) + 1
    if D > MAX_SUMS or max(effort.size, T * S * S) * D > MAX_ENTRIES:
        t, s, i, a = map(int, np.unravel_index(effort.argmax(), effort.shape))
        place = place_name(t, states[t][s], agents[i], list(menus[t][s][i])[a])
        raise GameError(
            f"game {name!r}: sums of efforts take {D} grid points, which makes the tables too "
            f"large; use a coarser grid than unit {grid.unit}, or less than the largest effort, "
            f"{about(grid.value(int(effort.max()), 1))} ({place})"
        )
    rewards = np.zeros((*effort.shape, D))
    transitions = np.zeros((T, S, D, S))
    other_sums = [grid.value(d, N - 1) for d in range(D)]
    for t in range(T):
        for s, state in enumerate(states[t]):
            others, totals = reachable_sums(effort[t, s], D)
            for i in range(N):
                sums = np.flatnonzero(others[i]).tolist()
                for a, action in enumerate(menus[t][s][i]):
                    row = [reward(t, state, i, action, other_sums[d]) for d in sums]
                    place = place_name(t, state, agents[i], action)
                    rewards[t, s, i, a, sums] = [_read(_float, name, place, pay) for pay in row]
            if t + 1 == T:
                continue
            for d in np.flatnonzero(totals).tolist():
                law = transition(t, state, grid.value(d, N))
                place = f"{place_name(t, state)}, total effort {grid.value(d, N)}"
                transitions[t, s, d] = _law(name, place, law, states[t + 1], S)

    if aggregate_scale is None:
        aggregate_scale = Fraction(1, N) if aggregator == "mean" else 1
    low, high = (_read(_float, name, "reward range", bound) for bound in reward_range)
    return Game(
        name=name,
        agents=tuple(agents),
        states=tuple(tuple(step) for step in states),
        actions=tuple(tuple(tuple(tuple(m) for m in state) for state in step) for step in menus),
        effort=effort,
        reward=rewards,
        transition=transitions,
        initial=_law(name, "initial distribution", initial, states[0], S),
        reward_range=(low, high),
        origin=grid.origin,
        unit=grid.unit,
        aggregator=aggregator,
        aggregate_scale=_read(exact, name, "aggregate scale", aggregate_scale),
        parameters=dict(parameters or {}),
    )


@dataclass(frozen=True)
class _Grid:
    """The grid on which all efforts lie."""

    game: str
    origin: Fraction
    unit: Fraction

    def __post_init__(self) -> None:
        if self.unit <= 0:
            raise GameError(f"game {self.game!r}: unit {self.unit} of the effort grid must be > 0")

    def value(self, index: int, terms: int) -> Fraction:
        return self.origin * terms + self.unit * index

    def index(self, value: Number, place: str) -> int:
        steps = (_read(exact, self.game, f"{place}: effort", value) - self.origin) / self.unit
        if steps.denominator != 1 or steps < 0:
            raise GameError(
                f"game {self.game!r}: {place}: effort {value} is off the grid "
                f"{self.origin} + {self.unit}·n, n ≥ 0"
            )
        if steps > MAX_ENTRIES:
            raise GameError(
                f"game {self.game!r}: {place}: effort {about(exact(value))} is {about(steps)} "
                f"units of the grid; use a coarser grid than unit {self.unit}"
            )
        return int(steps)


def _float(value: Number) -> float:
    """Return a number as a float: text such as "2/3" as the number it spells, −0 as 0."""
    try:
        return float(exact(value) if isinstance(value, str) else value) + 0.0
    except (TypeError, OverflowError):
        raise ValueError(f"{value!r} is not a finite number") from None


def _read(read: Callable[[Number], Value], game: str, place: str, value: Number) -> Value:
    """Return `read(value)`, or name the place in the game where the value is not a number."""
    try:
        return read(value)
    except ValueError as error:
        raise GameError(f"game {game!r}: {place}: {error}") from None


def _cells(menus: list[list[list[Efforts]]]) -> list[tuple[int, int, int]]:
    return [
        (t, s, i)
        for t, step in enumerate(menus)
        for s, state in enumerate(step)
        for i in range(len(state))
    ]


def _law(
    game: str, place: str, law: Mapping[str, Number], states: Sequence[str], S: int
) -> NDArray[np.float64]:
    """Return a distribution over named states as a padded row."""
    row = np.zeros(S)
    for state, probability in law.items():
        if state not in states:
            raise GameError(
                f"game {game!r}: {place}: unknown state {state!r}; there are {choices(states)}"
            )
        row[states.index(state)] = _read(_float, game, place, probability)
    return row


# ===== game/library/arguments

MOST = 1000  # agents or steps; a typing error of a few digits should not fill the memory


def whole(game: str, name: str, value: int, least: int) -> int:
    """`value` if it is an integer of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= MOST:
        raise ParameterError(
            f"{game}: {name} must be an integer from {least} to {MOST}, not {value!r}"
        )
    return value


def between(game: str, name: str, value: Number, low: int, high: int) -> Fraction:
    """The number that `value` spells if it lies strictly between `low` and `high`."""
    try:
        number = exact(value)
    except ValueError:
        number = None
    if number is None or not low < number < high:
        raise ParameterError(
            f"{game}: {name} must be a number above {low} and below {high}, such as "
            f'0.5 or "2/3", not {value!r}'
        )
    return number
