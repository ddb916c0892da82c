"""Value, informed deviator and best response, against enumeration of plans and joint actions."""

from __future__ import annotations

import dataclasses

import brute_force as plain
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from random_cases import Case, cases

from amg.evaluation.controller import Controller, from_policies
from amg.evaluation.evaluation import Evaluation, evaluate_controller
from amg.game.library import build
from amg.game.library.fishermen import fishermen
from amg.game.model import Game
from amg.game.tabulation import tabulate
from amg.learning.parameters import VLearning
from amg.learning.train import train_traced
from amg.results.evaluate import controller_of

CLOSE = 1e-10
INTENSIVE, MILD = [1.0, 0.0], [0.0, 1.0]


def check(game: Game, device: plain.Device, found: Evaluation) -> None:
    """All three numbers of each agent, and what must hold between them.

    First from each initial state: in a game that starts there, the plain way needs no mean.
    """
    value, best, informed = [], [], []
    for start in plain.starting_in(game).values():
        value.append(plain.value(start, device))
        best.append([plain.best_response(start, device, i) for i in range(game.N)])
        informed.append([plain.informed(start, device, i) for i in range(game.N)])
    gap, informed_gap = np.array(best) - value, np.array(informed) - value
    assert found.initial_states == tuple(plain.starting_in(game))
    assert found.value_by_initial_state == pytest.approx(np.array(value), abs=CLOSE)
    assert found.best_response_by_initial_state == pytest.approx(np.array(best), abs=CLOSE)
    assert found.gap_by_initial_state == pytest.approx(gap, abs=CLOSE)
    assert found.informed_gap_by_initial_state == pytest.approx(informed_gap, abs=CLOSE)
    assert found.gap == pytest.approx(gap.max(axis=0), abs=CLOSE)
    assert found.informed_gap == pytest.approx(informed_gap.max(axis=0), abs=CLOSE)
    check_means(game, device, found)


def check_means(game: Game, device: plain.Device, found: Evaluation) -> None:
    """The means over the law of the first state."""
    agents = range(game.N)
    assert found.exact.all()
    assert found.value == pytest.approx(plain.value(game, device), abs=CLOSE)
    informed = [plain.informed(game, device, i) for i in agents]
    assert found.informed == pytest.approx(informed, abs=CLOSE)
    best = [plain.best_response(game, device, i) for i in agents]
    assert found.best_response == pytest.approx(best, abs=CLOSE)
    assert (found.best_response_low == found.best_response).all()
    assert (found.best_response <= found.informed + CLOSE).all()
    assert found.mean_gap == pytest.approx(found.best_response - found.value, abs=CLOSE)
    assert (found.mean_gap <= found.gap + CLOSE).all()


# --- mixtures of product Markov policies ----------------------------------------------------------


def controller(case: Case) -> Controller:
    return from_policies(case.game, case.policies, case.weights)


@settings(max_examples=40, deadline=None)
@given(cases(N=3, T=2, S=2, A=3, J=3))
def test_no_deviation_of_all_there_are_beats_the_best_response(case: Case) -> None:
    """Every deterministic plan over own actions, others' sums and states, one by one."""
    device = plain.Mixture(case.policies, case.weights)
    found = evaluate_controller(case.game, controller(case))
    for i in range(case.game.N):
        assume(plain.count_deviations(case.game, device, i) <= 2000)
        earned = max(plain.every_deviation(case.game, device, i))
        assert found.best_response[i] == pytest.approx(earned, abs=CLOSE)


@settings(max_examples=150, deadline=None)  # of which about one in eight has a random start
@given(cases(N=3, T=2, S=2, A=3, J=3))
def test_no_deviation_from_any_initial_state_gains_more_than_the_gap(case: Case) -> None:
    """The paper's definition: at every initial state, every deterministic plan one by one."""
    device = plain.Mixture(case.policies, case.weights)
    starts = plain.starting_in(case.game).values()
    found = evaluate_controller(case.game, controller(case))
    for i in range(case.game.N):
        assume(all(plain.count_deviations(start, device, i) <= 2000 for start in starts))
        gains = [
            max(plain.every_deviation(start, device, i)) - plain.value(start, device)[i]
            for start in starts
        ]
        assert found.gap_by_initial_state[:, i] == pytest.approx(gains, abs=CLOSE)
        assert found.gap[i] == pytest.approx(max(gains), abs=CLOSE)


@settings(max_examples=40, deadline=None)
@given(cases(N=3, T=2, S=3, A=3, J=4) | cases(N=3, T=3, S=2, A=2, J=3))
def test_mixtures_are_worth_what_enumeration_says(case: Case) -> None:
    check(
        case.game,
        plain.Mixture(case.policies, case.weights),
        evaluate_controller(case.game, controller(case)),
    )


