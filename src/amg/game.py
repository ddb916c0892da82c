"""Aggregative Markov games as dense tables (the paper's Section II).

N agents, horizon T. At step t in state s agent i picks an action a_i with an *effort*; it is paid
r_i^t(s, a_i, σ(a_-i)), which depends on the others only through the sum of their efforts, and the
next state is drawn from p^t(· | s, Σ_j effort(a_j)).

Efforts lie on one grid, effort = origin + unit · e with integer e ≥ 0, so that every sum of efforts
is an exact table index: Σ_{j≠i} e_j for the others, Σ_j e_j for the total. Sizes are padded to

    S = max_t |S^t|,  A = max |A_i^t(s)|,  D = max total index + 1,

and whatever cannot happen (a padded state, an unreachable sum) holds 0.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from amg.errors import GameError

Number = int | float | Fraction | str
Efforts = Mapping[str, Number]
Read = TypeVar("Read")
PROBABILITY_TOLERANCE = 1e-12
MAX_ENTRIES = 1 << 26  # of the largest table: half a gigabyte
# Plain decimals and fractions. The bound on the exponent keeps "1e999999999" from being computed.
SPELLING = re.compile(r"[+-]?(\d+/\d+|(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?)", re.ASCII)


def exact(value: Number) -> Fraction:
    """The rational number that `value` spells: 0.1 is one tenth, "2/3" is two thirds."""
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction | str):
        raise ValueError(f"{value!r} is not a number")
    if isinstance(value, int | Fraction):
        return Fraction(value)
    text = str(value).strip()
    if not SPELLING.fullmatch(text) or re.search(r"/0+$", text):
        raise ValueError(f"{value!r} is not a finite number")
    return Fraction(text)


class Tables(NamedTuple):
    """What the jitted kernels see of a game: plain arrays, normalised rewards, cumulated laws."""

    n_states: NDArray[np.int64]  # [T]
    n_actions: NDArray[np.int64]  # [T, S, N]
    effort: NDArray[np.int64]  # [T, S, N, A] grid index
    reward: NDArray[np.float64]  # [T, S, N, A, D] in [0, 1]
    raw_reward: NDArray[np.float64]  # [T, S, N, A, D] in the game's own units
    initial_cdf: NDArray[np.float64]  # [S]
    transition_cdf: NDArray[np.float64]  # [T, S, D, S]
    aggregate: NDArray[np.float64]  # [D] the aggregate quantity d of a total index


@dataclass(frozen=True, eq=False)
class Game:
    """One aggregative Markov game; construction checks everything, the tables are read-only."""

    name: str
    agents: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]  # states[t][s]
    actions: tuple[tuple[tuple[tuple[str, ...], ...], ...], ...]  # actions[t][s][i][a]
    effort: NDArray[np.int64]  # [T, S, N, A] grid index, −1 where there is no action
    reward: NDArray[np.float64]  # [T, S, N, A, D] by the index of the others' sum
    transition: NDArray[np.float64]  # [T, S, D, S] by the index of the total; row T is 0
    initial: NDArray[np.float64]  # [S]
    reward_range: tuple[float, float]
    origin: Fraction = Fraction(0)  # effort = origin + unit · index
    unit: Fraction = Fraction(1)
    aggregator: str = "sum"  # what d is called: the total times aggregate_scale
    aggregate_scale: Fraction = Fraction(1)
    parameters: Mapping[str, object] = field(default_factory=dict)  # of the builder, if any

    def __post_init__(self) -> None:
        for array in (self.effort, self.reward, self.transition, self.initial):
            array.flags.writeable = False
        _check(self)

    # --- sizes, by the paper's names -----------------------------------------------------------

    @property
    def N(self) -> int:
        """Number of agents."""
        return len(self.agents)

    @property
    def T(self) -> int:
        """Horizon."""
        return len(self.states)

    @property
    def S(self) -> int:
        """max_t |S^t|."""
        return max(len(states) for states in self.states)

    @cached_property
    def exists(self) -> NDArray[np.bool_]:
        """Which (t, s) are states of the game, not padding, as [T, S]."""
        sizes = np.array([len(states) for states in self.states])
        return np.arange(self.S) < sizes[:, None]

    @cached_property
    def n_actions(self) -> NDArray[np.int64]:
        """|A_i^t(s)| as [T, S, N]; 0 in padded states."""
        return (self.effort >= 0).sum(axis=3)

    @cached_property
    def A(self) -> NDArray[np.int64]:
        """A_i = max_{t,s} |A_i^t(s)| as [N]."""
        return self.n_actions.max(axis=(0, 1))

    @property
    def A_max(self) -> int:
        """max_i A_i."""
        return int(self.A.max())

    @property
    def D(self) -> int:
        """Number of points a sum of efforts can take: table width."""
        return self.reward.shape[4]

    @property
    def scale(self) -> float:
        """Raw reward units per normalised unit."""
        return self.reward_range[1] - self.reward_range[0]

    # --- values of indices -----------------------------------------------------------------------

    def effort_value(self, index: int, terms: int = 1) -> Fraction:
        """The sum of `terms` efforts whose grid indices add up to `index`."""
        return self.origin * terms + self.unit * index

    def aggregate_value(self, total: int) -> Fraction:
        """The public aggregate quantity d of a total index."""
        return self.aggregate_scale * self.effort_value(total, self.N)

    def where(
        self, t: int, s: int | None = None, i: int | None = None, a: int | None = None
    ) -> str:
        """'step 1, state 'high', agent 'fisher 1', action 'mild'', for messages."""
        place = f"step {t + 1}"
        if s is not None:
            place += f", state {self.states[t][s]!r}"
        if i is not None:
            place += f", agent {self.agents[i]!r}"
        if s is not None and i is not None and a is not None:
            place += f", action {self.actions[t][s][i][a]!r}"
        return place

    # --- derived tables --------------------------------------------------------------------------

    @cached_property
    def reachable(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which sums can happen: of the others [T, S, N, D], of all [T, S, D]."""
        others = np.zeros((self.T, self.S, self.N, self.D), dtype=bool)
        total = np.zeros((self.T, self.S, self.D), dtype=bool)
        for t, states in enumerate(self.states):
            for s in range(len(states)):
                without, everyone = _reachable_sums(self.effort[t, s], self.D)
                others[t, s], total[t, s] = without, everyone
        return others, total

    @cached_property
    def tables(self) -> Tables:
        """The arrays the kernels run on."""
        low = self.reward_range[0]
        real = np.broadcast_to(self.reachable[0][:, :, :, None, :], self.reward.shape)
        real = real & (self.effort >= 0)[..., None]
        aggregate = np.array([float(self.aggregate_value(d)) for d in range(self.D)])
        return Tables(
            n_states=np.array([len(states) for states in self.states], dtype=np.int64),
            n_actions=np.ascontiguousarray(self.n_actions, dtype=np.int64),
            effort=np.maximum(self.effort, 0),
            reward=np.where(real, (self.reward - low) / self.scale, 0.0),
            raw_reward=self.reward,
            initial_cdf=_cumulate(self.initial),
            transition_cdf=_cumulate(self.transition),
            aggregate=aggregate,
        )

    def uniform_policy(self) -> NDArray[np.float64]:
        """1 / |A_i^t(s)| as [T, S, N, A], 0 where there is no action."""
        n = np.maximum(self.n_actions, 1)[..., None]
        return np.where(self.effort >= 0, 1.0 / n, 0.0)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of what the game is: its tables, not its names."""
        head = {
            "shape": self.reward.shape,
            "n_states": [len(states) for states in self.states],
            "reward_range": [float(bound).hex() for bound in self.reward_range],
            "grid": [str(self.origin), str(self.unit), str(self.aggregate_scale)],
        }
        digest = hashlib.sha256(json.dumps(head, sort_keys=True).encode())
        for table in (self.effort, self.reward, self.transition, self.initial):
            digest.update((np.ascontiguousarray(table) + 0).tobytes())  # −0 is 0
        return digest.hexdigest()


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
    """Fill the tables of a game from functions of its own names; builders and files both use it.

    `efforts(t, state, i)` gives agent i's actions and their efforts, `reward(t, state, i, action,
    others)` its pay when the others' efforts sum to `others`, `transition(t, state, total)` the
    law of the next state (not asked at the last step). Steps t and agents i count from 0. Only
    sums that can happen are asked for.
    """
    T, N, S = len(states), len(agents), max((len(step) for step in states), default=0)
    if not (agents and states and all(states)):
        raise GameError(f"game {name!r}: needs at least one agent, one step, one state a step")
    if T * S * N > MAX_ENTRIES:
        raise GameError(f"game {name!r}: {T} steps × {S} states × {N} agents is too large a game")
    grid = _Grid(name, _asked(exact, name, "origin", origin), _asked(exact, name, "unit", unit))
    menus = [[[efforts(t, s, i) for i in range(N)] for s in states[t]] for t in range(T)]
    A = max(len(menu) for step in menus for state in step for menu in state)
    effort = np.full((T, S, N, max(A, 1)), -1, dtype=np.int64)
    for t, s, i in _cells(menus):
        for a, (action, value) in enumerate(menus[t][s][i].items()):
            effort[t, s, i, a] = grid.index(value, _place(t, states[t][s], agents[i], action))

    D = int(np.maximum(effort, 0).max(axis=3).sum(axis=2).max()) + 1
    if max(effort.size, T * S * S) * D > MAX_ENTRIES:
        raise GameError(
            f"game {name!r}: sums of efforts take {D} grid points, which makes the tables too "
            f"large; use a coarser grid than unit {grid.unit}"
        )
    rewards = np.zeros((*effort.shape, D))
    transitions = np.zeros((T, S, D, S))
    other_sums = [grid.value(d, N - 1) for d in range(D)]
    for t in range(T):
        for s, state in enumerate(states[t]):
            others, totals = _reachable_sums(effort[t, s], D)
            for i in range(N):
                sums = np.flatnonzero(others[i]).tolist()
                for a, action in enumerate(menus[t][s][i]):
                    row = [reward(t, state, i, action, other_sums[d]) for d in sums]
                    place = _place(t, state, agents[i], action)
                    rewards[t, s, i, a, sums] = [_asked(_float, name, place, pay) for pay in row]
            if t + 1 == T:
                continue
            for d in np.flatnonzero(totals).tolist():
                law = transition(t, state, grid.value(d, N))
                place = f"{_place(t, state)}, total effort {grid.value(d, N)}"
                transitions[t, s, d] = _law(name, place, law, states[t + 1], S)

    if aggregate_scale is None:
        aggregate_scale = Fraction(1, N) if aggregator == "mean" else 1
    low, high = (_asked(_float, name, "reward range", bound) for bound in reward_range)
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
        aggregate_scale=_asked(exact, name, "aggregate scale", aggregate_scale),
        parameters=dict(parameters or {}),
    )


# --- small parts ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Grid:
    """The common grid of efforts."""

    game: str
    origin: Fraction
    unit: Fraction

    def __post_init__(self) -> None:
        if self.unit <= 0:
            raise GameError(f"game {self.game!r}: unit {self.unit} of the effort grid must be > 0")

    def value(self, index: int, terms: int) -> Fraction:
        return self.origin * terms + self.unit * index

    def index(self, value: Number, place: str) -> int:
        steps = (_asked(exact, self.game, f"{place}: effort", value) - self.origin) / self.unit
        if steps.denominator != 1 or steps < 0:
            raise GameError(
                f"game {self.game!r}: {place}: effort {value} is off the grid "
                f"{self.origin} + {self.unit}·n, n ≥ 0"
            )
        if steps > MAX_ENTRIES:
            raise GameError(
                f"game {self.game!r}: {place}: effort {value} is {steps} units of the grid; "
                f"use a coarser grid than unit {self.unit}"
            )
        return int(steps)


def _place(t: int, state: str, agent: str | None = None, action: str | None = None) -> str:
    """'step 1, state 'high', agent 'fisher 1', action 'mild'', for messages."""
    place = f"step {t + 1}, state {state!r}"
    return place if agent is None else f"{place}, agent {agent!r}, action {action!r}"


def _float(value: Number) -> float:
    """Numbers as floats, text such as "2/3" as the number it spells, −0 as 0."""
    try:
        return float(exact(value) if isinstance(value, str) else value) + 0.0
    except (TypeError, OverflowError):
        raise ValueError(f"{value!r} is not a finite number") from None


def _asked(read: Callable[[Number], Read], game: str, place: str, value: Number) -> Read:
    """`read(value)`, or where in the game the value is that is no number."""
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
    """A distribution over named states as a padded row."""
    row = np.zeros(S)
    for state, probability in law.items():
        if state not in states:
            raise GameError(
                f"game {game!r}: {place}: unknown state {state!r}; there are {', '.join(states)}"
            )
        row[states.index(state)] = _asked(_float, game, place, probability)
    return row


def _reachable_sums(
    effort: NDArray[np.int64], D: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Sums of efforts that can happen, of all but agent i [N, D] and of all [D].

    Sets of sums are bit masks; adding an agent ors the mask shifted by each of its efforts.
    """

    def add(mask: int, menu: NDArray[np.int64]) -> int:
        grown = 0
        for e in menu[menu >= 0].tolist():
            grown |= mask << e
        return grown

    def bits(mask: int) -> NDArray[np.bool_]:
        return np.array([mask >> d & 1 for d in range(D)], dtype=bool)

    N = len(effort)
    before, after = [1], [1]
    for i in range(N):
        before.append(add(before[-1], effort[i]))
        after.append(add(after[-1], effort[N - 1 - i]))
    without = np.zeros((N, D), dtype=bool)
    for i in range(N):
        left, right = before[i], bits(after[N - 1 - i])
        mask = 0
        for d in np.flatnonzero(right).tolist():
            mask |= left << d
        without[i] = bits(mask)
    return without, bits(before[N])


def _cumulate(law: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cumulated probabilities that reach exactly 1 at the last state with positive probability.

    A draw u in [0, 1) takes the first entry above u, so a state of probability 0 is never drawn,
    whatever the rounding of the sum.
    """
    cdf = np.cumsum(law, axis=-1)
    remaining = np.cumsum(law[..., ::-1], axis=-1)[..., ::-1] - law
    cdf[remaining <= 0] = 1.0
    return cdf


# --- validation -----------------------------------------------------------------------------------


def _check(game: Game) -> None:
    """Refuse, in the game's own names, whatever is not an aggregative Markov game."""

    def refuse(message: str) -> None:
        raise GameError(f"game {game.name!r}: {message}")

    if not (game.agents and game.states and all(game.states)):
        refuse("needs at least one agent, one step, one state a step")
    T, S, N = game.T, game.S, game.N
    A = max((len(menu) for step in game.actions for state in step for menu in state), default=0)
    A, D = max(A, 1), game.reward.shape[-1]
    for label, table, shape, kind in (
        ("effort", game.effort, (T, S, N, A), np.int64),
        ("reward", game.reward, (T, S, N, A, D), np.float64),
        ("transition", game.transition, (T, S, D, S), np.float64),
        ("initial", game.initial, (S,), np.float64),
    ):
        if table.shape != shape or table.dtype != kind:
            refuse(
                f"table {label} is {table.dtype} of shape {table.shape}, "
                f"expected {np.dtype(kind)} of shape {shape}"
            )
    _check_names(game, refuse)
    top = int(np.maximum(game.effort, 0).max(axis=3).sum(axis=2).max())
    if top + 1 != D:
        refuse(f"efforts add up to at most {top} on the grid, so D must be {top + 1}, not {D}")
    low, high = game.reward_range
    if not (math.isfinite(low) and math.isfinite(high) and low < high and high - low < math.inf):
        refuse(f"reward range [{low}, {high}] is not an interval; give low < high, both finite")
    if game.aggregate_scale <= 0:
        refuse(f"aggregate scale {game.aggregate_scale} must be > 0")

    problem = _law_problem(game.initial, len(game.states[0]))
    if problem:
        refuse(f"initial distribution: {problem}")
    others, totals = game.reachable
    for t in range(T):
        for s in range(len(game.states[t])):
            for i in range(N):
                _check_agent(game, t, s, i, others[t, s, i], refuse)
            if t + 1 == T:
                continue
            for d in np.flatnonzero(totals[t, s]).tolist():
                problem = _law_problem(game.transition[t, s, d], len(game.states[t + 1]))
                if problem:
                    total = game.effort_value(d, N)
                    refuse(f"{game.where(t, s)}, total effort {total}: transition {problem}")
    exists = np.arange(S) < np.array([[len(states)] for states in game.states])  # [T, S]
    real = others[:, :, :, None] & (game.effort >= 0)[..., None]
    leads_on = totals & (np.arange(T) + 1 < T)[:, None, None]
    for label, padding in (
        ("effort", np.where(exists[..., None, None], 0, game.effort + 1)),
        ("reward", np.where(real, 0, game.reward)),
        ("transition", np.where(leads_on[..., None], 0, game.transition)),
    ):
        for place in np.argwhere(padding != 0)[:1].tolist():
            refuse(f"table {label}{place} is set although nothing can happen there; leave it empty")


def _check_names(game: Game, refuse: Callable[[str], None]) -> None:
    """Every agent, state and action has a one-line name of its own."""
    if [[len(state) for state in step] for step in game.actions] != [
        [game.N] * len(step) for step in game.states
    ]:
        refuse("actions must hold one action set for each step, state and agent")
    named = [("", "game", (game.name,)), ("", "agent", game.agents)]
    named += [(f"step {t + 1}: ", "state", states) for t, states in enumerate(game.states)]
    named += [
        (f"{game.where(t, s, i)}: ", "action", menu)
        for t, step in enumerate(game.actions)
        for s, state in enumerate(step)
        for i, menu in enumerate(state)
    ]
    for place, kind, names in named:
        for name in names:
            if not (isinstance(name, str) and name and name.isprintable()):
                refuse(f"{place}{kind} name {name!r} must be printable text, not empty")
        if len(set(names)) != len(names):
            refuse(f"{place}{kind} names {', '.join(names)} are not distinct")


def _check_agent(
    game: Game, t: int, s: int, i: int, others: NDArray[np.bool_], refuse: Callable[[str], None]
) -> None:
    """The action set and the rewards of one agent at one state."""
    names, effort = game.actions[t][s][i], game.effort[t, s, i]
    if not names:
        refuse(f"{game.where(t, s, i)}: empty action set; give at least one action")
    if (effort[: len(names)] < 0).any() or (effort[len(names) :] >= 0).any():
        refuse(f"{game.where(t, s, i)}: {len(names)} action names but efforts {effort.tolist()}")
    low, high = game.reward_range
    for a in range(len(names)):
        rewards = game.reward[t, s, i, a]
        bad = others & ~((rewards >= low) & (rewards <= high))  # catches NaN too
        if bad.any():
            d = int(np.flatnonzero(bad)[0])
            refuse(
                f"{game.where(t, s, i, a)}, others' sum {game.effort_value(d, game.N - 1)}: "
                f"reward {rewards[d]} outside the declared range [{low}, {high}]"
            )


def _law_problem(row: NDArray[np.float64], n: int) -> str | None:
    """What keeps a row from being a distribution over its first n entries."""
    if not np.isfinite(row).all() or (row < 0).any():
        return f"has a probability that is negative or not finite: {row[:n].tolist()}"
    if row[n:].any():
        return "leads to a state that does not exist"
    if abs(math.fsum(row) - 1) > PROBABILITY_TOLERANCE:
        return f"probabilities {row[:n].tolist()} sum to {math.fsum(row)}, not 1"
    return None
