"""Check that tables are an aggregative Markov game; messages use the game's own names."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

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
MAX_SUMS = 1 << 18  # points of the grid that sums of efforts can take


def check(game: Game) -> None:
    """Refuse tables that are not an aggregative Markov game."""

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
    if D > MAX_SUMS:
        refuse(f"sums of efforts take {D} grid points, more than {MAX_SUMS}; use a coarser grid")
    _check_names(game, refuse)
    top = int(np.maximum(game.effort, 0).max(axis=3).sum(axis=2).max())
    if top + 1 != D or game.effort.max() >= D:  # four efforts of 2⁶² add up to 0
        refuse(f"efforts add up to at most {top} on the grid, so D must be {top + 1}, not {D}")
    problem = range_problem(*game.reward_range)
    if problem:
        refuse(f"reward range [{game.reward_range[0]}, {game.reward_range[1]}] {problem}")
    _check_aggregates(game, refuse)

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
        for index in np.argwhere(padding != 0)[:1].tolist():
            refuse(f"table {label}{index} is set although nothing can happen there; leave it empty")


def place_name(
    t: int, state: str | None = None, agent: str | None = None, action: str | None = None
) -> str:
    """Return "step 1, state 'high', agent 'fisher 1', action 'mild'" for messages."""
    names = {"state": state, "agent": agent, "action": action}
    parts = [f"{kind} {name!r}" for kind, name in names.items() if name is not None]
    return ", ".join([f"step {t + 1}", *parts])


def range_problem(low: float, high: float) -> str | None:
    """Return why [low, high] cannot be the range of a game's rewards, with the remedy."""
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        return "is not an interval; give low < high, both finite"
    largest, width = max(abs(low), abs(high)), high - low
    if largest > LARGEST_REWARD:
        return f"goes beyond {LARGEST_REWARD:g}; state rewards in a larger unit"
    if width < NARROWEST_RANGE:
        return f"is narrower than {NARROWEST_RANGE:g}; state rewards in a smaller unit"
    if width < NARROWEST_SHARE * largest:
        return (
            f"is narrower than {NARROWEST_SHARE:g} of what it is around, which rounds rewards; "
            f"subtract a constant from all of them"
        )
    return None


def _check_aggregates(game: Game, refuse: Callable[[str], None]) -> None:
    """Refuse aggregates that are too large, too small or too close for floats."""
    if game.aggregate_scale <= 0:
        refuse(f"aggregate scale {about(game.aggregate_scale)} must be > 0")
    step = game.aggregate_scale * game.unit
    largest = max(abs(game.aggregate_value(d)) for d in (0, game.D - 1))
    if largest > LARGEST_AGGREGATE or step * LARGEST_AGGREGATE < 1:
        refuse(
            f"aggregates up to {about(largest)} in steps of {about(step)} leave "
            f"1e-140 … 1e140; change the unit of efforts or the aggregator's scale"
        )
    if largest > step * MOST_UNITS:
        refuse(
            f"aggregates up to {about(largest)} in steps of {about(step)} are too far from 0 to "
            f"tell them apart; choose an origin of efforts nearer to 0"
        )


def _check_names(game: Game, refuse: Callable[[str], None]) -> None:
    """Check that agents, states and actions have distinct names on one line."""
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
    for where, kind, names in named:
        for name in names:
            if not (isinstance(name, str) and name and name.isprintable()):
                refuse(f"{where}{kind} name {name!r} must be printable text, not empty")
        if len(set(names)) != len(names):
            refuse(f"{where}{kind} names {choices(names)} are not distinct")


def _check_agent(
    game: Game, t: int, s: int, i: int, others: NDArray[np.bool_], refuse: Callable[[str], None]
) -> None:
    """Check the action set and the rewards of one agent in one state."""
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
    """Return why a row is not a distribution over its first n entries."""
    if not np.isfinite(row).all() or (row < 0).any():
        return f"has a probability that is negative or not finite: {row[:n].tolist()}"
    if row[n:].any():
        return "leads to a state that does not exist"
    if abs(math.fsum(row) - 1) > PROBABILITY_TOLERANCE:
        return f"probabilities {row[:n].tolist()} sum to {math.fsum(row)}, not 1"
    return None