@settings(max_examples=20, deadline=None)
@given(cases(N=3, T=3, S=2, A=2, J=3))
def test_the_informed_deviator_answers_each_component_by_itself(case: Case) -> None:
    alone = [
        evaluate_controller(case.game, from_policies(case.game, policy[None]))
        for policy in case.policies
    ]
    found = evaluate_controller(case.game, controller(case))
    expected = case.weights @ [e.best_response for e in alone]
    assert found.informed == pytest.approx(expected, abs=CLOSE)
    for e in alone:  # against a single product policy there is nothing to be informed of
        assert e.informed == pytest.approx(e.best_response, abs=CLOSE)


@settings(max_examples=20, deadline=None)
@given(cases(N=2, T=3, S=2, A=3, J=3))
def test_a_component_in_two_halves_changes_nothing(case: Case) -> None:
    whole = evaluate_controller(case.game, controller(case))
    policies = np.concatenate([case.policies, case.policies[:1]])
    weights = np.append(case.weights, case.weights[0] / 2)
    weights[0] /= 2
    halves = evaluate_controller(case.game, from_policies(case.game, policies, weights))
    assert halves.best_response == pytest.approx(whole.best_response, abs=CLOSE)
    assert halves.value == pytest.approx(whole.value, abs=CLOSE)


# --- the certified policy of real runs ------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "parameters", "episodes"),
    [
        ("fishermen", {}, 60),
        ("fishermen", {"horizon": 3}, 40),
        ("fishermen", {"agents": 3}, 40),
        ("inspection", {}, 60),
        ("inspection", {"horizon": 3}, 40),
        ("inspection", {"horizon": 1}, 100),
        ("congestion", {"horizon": 2}, 40),
    ],
)
@pytest.mark.parametrize("seed", [1, 2])
def test_certified_policies_are_worth_what_algorithm_5_says(
    name: str, parameters: dict[str, object], episodes: int, seed: int
) -> None:
    """From the trace alone: draw k, then visits l of the stage before, one by one."""
    game = build(name, parameters)
    run = train_traced(game, VLearning(bonus=0.1, lambda_min=0.95), episodes, seed)
    assert run.trace is not None
    found = evaluate_controller(game, controller_of(run))
    check(game, plain.Algorithm5(game, run.trace), found)


@settings(max_examples=25, deadline=None)
@given(cases(N=3, T=2, S=3, A=3, J=1) | cases(N=2, T=3, S=2, A=2, J=1), st.integers(1, 30))
def test_certified_policies_of_random_games(case: Case, episodes: int) -> None:
    run = train_traced(case.game, VLearning(fluctuation="fixed", bonus=0.1), episodes, seed=1)
    assert run.trace is not None
    check(
        case.game,
        plain.Algorithm5(case.game, run.trace),
        evaluate_controller(case.game, controller_of(run)),
    )


def test_no_deviation_of_all_there_are_beats_the_best_response_to_a_certified_policy() -> None:
    game = build("inspection")
    run = train_traced(game, VLearning(bonus=0.1), 50, seed=3)
    assert run.trace is not None
    device = plain.Algorithm5(game, run.trace)
    found = evaluate_controller(game, controller_of(run))
    for i in range(2):
        plans = list(plain.every_deviation(game, device, i))
        assert len(plans) == plain.count_deviations(game, device, i) == 2 * 2**4
        assert found.best_response[i] == pytest.approx(max(plans), abs=CLOSE)


def test_after_a_single_episode_everyone_plays_uniformly() -> None:
    for name in ("fishermen", "congestion", "demand_response"):
        game = build(name)
        run = train_traced(game, VLearning(lambda_min=0.95), 1, seed=1)
        found = evaluate_controller(game, controller_of(run))
        uniform = evaluate_controller(game, from_policies(game, game.uniform_policy()[None]))
        assert found.value == pytest.approx(uniform.value, rel=1e-14)
        assert found.best_response == pytest.approx(uniform.best_response, rel=1e-14)


@pytest.mark.parametrize("name", ["fishermen", "inspection"])
@pytest.mark.parametrize("rare", [0.4, 0.05])
def test_a_certified_policy_that_starts_at_random(name: str, rare: float) -> None:
    """The policy draws its k whatever the first state is."""
    game = dataclasses.replace(build(name), initial=np.array([1 - rare, rare]))
    run = train_traced(game, VLearning(bonus=0.1, lambda_min=0.95), 60, seed=1)
    assert run.trace is not None
    found = evaluate_controller(game, controller_of(run))
    check(game, plain.Algorithm5(game, run.trace), found)
    assert (found.mean_gap < found.gap - 0.01).all()  # or the test would show nothing


