"""Anybody's policy: joint laws, functions, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np
import pytest

import amg

NAMES = ("value", "best_response", "gap", "informed_gap", "gap_by_initial_state")


def random_policy(game: amg.Game) -> np.ndarray:
    weights = np.random.default_rng(1).exponential(size=game.effort.shape) * (game.effort >= 0)
    return weights / np.maximum(weights.sum(axis=-1, keepdims=True), 1e-300)


def product_of(game: amg.Game, policy: np.ndarray) -> np.ndarray:
    law = np.zeros((game.T, game.S, *[game.A_max] * game.N))
    for t, s in np.argwhere(game.exists):
        law[t, s] = reduce(np.multiply.outer, policy[t, s])
    return law


@pytest.mark.parametrize("name", ["fishermen", "inspection", "congestion", "demand_response"])
def test_one_policy_in_all_its_forms_gets_the_same_numbers(name: str) -> None:
    game = amg.build_game(name)
    policy = random_policy(game)
    found = amg.evaluate(game, policy)
    joint = amg.evaluate(game, product_of(game, policy), joint=True)
    function = amg.evaluate(game, lambda t, s, i: policy[t, s, i, : game.n_actions[t, s, i]])
    assert function.gap.tolist() == found.gap.tolist()
    for part in NAMES:
        expected = getattr(found, part)
        assert getattr(joint, part) == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_the_keyword_tells_two_arrays_of_one_shape_apart() -> None:
    """Both agents at random: each action with 1/2, or each joint action with 1/4."""
    game = amg.build_game("fishermen")
    law = np.full((2, 2, 2, 2), 0.25)
    uniform = amg.evaluate(game, np.full((2, 2, 2, 2), 0.5))
    assert amg.evaluate(game, law, joint=True).gap == pytest.approx(uniform.gap, abs=1e-12)
    with pytest.raises(amg.AmgError, match=r"probabilities sum to 0\.5,"):
        amg.evaluate(game, law)


# --- what is refused --------------------------------------------------------------------------


def one_line(message: str, call: Callable[[], object]) -> None:
    with pytest.raises(amg.AmgError, match=message) as caught:
        call()
    assert str(caught.value).isprintable()


def law_with(index: tuple[int, ...], value: float) -> np.ndarray:
    law = np.full((2, 2, 2, 2), 0.25)
    law[index] = value
    return law


PLACE = r"joint law at t=1, s=0, actions=\[1, 0\] \(step 2, state 'high'\)"
SHAPE = r"needs \[T, S, A_1, …, A_N\] = \[2, 2, 2, 2\]"


@pytest.mark.parametrize(
    ("law", "message"),
    [
        (law_with((1, 0, 1, 0), np.nan), f"{PLACE}: probability nan is not a number"),
        (law_with((1, 0, 1, 0), np.inf), f"{PLACE}: probability inf is not finite"),
        (law_with((1, 0, 1, 0), -0.5), f"{PLACE}: probability -0.5 is negative"),
        (law_with((1, 0, 1, 0), 0.5), r"t=1, s=0 \(step 2, state 'high'\): .* sum to 1.25, not"),
        (np.zeros((2, 2, 2, 2)), "joint law at t=0, s=0 .* sum to 0, not to 1; divide"),
        (np.full((3, 2, 2, 2), 0.25), rf"the shape \[3, 2, 2, 2\]; game 'fishermen' {SHAPE}"),
        (np.full((2, 2, 3, 3), 1 / 9), rf"the shape \[2, 2, 3, 3\]; game 'fishermen' {SHAPE}"),
        (np.full((2, 2, 4), 0.25), rf"the shape \[2, 2, 4\]; game 'fishermen' {SHAPE}"),
        (np.full((2, 2, 2, 2), "a"), "joint law is not an array of real numbers but array of <U1"),
        (np.full((2, 2, 2, 2), None), "joint law is not an array of real numbers but ndarray"),
        ([[0.5], [0.5, 0.5]], "joint law is not an array of numbers; give an array"),
        (lambda t, s, i: [0.5, 0.5], "joint goes with one array"),
    ],
)
def test_what_is_wrong_with_a_joint_law_is_one_clear_line(law: Any, message: str) -> None:
    game = amg.build_game("fishermen")
    one_line(message, lambda: amg.evaluate(game, law, joint=True))


def test_weights_and_runs_have_no_joint_law() -> None:
    game = amg.build_game("fishermen")
    law = np.full((2, 2, 2, 2), 0.25)
    one_line("it takes no weights", lambda: amg.evaluate(game, law, [1.0], joint=True))
    run = amg.train(game, episodes=10)
    one_line("joint go with arrays; a run", lambda: amg.evaluate(game, run, joint=True))


def test_a_joint_law_without_the_keyword_is_told_so() -> None:
    game = amg.build_game("congestion")
    law = product_of(game, game.uniform_policy())
    one_line("a law of joint actions must be given as joint", lambda: amg.evaluate(game, law))


def test_a_joint_action_that_does_not_exist_is_refused() -> None:
    game = amg.build_game("demand_response")
    t, s, i, a = np.argwhere((game.effort < 0) & game.exists[:, :, None, None])[0]
    law = product_of(game, game.uniform_policy())
    law[t, s] = 0
    joint = [0, 0, 0]
    joint[i] = int(a)
    law[(t, s, *joint)] = 1
    message = rf"joint law at t={t}, s={s}, actions=\[.*\] .*: .* for an action that does not exist"
    one_line(message, lambda: amg.evaluate(game, law, joint=True))


def test_a_joint_law_that_is_too_large_is_refused_before_it_is_looked_at() -> None:
    game = amg.build_game("fishermen", agents=30)
    message = r"has 2 × 2 × 2\^30 entries, more than 16777216; give a mixture of policies"
    one_line(message, lambda: amg.evaluate(game, None, joint=True))  # type: ignore[arg-type]


def raises(t: int, s: int, i: int) -> list[float]:
    raise KeyError("no\nline")


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (raises, r"policy\(t=0, s=0, i=0\) raised KeyError\('no\\nline'\); correct the function"),
        (lambda t, s: [0.5, 0.5], r"policy\(t=0, s=0, i=0\) raised TypeError"),
        (lambda t, s, i: [0.5, 0.5][: 2 - t], r"policy\(t=1, s=0, i=0\) has the shape \[1\]"),
        (lambda t, s, i: [1 / 3] * 3, r"has the shape \[3\]; return 2 numbers that sum to 1"),
        (lambda t, s, i: 1.0, r"policy\(t=0, s=0, i=0\) has the shape \[\]; return 2 numbers"),
        (lambda t, s, i: None, r"policy\(t=0, s=0, i=0\) is not an array of real numbers but None"),
        (lambda t, s, i: "mild", r"\(t=0, s=0, i=0\) is not an array of real numbers but array of"),
        (lambda t, s, i: {0: 1.0}, r"\(t=0, s=0, i=0\) is not an array of real numbers but dict"),
        (lambda t, s, i: [[1], [0, 0]], r"\(t=0, s=0, i=0\) is not an array of numbers; return 2"),
        (lambda t, s, i: iter([1, 0]), r"is not an array of real numbers but list_iterator"),
        (lambda t, s, i: [0.5, 0.5 + i], r"policy at t=0, s=0, agent=1 \(.*\): .* sum to 2, not"),
        (lambda t, s, i: [1 + t, -t], r"policy at t=1, s=0, agent=0, action=1 .*-1 is negative"),
        (lambda t, s, i: [np.nan, 1], r"policy at t=0, s=0, agent=0, action=0 .*not a number"),
    ],
)
def test_what_is_wrong_with_a_function_is_one_clear_line(function: Any, message: str) -> None:
    game = amg.build_game("fishermen")
    one_line(message, lambda: amg.evaluate(game, function))


def test_a_function_may_not_use_an_action_that_does_not_exist() -> None:
    game = amg.build_game("demand_response")
    message = r"t=\d, s=\d, agent=\d, action=\d .*for an action that does not exist"
    one_line(message, lambda: amg.evaluate(game, lambda t, s, i: [1 / 3] * 3))


def test_what_a_function_raised_is_the_cause() -> None:
    with pytest.raises(amg.AmgError) as caught:
        amg.evaluate(amg.build_game("fishermen"), raises)
    assert isinstance(caught.value.__cause__, KeyError)
