"""Laws of joint actions: against enumeration, and against independent agents."""

from __future__ import annotations

from functools import reduce
from itertools import product

import brute_force as plain
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from random_cases import Case, cases, random_game

from amg.evaluation.controller import from_joint, from_policies
from amg.evaluation.evaluation import evaluate_controller
from amg.game.model import Game
from amg.game.tabulation import tabulate

CLOSE = 1e-10
Law = NDArray[np.float64]


class Joint:
    """Draws a joint action at each (t, s), and remembers nothing."""

    def __init__(self, game: Game, law: Law) -> None:
        self.game, self.law = game, law

    def start(self) -> list[tuple[float, int]]:
        return [(1.0, 0)]

    def act(self, t: int, s: int, memory: int) -> list[tuple[float, plain.Policy, int]]:
        each = np.eye(self.game.A_max)
        return [
            (float(self.law[t, s][joint]), each[list(joint)], 0)
            for joint in plain.joint_actions(self.game, t, s)
        ]


def random_law(rng: np.random.Generator, game: Game) -> Law:
    """A sparse law of joint actions at each (t, s)."""
    law = np.zeros((game.T, game.S, *[game.A_max] * game.N))
    for t, s in np.argwhere(game.exists):
        joints = plain.joint_actions(game, t, s)
        weights = rng.exponential(size=len(joints)) * (rng.random(len(joints)) < 0.6) + 1e-6
        for joint, weight in zip(joints, weights / weights.sum(), strict=True):
            law[t, s][joint] = weight
    return law


def product_of(game: Game, policy: Law) -> Law:
    """The law of independent agents."""
    law = np.zeros((game.T, game.S, *[game.A_max] * game.N))
    for t, s in np.argwhere(game.exists):
        law[t, s] = reduce(np.multiply.outer, policy[t, s])
    return law


def marginals(game: Game, law: Law) -> Law:
    """Each agent's own probabilities, [T, S, N, A]."""
    axes = range(2, 2 + game.N)
    own = [law.sum(axis=tuple(set(axes) - {axis})) for axis in axes]
    return np.stack(own, axis=2)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**32 - 1), st.sampled_from([2, 3]), st.integers(1, 3), st.integers(1, 2),
    st.integers(1, 3),
)  # fmt: skip
def test_joint_laws_are_worth_what_enumeration_says(
    seed: int, N: int, T: int, S: int, A: int
) -> None:
    rng = np.random.default_rng(seed)
    game = random_game(rng, N, T, S, A if N * T < 9 else 2)
    law = random_law(rng, game)
    found, device = evaluate_controller(game, from_joint(game, law)), Joint(game, law)
    starts = plain.starting_in(game).values()
    for b, start in enumerate(starts):
        value = plain.value(start, device)
        best = np.array([plain.best_response(start, device, i) for i in range(N)])
        assert found.value_by_initial_state[b] == pytest.approx(value, abs=CLOSE)
        assert found.best_response_by_initial_state[b] == pytest.approx(best, abs=CLOSE)
        assert found.gap_by_initial_state[b] == pytest.approx(best - value, abs=CLOSE)
    assert found.value == pytest.approx(plain.value(game, device), abs=CLOSE)
    assert found.gap == pytest.approx(found.gap_by_initial_state.max(axis=0), abs=CLOSE)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([2, 3]), st.sampled_from([1, 2]))
def test_no_deviation_of_all_there_are_beats_the_best_response(seed: int, N: int, T: int) -> None:
    rng = np.random.default_rng(seed)
    game = random_game(rng, N, T, S=2, A=2)
    law = random_law(rng, game)
    found, device = evaluate_controller(game, from_joint(game, law)), Joint(game, law)
    for i in range(N):
        assume(plain.count_deviations(game, device, i) <= 2000)
        earned = max(plain.every_deviation(game, device, i))
        assert found.best_response[i] == pytest.approx(earned, abs=CLOSE)


