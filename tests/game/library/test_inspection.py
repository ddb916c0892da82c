"""The inspection game: opposed interests, and mixed equilibria at every step."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest

from amg.game.library.inspection import inspection
from amg.game.model import Game

Matrix = list[list[Fraction]]
Solution = tuple[Fraction, Fraction, Fraction]


def fraction(value: float) -> Fraction:
    """The tables' doubles are decimals of one digit."""
    return Fraction(value).limit_denominator(10)


def solve(m: Matrix) -> Solution:
    """P(row 0), P(column 0) and value of a 2×2 zero-sum game whose equilibrium is fully mixed."""
    (a, b), (c, d) = m
    assert a > c, "rest is the answer to comply"
    assert d > b, "inspect is the answer to violate"
    assert b < a, "violate is the answer to rest"
    assert c < d, "comply is the answer to inspect"
    size = a - b - c + d
    return (d - c) / size, (d - b) / size, (a * d - b * c) / size


def backward(game: Game) -> list[list[Solution]]:
    """The equilibrium of every step and state, from the game's tables."""
    solutions: list[list[Solution]] = []
    following = [Fraction(0), Fraction(0)]
    for t in reversed(range(game.T)):
        step = []
        for s in range(2):
            stage = [
                [
                    fraction(game.reward[t, s, 0, row, column])
                    + sum(
                        fraction(game.transition[t, s, row + column, n]) * following[n]
                        for n in range(2)
                    )
                    for column in range(2)
                ]
                for row in range(2)
            ]
            step.append(solve(stage))
        solutions.insert(0, step)
        following = [value for _, _, value in step]
    return solutions


def test_what_one_gains_the_other_loses() -> None:
    game = inspection()
    for t in range(game.T):
        for s in range(2):
            for row in range(2):
                for column in range(2):
                    pay = game.reward[t, s, 0, row, column] + game.reward[t, s, 1, column, row]
                    assert pay == 5


def test_the_last_step_by_hand() -> None:
    third = Fraction(1, 3)
    routine, alert = backward(inspection())[-1]
    assert routine == (2 * third, third, 11 * third)
    assert alert == (third, 2 * third, 8 * third)


@pytest.mark.parametrize("horizon", [1, 2, 3, 8])
def test_equilibria_are_mixed_and_differ_between_the_states(horizon: int) -> None:
    for routine, alert in backward(inspection(horizon)):
        for p in (*routine[:2], *alert[:2]):
            assert Fraction(1, 4) < p < Fraction(3, 4)
        assert abs(routine[0] - alert[0]) > Fraction(1, 10)
        assert abs(routine[1] - alert[1]) > Fraction(1, 10)


def test_equilibria_differ_between_the_steps() -> None:
    for earlier, later in pairwise(backward(inspection(3))):
        assert earlier[0][:2] != later[0][:2]
        assert earlier[1][:2] != later[1][:2]


def test_transitions_depend_on_the_total_effort() -> None:
    game = inspection()
    for s in range(2):
        alert = game.transition[0, s, :, 1].tolist()
        assert alert == sorted(set(alert))
        assert len(alert) == 3
