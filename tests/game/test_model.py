"""The model: tables, sums that can happen, and every refusal in the game's own names."""

from __future__ import annotations

import time
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amg.base.errors import GameError
from amg.game.model import Game, reachable_sums
from amg.game.tabulation import tabulate

ANN, BOB = 0, 1
MENUS = {"up": ({"lo": 1, "hi": 3}, {"lo": 1}), "down": ({"lo": 1}, {"lo": 1, "mid": 2, "hi": 3})}


def small(**changes: Any) -> Game:
    """Ann and Bob, two steps; Ann has the choice in `up`, Bob in `down`; step 2 only has `up`."""
    arguments: dict[str, Any] = {
        "name": "small",
        "agents": ("ann", "bob"),
        "states": (("up", "down"), ("up",)),
        "efforts": lambda t, state, i: MENUS[state][i],
        "reward": lambda t, state, i, action, others: others - i,
        "transition": lambda t, state, total: {"up": 1},
        "initial": {"up": "1/4", "down": "3/4"},
        "reward_range": (0, 3),
        "origin": 1,
    }
    return tabulate(**arguments | changes)


def edited(table: str, place: tuple[int, ...], value: float) -> Any:
    """A copy of a table of the small game with one entry changed."""
    copy = getattr(small(), table).copy()
    copy[place] = value
    return copy


# --- tables --------------------------------------------------------------------------------------


def test_tables_hold_what_was_said() -> None:
    game = small()
    assert (game.N, game.T, game.S, game.D, game.A_max) == (2, 2, 2, 3, 3)
    assert game.A.tolist() == [2, 3]
    assert game.n_actions.tolist() == [[[2, 1], [1, 3]], [[2, 1], [0, 0]]]
    assert game.effort[0, 0].tolist() == [[0, 2, -1], [0, -1, -1]]
    assert game.effort[1, 1].tolist() == [[-1] * 3] * 2
    # in `down` Bob's sums are Ann's 1, Ann's are Bob's 1, 2, 3; everything else is padding
    assert game.reward[0, 1, ANN].tolist() == [[1, 2, 3], [0] * 3, [0] * 3]
    assert game.reward[0, 0, BOB].tolist() == [[0, 0, 2], [0] * 3, [0] * 3]
    assert game.transition[0, :, :, 0].tolist() == [[1, 0, 1], [1, 1, 1]]
    assert not game.transition[1].any()
    assert game.initial.tolist() == [0.25, 0.75]


def test_values_of_indices() -> None:
    game = small(unit="1/2", aggregator="mean")
    assert game.effort_value(2) == 2
    assert game.effort_value(3, terms=2) == Fraction(7, 2)
    assert game.aggregate_value(3) == Fraction(7, 4)
    assert small().aggregate_value(3) == 5
    assert small(aggregator="thrice", aggregate_scale=3).aggregate_value(3) == 15
    assert str(small().where(0, 1, BOB, 2)) == "step 1, state 'down', agent 'bob', action 'hi'"


def test_tables_cannot_be_written() -> None:
    game = small()
    for table in (game.effort, game.reward, game.transition, game.initial):
        with pytest.raises(ValueError, match="read-only"):
            table[...] = 0


def test_kernels_see_rewards_in_the_unit_interval() -> None:
    game = small(reward_range=(-1, 7))
    tables = game.tables
    real = game.reachable[0][:, :, :, None] & (game.effort >= 0)[..., None]
    np.testing.assert_allclose(tables.reward[real], (game.reward[real] + 1) / 8, rtol=1e-15)
    assert not tables.reward[~real].any()
    assert tables.aggregate.tolist() == [2, 3, 4]