@settings(max_examples=40, deadline=None)
@given(cases(N=3, T=3, S=2, A=3, J=1), st.sampled_from([0, 1, 10**6]))
def test_histories_and_joint_actions_tell_a_deviator_nothing(case: Case, budget: int) -> None:
    """So the best Markov response is the best of all, whatever the budget of the search is."""
    law = random_law(np.random.default_rng(1), case.game)
    found = evaluate_controller(case.game, from_joint(case.game, law), budget)
    assert found.exact.all()
    assert found.gap_low == pytest.approx(found.gap, abs=CLOSE)
    assert found.informed_gap == pytest.approx(found.gap, abs=CLOSE)
    device = Joint(case.game, law)
    best = [plain.best_response(case.game, device, i) for i in range(case.game.N)]
    assert found.best_response == pytest.approx(best, abs=CLOSE)


@settings(max_examples=40, deadline=None)
@given(cases(N=4, T=3, S=3, A=3, J=1))
def test_independent_agents_as_a_joint_law_get_the_same_numbers(case: Case) -> None:
    policy = case.policies[0]
    alone = evaluate_controller(case.game, from_policies(case.game, policy))
    joint = evaluate_controller(case.game, from_joint(case.game, product_of(case.game, policy)))
    for name in ("value", "best_response", "gap", "informed_gap", "gap_by_initial_state"):
        expected = getattr(alone, name)
        assert getattr(joint, name) == pytest.approx(expected, rel=1e-12, abs=1e-12)


def chicken() -> Game:
    """Who dares while the other yields gets 7, the other 2; two who yield 6, two who dare 0."""
    pay = {("dare", 0): 0, ("dare", 1): 7, ("yield", 0): 2, ("yield", 1): 6}
    return tabulate(
        name="chicken",
        agents=["one", "other"],
        states=[["meeting"]],
        efforts=lambda t, s, i: {"dare": 0, "yield": 1},
        reward=lambda t, s, i, action, others: pay[action, int(others)],
        transition=lambda t, s, total: {},
        initial={"meeting": 1},
        reward_range=(0, 7),
    )


def test_a_correlated_equilibrium_whose_marginals_are_none() -> None:
    """Daring against the marginals pays 7 · 3/4 = 5.25, and so does 9/4 + 6/2 of the law.

    Independent agents with the same marginals get 5.0625, and each gains 0.1875 by daring.
    """
    game = chicken()
    law = np.array([[[[0, 0.25], [0.25, 0.5]]]])
    joint = evaluate_controller(game, from_joint(game, law))
    assert joint.value == pytest.approx([5.25] * 2, abs=1e-12)
    assert joint.gap == pytest.approx([0, 0], abs=1e-12)
    apart = evaluate_controller(game, from_policies(game, marginals(game, law)))
    assert apart.value == pytest.approx([5.0625] * 2, abs=1e-12)
    assert apart.gap == pytest.approx([0.1875] * 2, abs=1e-12)


def test_a_deviator_does_not_see_what_it_is_recommended() -> None:
    """Told to yield it would dare. It only knows that the other yields half the time."""
    game = chicken()
    law = np.array([[[[0, 0.0], [0.0, 1.0]]]])  # both always yield: seen or not, daring pays 7
    assert evaluate_controller(game, from_joint(game, law)).gap == pytest.approx([1, 1])
    law = np.array([[[[0.5, 0.0], [0.0, 0.5]]]])
    found = evaluate_controller(game, from_joint(game, law))
    assert found.value == pytest.approx([3, 3])
    assert found.best_response == pytest.approx([4, 4])  # yield; with the advice 4.5 = (2 + 7)/2


def test_every_joint_action_for_certain_pays_what_the_game_says() -> None:
    game = random_game(np.random.default_rng(5), 3, 1, 1, 3)
    for joint in product(*(range(len(menu)) for menu in game.actions[0][0])):
        law = np.zeros((1, 1, *[game.A_max] * 3))
        law[0, 0][joint] = 1
        _, pay = plain.step(game, 0, 0, joint)
        found = evaluate_controller(game, from_joint(game, law))
        assert found.value == pytest.approx(pay, abs=1e-12)
