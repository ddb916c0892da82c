"""Minimax, against closed forms, the whole game's strategic form, and the range of all CCE."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_games import games, matrix_game, random_game, step

from amg.exact import cce_range, minimax, zero_sum
from amg.game.library.fishermen import fishermen
from amg.game.model import Game
from amg.game.tabulation import tabulate

entries = st.integers(-5, 5)


def test_matching_pennies_twice() -> None:
    row = np.array([[1, -1], [-1, 1]])
    result = minimax(matrix_game(row, -row, 2))
    assert result is not None
    assert result == pytest.approx([0, 0], abs=1e-12)
    for strategy in zero_sum.matrix_game(row):
        assert strategy == pytest.approx([0.5, 0.5], abs=1e-12)


@given(entries, entries, entries, entries)
@settings(max_examples=60, deadline=None)
def test_two_by_two(a: int, b: int, c: int, d: int) -> None:
    """A saddle point, or (ad − bc) / (a + d − b − c)."""
    row = np.array([[a, b], [c, d]])
    low, high = row.min(axis=1).max(), row.max(axis=0).min()
    value = low if low == high else (a * d - b * c) / (a + d - b - c)
    result = minimax(matrix_game(row, 3 - row))
    assert result is not None
    assert result == pytest.approx([value, 3 - value], abs=1e-9)


def markov_policies(game: Game, i: int):
    cells = [(t, s) for t in range(game.T) for s in range(len(game.states[t]))]
    for choice in product(*(range(game.n_actions[t, s, i]) for t, s in cells)):
        yield dict(zip(cells, choice, strict=True))


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_the_whole_game_as_one_matrix(seed: int) -> None:
    """One matrix over pure Markov policies has the same value as the backward induction."""
    game = random_game(seed, 2, 2, 2, 2, opposed=True)

    def value(x: dict, y: dict, t: int, s: int) -> float:
        if t == game.T:
            return 0.0
        rewards, law = step(game, t, s, (x[t, s], y[t, s]))
        return rewards[0] + sum(p * value(x, y, t + 1, k) for k, p in law.items())

    matrix = np.array(
        [
            [
                sum(p * value(x, y, 0, s) for s, p in enumerate(game.initial) if p > 0)
                for y in markov_policies(game, 1)
            ]
            for x in markov_policies(game, 0)
        ]
    )
    x, y = zero_sum.matrix_game(matrix)
    result = minimax(game)
    assert result is not None
    assert result[0] == pytest.approx((x @ matrix).min(), abs=1e-9)
    assert result[0] == pytest.approx((matrix @ y).max(), abs=1e-9)
    assert result.sum() == pytest.approx(2, abs=1e-12)  # 1 a step


@given(games(agents=2, horizon=2, states=2, actions=2, opposed=True).filter(lambda g: g.N == 2))
@settings(max_examples=15, deadline=None)
def test_every_coarse_equilibrium_pays_the_minimax_value(game: Game) -> None:
    result, spread = minimax(game), cce_range(game, 600)
    assert result is not None
    if spread is not None:
        assert spread.low == pytest.approx(result, abs=1e-8)
        assert spread.high == pytest.approx(result, abs=1e-8)


def contest(mover: float) -> Game:
    """Matching pennies for a pot of 1 or 2; the pot's odds move by `mover` when both go high."""

    def pay(t: int, s: str, i: int, a: str, others: object) -> float:
        pot = 1 + (t == 1 and s == "large")
        return pot * float((int(a) == others) == (i == 0))  # type: ignore[operator]

    return tabulate(
        name="contest",
        agents=["even", "odd"],
        states=[["small"], ["small", "large"]],
        efforts=lambda t, s, i: {"0": 0, "1": 1},
        reward=pay,
        transition=lambda t, s, d: {
            "small": 0.5 - mover * (d == 2),
            "large": 0.5 + mover * (d == 2),
        },
        initial={"small": 1},
        reward_range=(0, 2),
    )


def test_the_sum_may_depend_on_a_state_that_nobody_moves() -> None:
    result = minimax(contest(0))
    assert result is not None
    assert result == pytest.approx([0.5 + 0.75] * 2, abs=1e-12)
    assert minimax(contest(0.25)) is None  # here the two share an interest in the larger pot


def test_not_opposed_or_not_two() -> None:
    assert minimax(fishermen()) is None
    assert minimax(fishermen(3)) is None
    assert minimax(random_game(0, 1)) is None
