"""The reservoir game: pays and levels by hand, and actions that change with the season."""

from __future__ import annotations

from itertools import product

import numpy as np

from amg.game.library.reservoir import reservoir
from amg.learning.literal import fluctuation_mad

SPRING, SUMMER, AUTUMN = 0, 1, 2
FULL, LOW = 0, 1


def test_actions_change_with_the_season() -> None:
    game = reservoir()
    assert (game.N, game.T) == (2, 3)
    assert game.states == (("full",), ("full", "low"), ("full", "low"))
    seasons = [step[FULL][0] for step in game.actions]
    assert seasons == [("little", "much"), ("little", "much", "flood"), ("fallow", "sow")]
    assert game.n_actions[:, FULL].tolist() == [[2, 2], [3, 3], [2, 2]]
    assert game.effort[:, FULL, 0].tolist() == [[1, 2, -1], [1, 2, 3], [0, 2, -1]]
    assert game.initial.tolist() == [1, 0]


def test_pay_in_spring_by_hand() -> None:
    """A unit is worth 3 and costs 2; the reservoir gives 3. The other asks for 1 or 2."""
    little, much = reservoir().reward[SPRING, FULL, 0, :2, 1:3]
    assert little.tolist() == [1, 1]
    assert much.tolist() == [2, 1 / 2]  # 3 · 3/2 − 4: half of 3 units


def test_pay_in_summer_by_hand() -> None:
    """A unit is worth 4; the reservoir gives 4 or 2. The other asks for 1, 2 or 3."""
    full, low = reservoir().reward[SUMMER, :, 0, :, 1:4]
    by_hand = [[2, 2, 2], [4, 4, 32 / 5 - 4], [6, 48 / 5 - 6, 2]]
    np.testing.assert_allclose(full, by_hand, rtol=0, atol=1e-15)
    by_hand = [[2, 8 / 3 - 2, 0], [16 / 3 - 4, 0, 16 / 5 - 4], [0, 24 / 5 - 6, -2]]
    np.testing.assert_allclose(low, by_hand, rtol=0, atol=1e-15)


def test_pay_in_autumn_by_hand() -> None:
    """A unit is worth 3; in a low autumn there is water for one farm. The other asks for 0 or 2."""
    full, low = reservoir().reward[AUTUMN, :, 0, :2, [0, 2]].transpose(1, 2, 0)
    assert full.tolist() == [[0, 0], [2, 2]]
    assert low.tolist() == [[0, 0], [2, -1]]


def test_the_cost_of_a_unit() -> None:
    usual, dear = reservoir().reward, reservoir(cost="5/2").reward
    paid = (usual - dear)[SUMMER, FULL, :, :, 1:4]
    assert paid.tolist() == [[[0.5] * 3, [1] * 3, [1.5] * 3]] * 2


def test_both_farms_are_alike() -> None:
    game = reservoir()
    assert (game.reward[:, :, 0] == game.reward[:, :, 1]).all()
    assert (game.effort[:, :, 0] == game.effort[:, :, 1]).all()


def test_the_level_by_hand() -> None:
    """In spring 2 to 4 units are asked for, in summer 2 to 6."""
    game = reservoir()
    assert game.transition[SPRING, FULL, 2:5, FULL].tolist() == [7 / 8, 6 / 8, 5 / 8]
    full, low = game.transition[SUMMER, :, 2:7, FULL]
    assert full.tolist() == [6 / 8, 5 / 8, 4 / 8, 3 / 8, 2 / 8]
    assert low.tolist() == [4 / 8, 3 / 8, 2 / 8, 1 / 8, 0]


def test_what_is_best_in_the_season_alone() -> None:
    """Thrift pays where the other asks for much, or where little is left."""
    reward = reservoir().reward
    assert reward[SPRING, FULL, 0, :2, 1:3].argmax(axis=0).tolist() == [1, 0]
    assert reward[SUMMER, FULL, 0, :, 1:4].argmax(axis=0).tolist() == [2, 1, 1]
    assert reward[SUMMER, LOW, 0, :, 1:4].argmax(axis=0).tolist() == [0, 0, 0]
    assert reward[AUTUMN, LOW, 0, :2, [0, 2]].argmax(axis=1).tolist() == [1, 0]


def test_the_gauge_lets_a_first_stage_grow() -> None:
    """λ = 1 lengthens a stage of T = 3 visits; with d = L no three visits reach it."""
    game = reservoir()
    assert [float(game.aggregate_value(L)) for L in (2, 3, 4)] == [4, 6, 8]
    largest = [
        max(fluctuation_mad(D, 0.9, 1.0) for D in product(unit, repeat=3))
        for unit in ([2, 3, 4], [4, 6, 8])
    ]
    assert largest[0] < 1 == largest[1]
