"""A controller of another game is refused before a kernel trusts its indices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from amg.base.errors import PolicyError
from amg.evaluation.controller import Controller, check_controller, from_policies
from amg.evaluation.evaluation import evaluate_controller
from amg.game.library import build
from amg.game.model import Game
from amg.game.tabulation import tabulate
from amg.learning.parameters import VLearning
from amg.learning.train import train_run
from amg.results.evaluate import controller_of

GAMES = ("fishermen", "inspection", "congestion", "demand_response", "reservoir")


def uniform(game: Game) -> Controller:
    return from_policies(game, [game.uniform_policy()] * 2)


@pytest.mark.parametrize("name", GAMES)
def test_controllers_of_a_game_are_its_own(name: str) -> None:
    game = build(name)
    check_controller(game, uniform(game))
    check_controller(game, controller_of(train_run(game, VLearning(), 200, seed=1)))


@pytest.mark.parametrize("name", GAMES)
def test_those_of_other_games_are_refused(name: str) -> None:
    game = build(name)
    others = [build(other) for other in GAMES if other != name]
    if "horizon" in game.parameters:
        others.append(build(name, {"horizon": 3 if game.T != 3 else 4}))
    for other in others:
        if other.reward.shape == game.reward.shape:
            continue  # its laws may be laws of this game, too
        with pytest.raises(PolicyError, match=f"does not fit game {name!r}; make it from") as error:
            evaluate_controller(game, uniform(other))
        assert "\n" not in str(error.value)


def test_equal_sizes_do_not_hide_other_efforts() -> None:
    """Mass on a sum that cannot happen would lead beyond the end of a table."""
    first, second = (
        tabulate(
            name="uneven",
            agents=["one", "other"],
            states=[["only"]],
            efforts=lambda t, s, i, large=large: {"less": 0, "more": 2 if i == large else 1},
            reward=lambda t, s, i, action, others: 0,
            transition=lambda t, s, total: {},
            initial={"only": 1},
            reward_range=(0, 1),
        )
        for large in (0, 1)
    )
    assert first.reward.shape == second.reward.shape
    with pytest.raises(PolicyError, match="the controller's law does not fit"):
        evaluate_controller(first, uniform(second))


def changed(array: np.ndarray, index: Any, value: float) -> np.ndarray:
    array = array.copy()
    array[index] = value
    return array


@pytest.mark.parametrize(
    ("part", "change"),
    [
        ("size", lambda a: a[:1]),
        ("size", lambda a: changed(a, (0, 0), -1)),
        ("size", lambda a: a * 0),
        ("base", lambda a: a + 1),
        ("step", lambda a: a[::-1]),
        ("state", lambda a: a * 0),
        ("start", lambda a: a[:-1]),
        ("first_row", lambda a: a[:-1]),
        ("first_row", lambda a: a + 1),
        ("first_row", lambda a: changed(a, 1, 10**9)),
        ("successor", lambda a: a[:, :1]),
        ("successor", lambda a: changed(a, (0, 1), 10**9)),
        ("successor", lambda a: changed(a, (0, 1), 0)),
        ("law", lambda a: a[..., :-1]),
        ("law", lambda a: changed(a, (0, 0, 0, -1), 0.5)),
        ("law", lambda a: changed(a, (0, 0, 0, 0), np.nan)),
        ("law", lambda a: -a),
    ],
)
def test_each_part_is_checked(part: str, change: Any) -> None:
    game = build("fishermen")
    good = uniform(game)
    wrong = good._replace(**{part: change(getattr(good, part))})
    with pytest.raises(PolicyError, match=f"the controller's {part} does not fit game 'fishermen'"):
        evaluate_controller(game, wrong)