@pytest.mark.parametrize("name", ["fishermen", "inspection", "congestion"])
@pytest.mark.parametrize("budget", [10**6, 2])
def test_with_a_certain_start_the_mean_is_the_gap_to_the_bit(name: str, budget: int) -> None:
    game = build(name)
    run = train_traced(game, VLearning(bonus=0.1), 300, seed=1)
    found = evaluate_controller(game, controller_of(run), budget)
    assert (found.mean_gap == found.gap).all()
    for numbers in ("value", "best_response", "gap", "informed_gap"):
        (from_start,) = getattr(found, f"{numbers}_by_initial_state")
        assert (from_start == getattr(found, numbers)).all()


# --- numbers that are known -----------------------------------------------------------------------


def everywhere(game: Game, *policies: list[float]) -> NDArray[np.float64]:
    """The same policy of each agent at every (t, s), as [T, S, N, A]."""
    return np.broadcast_to(np.array(policies), game.effort.shape).copy()


def test_a_rare_initial_state_counts_like_any_other() -> None:
    """Who leaves gains 1/10 or 1. The mean hides what the first agent gains in the rare state."""
    gain = {"common": ("1/10", 1), "rare": (1, "1/10")}
    game = tabulate(
        name="rare",
        agents=["one", "other"],
        states=[["common", "rare"]],
        efforts=lambda t, s, i: {"stay": 0, "leave": 1},
        reward=lambda t, s, i, action, others: gain[s][i] if action == "leave" else 0,
        transition=lambda t, s, total: {},
        initial={"common": "199/200", "rare": "1/200"},
        reward_range=(0, 1),
    )
    found = evaluate_controller(game, from_policies(game, everywhere(game, [1, 0], [1, 0])))
    assert found.initial_states == ("common", "rare")
    assert found.gap_by_initial_state == pytest.approx(np.array([[0.1, 1], [1, 0.1]]), abs=1e-15)
    for gap in (found.gap, found.gap_low, found.informed_gap):
        assert gap == pytest.approx([1, 1], abs=1e-15)
    assert found.mean_gap == pytest.approx([0.1045, 0.9955], abs=1e-15)
    assert found.best_response == pytest.approx([0.1045, 0.9955], abs=1e-15)


def test_one_who_sees_joint_actions_may_gain_more_than_one_who_sees_their_sum() -> None:
    """A coin sends left or right; at the second step one guesses which.

    At the first step both efforts add up to 1, so the sum says nothing. Joint actions tell all, and
    one who sees them gains 1/2. So does the informed deviator, who bounds it.
    """
    game = tabulate(
        name="guess",
        agents=["guesser", "left", "right"],
        states=[["first"], ["second"]],
        efforts=lambda t, s, i: {"0": 0, "1": 1},
        reward=lambda t, s, i, action, others: int(i == 0 and t == 1 and 2 * int(action) == others),
        transition=lambda t, s, total: {"second": 1},
        initial={"first": 1},
        reward_range=(0, 1),
    )
    efforts = [[[0, 0, 1], [0, 0, 0]], [[0, 1, 0], [0, 1, 1]]]  # by side of the coin, step, agent
    found = evaluate_controller(game, from_policies(game, np.eye(2)[efforts][:, :, None]))
    assert (found.value[0], found.gap[0], found.informed_gap[0]) == (0.5, 0, 0.5)


@pytest.mark.parametrize(
    ("mixture", "value", "gap"),
    [
        pytest.param([(MILD, MILD)], 18, None, id="everyone mild"),
        pytest.param([([0.5, 0.5], [0.5, 0.5])], 19 + 19 / 30, 7.8, id="uniform"),
        pytest.param(
            [(MILD, INTENSIVE), (INTENSIVE, MILD)], None, 6 + 23 / 30, id="50/50 of (m, f), (f, m)"
        ),
        pytest.param([(INTENSIVE, INTENSIVE)], 19.2, 0, id="always intensive"),
    ],
)
def test_reference_values_of_the_fishermen(
    mixture: list[tuple[list[float], list[float]]], value: float | None, gap: float | None
) -> None:
    """Section 1 of the design."""
    game = fishermen()
    found = evaluate_controller(
        game, from_policies(game, np.stack([everywhere(game, *p) for p in mixture]))
    )
    if value is not None:
        assert found.value == pytest.approx([value] * 2, abs=1e-12)
    if gap is not None:
        assert found.gap == pytest.approx([gap] * 2, abs=1e-12)
