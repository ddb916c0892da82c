"""What builders of games need: tables made from functions of names, and checks of parameters."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from amg.base.errors import ParameterError
from amg.base.rational import Number, exact
from amg.base.text import about, choices
from amg.game.checks import GameMistake, Place, refuse, size_mistakes
from amg.game.model import Game, reachable_sums

MAX_ENTRIES = 1 << 26  # of the largest table: half a gigabyte
MAX_SUMS = 1 << 18  # points of the grid that sums of efforts can take
MOST = 1000  # agents or steps of a builder: a typing error should not fill the memory


def tabulate(
    *,
    name: str,
    agents: Sequence[str],
    states: Sequence[Sequence[str]],
    efforts: Callable[[int, str, int], Mapping[str, Number]],
    reward: Callable[[int, str, int, str, Fraction], Number],
    transition: Callable[[int, str, Fraction], Mapping[str, Number]],
    initial: Mapping[str, Number],
    reward_range: tuple[Number, Number] | None = None,
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
    name, agents, states
        Names of the game, of its agents, and of the states of each step.
    efforts
        ``efforts(t, state, i)`` returns the actions of agent i with their efforts.
    reward
        ``reward(t, state, i, action, others)`` returns the pay of agent i when the efforts of the
        others sum to `others`.
    transition
        ``transition(t, state, total)`` returns the law of the next state. It is not called at the
        last step.
    initial
        The law of the first state.
    reward_range
        An interval that holds all rewards; by default from the least to the largest.
    origin, unit
        Efforts are origin + unit · n with n = 0, 1, 2, …
    aggregator, aggregate_scale
        Name of the public aggregate; it is the total times the scale.
    parameters
        Parameters of the builder, if there is one.
    """
    refuse(name, size_mistakes(agents, states))
    T, N, S = len(states), len(agents), max(map(len, states))
    origin, unit = exact(origin), exact(unit)
    menus = [[[efforts(t, s, i) for i in range(N)] for s in states[t]] for t in range(T)]
    effort = _effort_table(name, agents, states, menus, origin, unit)
    D = int(np.maximum(effort, 0).max(axis=3).sum(axis=2).max()) + 1
    if D > MAX_SUMS or max(effort.size, T * S * S) * D > MAX_ENTRIES:
        problem = f"sums of efforts take {D} grid points, which makes the tables too large"
        remedy = f"use a coarser grid than unit {unit}, or smaller efforts"
        raise GameMistake(name, Place("effort_grid"), f"{problem}; {remedy}")
    rewards = np.zeros((*effort.shape, D))
    transitions = np.zeros((T, S, D, S))
    other_sums = [origin * (N - 1) + unit * d for d in range(D)]
    low, high = math.inf, -math.inf
    for t in range(T):
        for s, state in enumerate(states[t]):
            others, totals = reachable_sums(effort[t, s], D)
            for i in range(N):
                sums = np.flatnonzero(others[i]).tolist()
                for a, action in enumerate(menus[t][s][i]):
                    row = [_float(reward(t, state, i, action, other_sums[d])) for d in sums]
                    rewards[t, s, i, a, sums] = row
                    low, high = min([low, *row]), max([high, *row])
            for d in np.flatnonzero(totals).tolist() if t + 1 < T else []:
                total = origin * N + unit * d
                place = Place("transitions", t, state, total=total)
                law = transition(t, state, total)
                transitions[t, s, d] = _law(name, place, law, states[t + 1], S)

    low, high = map(_float, reward_range or (low, high))
    if aggregate_scale is None:
        aggregate_scale = Fraction(1, N) if aggregator == "mean" else 1
    return Game(
        name=name,
        agents=tuple(agents),
        states=tuple(tuple(step) for step in states),
        actions=tuple(tuple(tuple(tuple(m) for m in state) for state in step) for step in menus),
        effort=effort,
        reward=rewards,
        transition=transitions,
        initial=_law(name, Place("initial"), initial, states[0], S),
        reward_range=(low, high),
        origin=origin,
        unit=unit,
        aggregator=aggregator,
        aggregate_scale=exact(aggregate_scale),
        parameters=dict(parameters or {}),
    )


def _effort_table(
    game: str,
    agents: Sequence[str],
    states: Sequence[Sequence[str]],
    menus: list[list[list[Mapping[str, Number]]]],
    origin: Fraction,
    unit: Fraction,
) -> NDArray[np.int64]:
    """Return n of each effort = origin + unit · n as [T, S, N, A]; −1 where there is no action."""
    A = max(1, *(len(menu) for step in menus for state in step for menu in state))
    shape = (len(states), max(map(len, states)), len(agents), A)
    if math.prod(shape) > MAX_ENTRIES:
        product = "{} steps × {} states × {} agents × {} actions".format(*shape)
        problem = f"{product} are more than {MAX_ENTRIES}; make the game smaller"
        raise GameMistake(game, Place("steps"), problem)
    table = np.full(shape, -1, dtype=np.int64)
    for t, s, i in np.ndindex(*shape[:3]):
        for a, (action, value) in enumerate(menus[t][s][i].items() if s < len(menus[t]) else []):
            n = (exact(value) - origin) / unit
            place = Place("actions", t, states[t][s], agents[i], action)
            if n.denominator != 1 or n < 0:
                problem = f"effort {value} is off the grid {origin} + {unit}·n, n ≥ 0"
                raise GameMistake(game, place, f"{problem}; change it or effort_grid")
            if n > MAX_SUMS:
                problem = f"effort {about(exact(value))} is {about(n)} units of the grid"
                raise GameMistake(game, place, f"{problem}; use a coarser grid than unit {unit}")
            table[t, s, i, a] = n
    return table


def _law(
    game: str, place: Place, law: Mapping[str, Number], states: Sequence[str], S: int
) -> NDArray[np.float64]:
    """Return a distribution over named states as a padded row."""
    row = np.zeros(S)
    for state, probability in law.items():
        if state not in states:
            problem = f"unknown state {state!r}; there are {choices(states)}"
            raise GameMistake(game, place, problem)
        row[states.index(state)] = _float(probability)
    return row


def _float(value: Number) -> float:
    """Return a number as a float: text such as "2/3" as the number it spells, −0 as 0."""
    return float(exact(value) if isinstance(value, str) else value) + 0.0


# --- parameters of builders ------------------------------------------------------------------


def whole(game: str, name: str, value: int, least: int) -> int:
    """Return `value` if it is an integer from `least` to 1000."""
    is_integer = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not (is_integer and least <= value <= MOST):
        raise ParameterError(
            f"{game}: {name} must be an integer from {least} to {MOST}, not {value!r}"
        )
    return int(value)


def one_of(game: str, name: str, value: str, words: Iterable[str]) -> str:
    """Return `value` if it is one of these words."""
    if value not in list(words):
        raise ParameterError(f"{game}: {name} must be one of {choices(words)}, not {value!r}")
    return value


def between(game: str, name: str, value: Number, low: int, high: int) -> Fraction:
    """Return the number that `value` spells if it lies strictly between `low` and `high`."""
    try:
        number = exact(value)
    except ValueError:
        number = Fraction(low)  # refused below
    if not low < number < high:
        raise ParameterError(
            f"{game}: {name} must be a number above {low} and below {high}, such as "
            f'0.5 or "2/3", not {value!r}'
        )
    return number
