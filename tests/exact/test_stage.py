"""Stage games and the value of fixed play, against enumeration of joint actions."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_games import games, joint_actions, step

from amg.exact.stage import by_total, play, stage_game, sums_of_others, uniform_play
from amg.game.library.fishermen import fishermen
from amg.game.model import Game


@given(games(agents=4, horizon=1, states=1, actions=3), st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_sums_of_others_is_the_law_of_their_sum(game: Game, seed: int) -> None:
    rng = np.random.default_rng(seed)
    effort = game.effort[0, 0]
    policy = np.where(effort >= 0, rng.random(effort.shape), 0)
    policy[:, 0] += 1e-3
    policy /= policy.sum(axis=1, keepdims=True)
    expected = np.zeros((game.N, game.D))
    for joint in joint_actions(game, 0, 0):
        for i in range(game.N):
            others = [j for j in range(game.N) if j != i]
            weight = np.prod([policy[j, joint[j]] for j in others])
            sigma = sum(effort[j, joint[j]] for j in others)
            expected[i, sigma] += weight * policy[i, joint[i]]  # own weights add up to 1
    np.testing.assert_allclose(sums_of_others(effort, policy, game.D), expected, atol=1e-14)


@given(games(agents=4, horizon=1, states=1, actions=3), st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_sums_of_others_of_a_mask_is_what_can_happen(game: Game, seed: int) -> None:
    effort = game.effort[0, 0]
    left = (effort >= 0) & (np.random.default_rng(seed).random(effort.shape) < 0.6)
    left[:, 0] = True
    expected = np.zeros((game.N, game.D), dtype=bool)
    for joint in joint_actions(game, 0, 0):
        if all(left[i, a] for i, a in enumerate(joint)):
            total = sum(effort[i, a] for i, a in enumerate(joint))
            for i, a in enumerate(joint):
                expected[i, total - effort[i, a]] = True
    possible = sums_of_others(effort, left, game.D)
    assert possible.dtype == bool
    np.testing.assert_array_equal(possible, expected)


@given(games(agents=3, horizon=3, states=2, actions=3), st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_stage_games_and_pure_play(game: Game, seed: int) -> None:
    rng = np.random.default_rng(seed)
    actions = np.full((game.T, game.S, game.N), -1)
    for t in range(game.T):
        for s in range(len(game.states[t])):
            actions[t, s] = [rng.integers(0, n) for n in game.n_actions[t, s]]

    def value(t: int, s: int, i: int) -> float:
        if t == game.T:
            return 0.0
        rewards, law = step(game, t, s, actions[t, s])
        return rewards[i] + sum(p * value(t + 1, following, i) for following, p in law.items())

    values = play(game, actions)
    for s in range(len(game.states[0])):
        for i in range(game.N):
            assert np.isclose(values[0, s, i], value(0, s, i), atol=1e-12)

        following = rng.random((game.S, game.N))
        Q = stage_game(game, 0, s, following)
        score = by_total(game.effort[0, s], Q)
        for joint in joint_actions(game, 0, s):
            rewards, law = step(game, 0, s, joint)
            total = sum(game.effort[0, s, i, a] for i, a in enumerate(joint))
            for i, a in enumerate(joint):
                later = sum(p * following[k, i] for k, p in law.items())
                assert np.isclose(score[i, a, total], rewards[i] + later, atol=1e-12)


# --- uniform play ---------------------------------------------------------------------------------


def test_uniform_play_of_the_fishermen() -> None:
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
def test_uniform_play_is_the_mean_over_joint_actions(game: Game) -> None:
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