def test_digest_is_of_the_tables_not_of_the_names() -> None:
    digest = small().digest
    assert digest == small(name="other", agents=("carl", "dora")).digest
    assert digest == replace(small(), reward=small().reward * 1.0 - 0.0).digest
    assert (
        digest
        == replace(small(), reward=np.where(small().reward == 0, -0.0, small().reward)).digest
    )
    others = [
        small(reward_range=(0, 4)),
        small(unit="1/2"),
        small(aggregator="mean"),
        small(initial={"up": 1}),
        small(reward=lambda t, state, i, action, others: 1),
        small(states=(("up", "down"), ("up", "down"))),
        small(
            transition=lambda t, s, total: {"up": 1 / 2, "down": 0.5}, states=(("up", "down"),) * 2
        ),
    ]
    assert len({digest, *(game.digest for game in others)}) == len(others) + 1


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.lists(st.integers(0, 5), min_size=1, max_size=3, unique=True), min_size=1, max_size=4
    )
)
def test_reachable_sums_are_those_of_all_profiles(menus: list[list[int]]) -> None:
    game = tabulate(
        name="sums",
        agents=[f"agent {i}" for i in range(len(menus))],
        states=[("s",)],
        efforts=lambda t, state, i: {f"a{e}": e for e in menus[i]},
        reward=lambda t, state, i, action, others: others,
        transition=lambda t, state, total: {},
        initial={"s": 1},
        reward_range=(0, 20),
    )
    others, totals = game.reachable
    profiles = list(product(*menus))
    assert set(np.flatnonzero(totals[0, 0])) == {sum(profile) for profile in profiles}
    for i in range(len(menus)):
        sums = {sum(profile) - profile[i] for profile in profiles}
        assert set(np.flatnonzero(others[0, 0, i])) == sums


def test_many_different_sums_take_little_time() -> None:
    """Efforts that are powers of two make every sum a different one, a quarter of a million."""
    effort = np.array([[0, 1 << i] for i in range(18)])
    begun = time.process_time()
    without, everyone = reachable_sums(effort, 1 << 18)
    assert time.process_time() - begun < 5.0
    assert everyone.all()
    sums = np.arange(1 << 18)
    for i in range(18):
        assert (without[i] == (sums >> i & 1 == 0)).all()


def test_only_sums_that_can_happen_are_asked_for() -> None:
    asked = set()

    def reward(t: int, state: str, i: int, action: str, others: Fraction) -> int:
        asked.add((state, i, others))
        return 0

    small(reward=reward)
    up, down = ("up", ANN, 1), ("down", BOB, 1)
    assert asked == {up, down, ("up", BOB, 1), ("up", BOB, 3)} | {
        ("down", ANN, d) for d in (1, 2, 3)
    }


@given(st.lists(st.integers(0, 9), min_size=1, max_size=8).filter(any))
def test_draws_never_take_a_state_of_probability_zero(weights: list[int]) -> None:
    """Cumulated laws end at exactly 1, and entries of probability 0 are never the first above u."""
    law = {f"s{k}": Fraction(w, sum(weights)) for k, w in enumerate(weights)}
    game = tabulate(
        name="draws",
        agents=["one"],
        states=[tuple(law)],
        efforts=lambda t, state, i: {"only": 0},
        reward=lambda t, state, i, action, others: 0,
        transition=lambda t, state, total: {},
        initial=law,
        reward_range=(0, 1),
    )
    cdf = game.tables.initial_cdf
    for u in (0.0, *cdf[cdf < 1], np.nextafter(1, 0)):
        assert weights[int(np.flatnonzero(cdf > u)[0])] > 0


# --- refusals: of the functions ------------------------------------------------------------------


def efforts_with(menu: dict[str, Any]) -> Any:
    return lambda t, state, i: menu if (t, state, i) == (0, "down", BOB) else MENUS[state][i]


def reward_with(value: Any) -> Any:
    def reward(t: int, state: str, i: int, action: str, others: Fraction) -> Any:
        return value if (t, state, i, action) == (0, "down", BOB, "mid") else 0

    return reward


def transition_with(law: Any) -> Any:
    return lambda t, state, total: law if (state, total) == ("down", 3) else {"up": 1}


