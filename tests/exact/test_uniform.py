"""Uniform play, against enumeration of joint actions and the binomial law."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given, settings
from reference_games import games, joint_actions, step

from amg.exact import uniform_play
from amg.game.library.fishermen import fishermen
from amg.game.model import Game


def test_fishermen() -> None:
    assert uniform_play(fishermen()) == pytest.approx([19 + 19 / 30] * 2, abs=1e-12)


def test_a_hundred_fishermen_meet_a_binomial_crowd() -> None:
    def pay(own: int, others: int) -> Fraction:
        a = Fraction(own + others, 50)
        return Fraction(-own * own + 23 * own, 2) + 1 - (a * a / 4 - a / 2 + 16)

    expected = sum(
        Fraction(comb(99, mild), 2**99) * (pay(3, 495 - 2 * mild) + pay(5, 495 - 2 * mild)) / 2
        for mild in range(100)
    )
    assert uniform_play(fishermen(100, 1)) == pytest.approx([float(expected)] * 100, abs=1e-11)


@given(games(agents=3, horizon=3, states=2, actions=3))
@settings(max_examples=40, deadline=None)
def test_enumeration(game: Game) -> None:
    def value(t: int, s: int, i: int) -> float:
        if t == game.T:
            return 0.0
        outcomes = [step(game, t, s, joint) for joint in joint_actions(game, t, s)]
        return sum(
            rewards[i] + sum(p * value(t + 1, following, i) for following, p in law.items())
            for rewards, law in outcomes
        ) / len(outcomes)

    expected = [
        sum(p * value(0, s, i) for s, p in enumerate(game.initial.tolist()) if p > 0)
        for i in range(game.N)
    ]
    assert uniform_play(game) == pytest.approx(expected, abs=1e-12)
