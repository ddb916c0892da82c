"""Check that tables are an aggregative Markov game; a mistake names its place in the game."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from amg.base.errors import GameError
from amg.base.text import about, choices

if TYPE_CHECKING:
    from amg.game.model import Game

PROBABILITY_TOLERANCE = 1e-12
# Limits of floats (docs/numbers.md): sums of rewards, squares of aggregates, and differences.
LARGEST_REWARD, NARROWEST_RANGE, NARROWEST_SHARE = 1e200, 1e-300, 1e-6
LARGEST_AGGREGATE, MOST_UNITS = 10**140, 10**9
MAX_MENUS = 1 << 18  # steps × states × agents: each takes some work, even if it has one action
Mistakes = Iterator[tuple["Place", str]]  # place and problem


class Place(NamedTuple):
    """A place in a game; `part` is the key of a game file that it belongs to."""

    part: str
    t: int | None = None
    state: str | None = None
    agent: str | None = None
    action: str | None = None
    total: Fraction | None = None  # sum of efforts: of the others for a reward, or of all agents

    def __str__(self) -> str:
        """Return "step 1, state 'high', agent 'fisher 1', action 'mild'" for messages."""
        if self.t is None:
            return self.part
        names = {"state": self.state, "agent": self.agent, "action": self.action}
        words = [f"{kind} {name!r}" for kind, name in names.items() if name is not None]
        if self.total is not None:
            words += [f"{'sum of others' if self.agent else 'total effort'} {self.total}"]
        return ", ".join([f"step {self.t + 1}", *words])


class GameMistake(GameError):
    """A mistake at a place of a game; for a game file, `load_game` finds the line of the place."""

    def __init__(self, game: str, place: Place, problem: str) -> None:
        super().__init__(f"game {game!r}: {place}: {problem}")
        self.place, self.problem = place, problem


def check(game: Game) -> None:
    """Refuse tables that are not an aggregative Markov game."""
    refuse(game.name, size_mistakes(game.agents, game.states))
    for mistakes in (_shapes, _names, _efforts, _reward_range, _aggregates, _rewards, _laws):
        refuse(game.name, mistakes(game))


def refuse(game: str, mistakes: Iterable[tuple[Place, str]]) -> None:
    """Raise the first mistake, if there is one."""
    for place, problem in mistakes:
        raise GameMistake(game, place, problem)


def size_mistakes(agents: Sequence[str], states: Sequence[Sequence[str]]) -> Mistakes:
    """Yield why a game is empty or too large."""
    if not (agents and states and all(states)):
        yield Place("steps"), "a game needs at least one agent, one step, one state a step"
    sizes = (len(states), max(map(len, states)), len(agents))
    if math.prod(sizes) > MAX_MENUS:
        product = "{} steps × {} states × {} agents".format(*sizes)
        yield Place("steps"), f"{product} are more than {MAX_MENUS}; make the game smaller"


def _shapes(game: Game) -> Mistakes:
    """Check the shapes of the tables against the names and each other."""
    menus = [[len(state) for state in step] for step in game.actions]
    if menus != [[game.N] * len(step) for step in game.states]:
        yield Place("actions"), "give one action set for each step, state and agent"
    T, S, N, D = game.T, game.S, game.N, game.reward.shape[-1]
    A = max(1, *(len(menu) for step in game.actions for state in step for menu in state))
    for label, shape, kind in (
        ("effort", (T, S, N, A), "int64"),
        ("reward", (T, S, N, A, D), "float64"),
        ("transition", (T, S, D, S), "float64"),
        ("initial", (S,), "float64"),
    ):
        table = getattr(game, label)
        if table.shape != shape or table.dtype != kind:
            problem = f"is {table.dtype} of shape {table.shape}, expected {kind} of shape {shape}"
            yield Place(f"table {label}"), problem


def _names(game: Game) -> Mistakes:
    """Check that agents, states and actions have distinct names on one line."""
    named = [(Place("name"), (game.name,)), (Place("agents"), game.agents)]
    for t, states in enumerate(game.states):
        named.append((game.where(t), states))
        for s, i in np.ndindex(len(states), game.N):
            named.append((game.where(t, s, i), game.actions[t][s][i]))
    for place, names in named:
        if len(set(names)) < len(names) or not all(n and n.isprintable() for n in names):
            problem = f"names {choices(map(repr, names))} must be distinct, printable and not empty"
            yield place, problem


def _efforts(game: Game) -> Mistakes:
    """Check that every action and nothing else has an effort, and that D fits the efforts."""
    sizes = np.zeros(game.effort.shape[:3], dtype=np.int64)
    for t, step in enumerate(game.actions):
        for s, state in enumerate(step):
            sizes[t, s] = [len(menu) for menu in state]
    for t, s, i in _first(game.exists[..., None] & (sizes == 0)):
        yield game.where(t, s, i), "empty action set; give at least one action"
    real = np.arange(game.effort.shape[3]) < sizes[..., None]
    for t, s, i, _ in _first(np.where(real, game.effort < 0, game.effort != -1)):
        efforts, n = game.effort[t, s, i].tolist(), sizes[t, s, i]
        yield Place(f"table effort[{t}, {s}, {i}]"), f"{n} action names but efforts {efforts}"
    largest = np.maximum(game.effort, 0).max(axis=3).astype(object)  # Python's whole numbers
    top = largest.sum(axis=2).max()
    if top + 1 != game.D:
        problem = f"adds up to at most {top}, so D must be {top + 1}, not {game.D}"
        yield Place("table effort"), problem


def _reward_range(game: Game) -> Mistakes:
    """Refuse a range that is not an interval, or too large or narrow for floats."""
    low, high = game.reward_range
    largest, width = max(abs(low), abs(high)), high - low
    if not (math.isfinite(largest) and low < high):
        problem = "is not an interval; give low < high, both finite"
    elif largest > LARGEST_REWARD:
        problem = f"goes beyond {LARGEST_REWARD:g}; state rewards in a larger unit"
    elif width < NARROWEST_RANGE:
        problem = f"is narrower than {NARROWEST_RANGE:g}; state rewards in a smaller unit"
    elif width < NARROWEST_SHARE * largest:
        share = f"{NARROWEST_SHARE:g} of what it is around, which rounds rewards"
        problem = f"is narrower than {share}; subtract a constant from all of them"
    else:
        return
    yield Place("reward_range"), f"[{low}, {high}] {problem}"


def _aggregates(game: Game) -> Mistakes:
    """Refuse aggregates that are too large, too small or too close for floats."""
    if game.aggregate_scale <= 0:
        yield Place("aggregator"), f"scale {about(game.aggregate_scale)} must be > 0"
    step = game.aggregate_scale * game.unit
    largest = max(abs(game.aggregate_value(d)) for d in (0, game.D - 1))
    sizes = f"aggregates up to {about(largest)} in steps of {about(step)}"
    if largest > LARGEST_AGGREGATE or step * LARGEST_AGGREGATE < 1:
        remedy = "change the unit of efforts or the aggregator's scale"
        yield Place("aggregator"), f"{sizes} leave 1e-140 … 1e140; {remedy}"
    if largest > step * MOST_UNITS:
        remedy = "choose an origin of efforts nearer to 0"
        yield Place("effort_grid"), f"{sizes} are too far from 0 to tell them apart; {remedy}"


def _rewards(game: Game) -> Mistakes:
    """Check that the rewards that can be paid lie in their range."""
    real = game.reachable[0][:, :, :, None] & (game.effort >= 0)[..., None]
    low, high = game.reward_range
    for t, s, i, a, d in _first(real & ~((game.reward >= low) & (game.reward <= high))):  # or NaN
        others = game.effort_value(d, game.N - 1)
        place = game.where(t, s, i, a)._replace(part="rewards", total=others)
        problem = f"reward {game.reward[t, s, i, a, d]} is outside reward_range [{low}, {high}]"
        yield place, f"{problem}; correct it or widen the range"


def _laws(game: Game) -> Mistakes:
    """Check the distribution of the first state, and of the next states."""
    yield from _law(Place("initial"), game.initial, len(game.states[0]))
    for t, states in enumerate(game.states[1:]):
        for s, d in np.argwhere(game.reachable[1][t]).tolist():
            total = game.effort_value(d, game.N)
            place = game.where(t, s)._replace(part="transitions", total=total)
            yield from _law(place, game.transition[t, s, d], len(states))


def _law(place: Place, row: NDArray[np.float64], n: int) -> Mistakes:
    """Check that a row is a distribution over its first n entries."""
    if not np.isfinite(row).all() or (row < 0).any():
        yield place, f"has a probability that is negative or not finite: {row[:n].tolist()}"
    elif row[n:].any():
        yield place, "leads to a state that does not exist"
    elif abs(math.fsum(row) - 1) > PROBABILITY_TOLERANCE:
        yield place, f"probabilities sum to {math.fsum(row)}, not 1; write thirds as 1/3"


def _first(mask: NDArray[np.bool_]) -> Iterator[list[int]]:
    """Yield the index of the first true entry, if there is one."""
    index = np.unravel_index(mask.argmax(), mask.shape)
    if mask[index]:
        yield [int(k) for k in index]