IN_DOWN = ("step 1", "state 'down'")
OF_BOB = (*IN_DOWN, "agent 'bob'")
MID = (*OF_BOB, "action 'mid'")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"agents": ()}, ["at least one agent"]),
        ({"states": ()}, ["at least one agent, one step"]),
        ({"states": (("up",), ())}, ["one state a step"]),
        ({"agents": ("ann", "ann")}, ["agents: names 'ann', 'ann' must be distinct"]),
        ({"agents": ("ann", "")}, ["agents: names 'ann', '' must be", "printable"]),
        ({"agents": ("ann", "b\nob")}, [r"agents: names 'ann', 'b\nob' must", "printable"]),
        ({"name": ""}, ["name: names '' must be"]),
        (
            {"states": (("up", "up"),), "initial": {"up": 1}},
            ["step 1: names 'up', 'up' must be distinct"],
        ),
        ({"efforts": efforts_with({})}, [*OF_BOB, "empty action set"]),
        ({"efforts": efforts_with({"lo": 1, "mid": "5/2"})}, [*MID, "effort 5/2", "grid 1 + 1·n"]),
        ({"efforts": efforts_with({"lo": 1, "mid": 0})}, [*MID, "effort 0", "off the grid"]),
        ({"efforts": efforts_with({"lo": 1, "mid": 10**30})}, [*MID, "coarser"]),
        ({"efforts": efforts_with({"lo": 1, "mid": 10**7})}, [*MID, "1e+7 units", "coarser"]),
        ({"efforts": lambda t, state, i: {"a": 200_000}}, ["effort_grid: sums", "coarser grid"]),
        ({"efforts": efforts_with({"lo": 1, "": 2})}, [*OF_BOB, "names 'lo', '' must be"]),
        ({"reward": reward_with(4)}, [*MID, "sum of others 1", "reward 4.0", "[0.0, 3.0]"]),
        ({"reward": reward_with(-0.5)}, [*MID, "reward -0.5"]),
        ({"reward": reward_with(float("nan"))}, [*MID, "reward nan"]),
        ({"reward": reward_with(float("inf"))}, [*MID, "reward inf"]),
        ({"transition": transition_with({"up": 0.9})}, [*IN_DOWN, "total effort 3", "sum to 0.9"]),
        ({"transition": transition_with({})}, [*IN_DOWN, "total effort 3", "sum to 0.0"]),
        ({"transition": transition_with({"up": float("nan")})}, [*IN_DOWN, "not finite"]),
        (
            {"transition": transition_with({"down": 1})},
            [*IN_DOWN, "unknown state 'down'", "are up"],
        ),
        ({"initial": {"up": 2, "down": -1}}, ["initial: ", "negative", "[2.0, -1.0]"]),
        ({"initial": {"up": 0.5}}, ["initial: ", "sum to 0.5, not 1"]),
        ({"initial": {"left": 1}}, ["initial: unknown state 'left'", "up, down"]),
        ({"reward_range": (3, 3)}, ["reward_range: [3.0, 3.0]", "low < high"]),
        ({"reward_range": (0, float("inf"))}, ["reward_range: [0.0, inf]", "finite"]),
        ({"reward_range": (-1.7e308, 1.7e308)}, ["-1.7e+308", "beyond 1e+200", "larger unit"]),
        ({"reward_range": (0, 1.1e200)}, ["1.1e+200", "beyond 1e+200", "larger unit"]),
        ({"reward_range": (0, 9e-301)}, ["9e-301", "narrower than 1e-300", "smaller unit"]),
        ({"reward_range": (10**7, 10**7 + 3)}, ["10000003.0]", "narrower", "subtract a constant"]),
        ({"aggregate_scale": "1e160"}, ["up to 4e+160", "1e140", "aggregator's scale"]),
        ({"aggregate_scale": "1e-400"}, ["steps of 1e-400", "1e-140", "aggregator's scale"]),
        (
            {"origin": -(10**12), "efforts": lambda t, state, i: {"idle": -(10**12)}},
            ["up to 2e+12 in steps of 1 ", "origin of efforts nearer to 0"],
        ),
        ({"aggregate_scale": -1}, ["aggregator: scale -1", "> 0"]),
        (
            {"agents": ["a"] * 10_000, "states": [("up",)] * 10_000},
            ["are more than", "make the game smaller"],
        ),
    ],
)
def test_mistakes_are_named(changes: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(GameError) as refusal:
        small(**changes)
    message = str(refusal.value)
    assert message.startswith(f"game {changes.get('name', 'small')!r}: ")
    assert "\n" not in message
    for word in words:
        assert word in message


# --- refusals: of tables given as they are -------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"reward": np.zeros((2, 2, 2, 3))}, ["table reward", "(2, 2, 2, 3)"]),
        ({"initial": np.array([1.0])}, ["table initial", "expected float64 of shape (2,)"]),
        ({"transition": np.zeros((2, 2, 5, 2))}, ["table transition", "expected", "(2, 2, 3, 2)"]),
        ({"effort": small().effort.astype(float)}, ["table effort", "float64", "int64"]),
        ({"effort": np.zeros((2, 2, 2, 4), int)}, ["table effort", "expected", "(2, 2, 2, 3)"]),
        ({"agents": ()}, ["at least one agent"]),
        ({"actions": small().actions[:1]}, ["actions: give one action set"]),
        (
            {"actions": (small().actions[0], ((("lo", "lo"), ("lo",)),))},
            ["step 2, state 'up', agent 'ann'", "names 'lo', 'lo' must be distinct"],
        ),
        (
            {"actions": (small().actions[0], ((("lo",), ("lo",)),))},
            ["table effort[1, 0, 0]", "1 action names but efforts [0, 2, -1]"],
        ),
        (
            {"effort": edited("effort", (0, 1, BOB, 1), -1)},
            ["table effort[0, 1, 1]", "3 action names but efforts"],
        ),
        ({"effort": edited("effort", (0, 1, BOB, 2), 6)}, ["at most 6", "D must be 7, not 3"]),
        (
            {"effort": edited("effort", (1, 1, ANN, 0), 0)},
            ["table effort[1, 1, 0]", "0 action names but efforts [0, -1, -1]"],
        ),
        ({"reward": edited("reward", (0, 1, BOB, 1, 0), np.nan)}, [*MID, "reward nan"]),
        ({"reward": edited("reward", (0, 1, BOB, 1, 0), np.inf)}, [*MID, "reward inf"]),
        ({"reward": edited("reward", (0, 1, BOB, 1, 0), 3.1)}, [*MID, "reward 3.1 is outside"]),
        (
            {"transition": edited("transition", (0, 1, 1, 0), 1 - 1e-9)},
            [*IN_DOWN, "total effort 3: probabilities", "not 1"],
        ),
        (
            {"transition": edited("transition", (0, 1, 1, 0), -1)},
            [*IN_DOWN, "total effort 3: has a probability that is negative"],
        ),
        (
            {"transition": edited("transition", (0, 1, 1, 1), 0.5)},
            [*IN_DOWN, "total effort 3", "leads to a state that does not exist"],
        ),
        ({"initial": np.array([np.inf, 0])}, ["initial: ", "not finite"]),
    ],
)
def test_mistaken_tables_are_named(changes: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(GameError) as refusal:
        replace(small(), **changes)
    assert str(refusal.value).startswith("game 'small': ")
    assert "\n" not in str(refusal.value)
    for word in words:
        assert word in str(refusal.value)


def test_rounding_of_probabilities_is_no_mistake() -> None:
    game = small(initial={"up": 0.1 + 0.2, "down": 0.7})
    assert game.initial.tolist() == [0.1 + 0.2, 0.7]
