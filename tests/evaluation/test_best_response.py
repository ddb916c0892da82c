"""The best response where it is cut short, where it is negative, and where sums are long."""

from __future__ import annotations

import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_cases import Case, cases

from amg.evaluation.controller import Controller, from_policies
from amg.evaluation.evaluation import evaluate_controller
from amg.game.library import build
from amg.game.library.fishermen import fishermen
from amg.game.model import Game
from amg.game.tabulation import tabulate
from amg.learning.parameters import VLearning
from amg.learning.train import train_traced
from amg.results.evaluate import controller_of

CLOSE = 1e-10


def controller(case: Case) -> Controller:
    return from_policies(case.game, case.policies, case.weights)


@settings(max_examples=40, deadline=None)
@given(cases(N=3, T=3, S=2, A=3, J=4, least=2), st.integers(0, 12))
def test_a_cut_search_brackets_the_best_response(case: Case, budget: int) -> None:
    whole = evaluate_controller(case.game, controller(case))
    cut = evaluate_controller(case.game, controller(case), budget)
    assert (cut.histories <= budget).all()
    assert (cut.best_response_low <= whole.best_response + CLOSE).all()
    assert (whole.best_response <= cut.best_response + CLOSE).all()
    assert (cut.best_response <= cut.informed + CLOSE).all()
    assert (cut.gap_low <= whole.gap + CLOSE).all()
    assert (whole.gap <= cut.gap + CLOSE).all()
    assert (cut.gap <= cut.informed_gap + CLOSE).all()
    assert cut.exact.tolist() == (whole.histories <= budget).tolist()
    for i in np.flatnonzero(cut.exact):
        assert cut.best_response_low[i] == cut.best_response[i] == whole.best_response[i]


def test_many_rows_leave_a_smaller_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hostile certificate of a few megabytes would otherwise take hours to evaluate."""
    game = fishermen(horizon=3)
    policies = np.stack([game.uniform_policy()] * 50)
    whole = evaluate_controller(game, from_policies(game, policies), 100)
    assert whole.exact.all()
    monkeypatch.setattr("amg.evaluation.best_response.ENTRIES", 50 * game.N * game.D // 10)
    cut = evaluate_controller(game, from_policies(game, policies), 100)
    assert (cut.histories <= 10).all()
    assert not cut.exact.any()
    assert (cut.best_response_low <= whole.best_response + CLOSE).all()
    assert (cut.best_response >= whole.best_response - CLOSE).all()


def test_a_larger_budget_never_widens_the_bracket_from_above() -> None:
    """The deeper the search, the later the deviator is told what it cannot know."""
    game = build("inspection", {"horizon": 4})
    run = train_traced(game, VLearning(bonus=0.1), 300, seed=1)
    found = [evaluate_controller(game, controller_of(run), budget) for budget in (0, 1, 5, 21, 85)]
    assert [e.histories[0] for e in found] == [0, 1, 5, 21, 85]
    assert [bool(e.exact[0]) for e in found] == [False] * 4 + [True]
    high = np.array([e.best_response for e in found])
    assert high[0] == pytest.approx(found[0].informed, abs=1e-12)
    assert (np.diff(high, axis=0) <= 1e-12).all()
    assert (high[0] - high[-1] > 1e-3).any()  # or the test would show nothing


def test_a_tree_of_more_histories_than_doubles_is_a_bracket() -> None:
    """18 branches and 260 steps, and states that only some of them have."""
    T = 260
    game = tabulate(
        name="long",
        agents=["one", "other"],
        states=[[f"state {s}" for s in range(6 - t % 2)] for t in range(T)],
        efforts=lambda t, s, i: {"0": 0, "1": 1, "2": 2},
        reward=lambda t, s, i, action, others: (int(action) + int(others)) % 3,
        transition=lambda t, s, total: {"state 0": 1},
        initial={"state 0": 1},
        reward_range=(0, 2),
    )
    uniform = game.uniform_policy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        alone = evaluate_controller(game, from_policies(game, uniform), budget=1000)
        found = evaluate_controller(game, from_policies(game, [uniform] * 2), budget=1000)
    assert alone.exact.all()  # it is Markov
    assert not found.exact.any()
    assert (found.histories == 1 + 3 * 5 + 3 * 5 * 3 * 6).all()
    assert found.value == pytest.approx([T] * 2, rel=1e-12)
    assert found.gap_low == pytest.approx(found.gap, abs=1e-9)  # whatever one does pays 1


def test_a_deviator_that_loses_the_correlation_has_a_negative_gap() -> None:
    """Two cars at a crossing: pay 1 if one of them goes; a coin tells which. Alone one gets 1/2."""
    game = tabulate(
        name="crossing",
        agents=["north", "east"],
        states=[["only"]] * 2,
        efforts=lambda t, s, i: {"wait": 0, "go": 1},
        reward=lambda t, s, i, a, others: int((a == "go") != bool(others)),
        transition=lambda t, s, total: {"only": 1},
        initial={"only": 1},
        reward_range=(0, 1),
    )
    lights = np.zeros((2, *game.effort.shape))
    for j in range(2):
        lights[j, :, 0, j, 1] = lights[j, :, 0, 1 - j, 0] = 1
    once = evaluate_controller(game, from_policies(game, lights))
    assert once.value.tolist() == [2, 2]
    assert once.best_response.tolist() == [1.5, 1.5]  # having seen the first step, it knows
    assert once.gap.tolist() == [-0.5, -0.5]
    assert once.informed_gap.tolist() == [0, 0]


# --- a hundred thousand nodes or rows -------------------------------------------------------------

MANY = 100_000


def many(nodes: bool) -> tuple[Game, Controller]:
    """One agent, two steps; at the first so many nodes that meet in one, or one with as many rows.

    The second is a long stage before one that stalls: a cell for every few visits.
    """
    game = tabulate(
        name="two steps",
        agents=["alone"],
        states=[["first"], ["second"]],
        efforts=lambda t, s, i: {"third": 0, "seven tenths": 0},
        reward=lambda t, s, i, action, others: "1/3" if action == "third" else "0.7",
        transition=lambda t, s, total: {"second": 1},
        initial={"first": 1},
        reward_range=(0, 1),
    )
    first, second, each = (MANY, 1, 1) if nodes else (1, MANY, MANY)
    law = np.array([0.3, 0.7])[None, None, :, None]
    following = np.zeros(MANY, dtype=np.int64) if nodes else np.arange(MANY)
    rows = np.concatenate([first + following, np.zeros(second, dtype=np.int64)])[:, None]
    return game, Controller(
        base=np.array([[0], [first]]),
        size=np.array([[first], [second]]),
        step=np.repeat([0, 1], [first, second]),
        state=np.zeros(first + second, dtype=np.int64),
        first_row=np.concatenate([np.arange(0, MANY + 1, each), MANY + 1 + np.arange(second)]),
        successor=rows,
        law=np.concatenate([np.repeat(law / each, MANY, 0), np.repeat(law, second, 0)]),
        start=np.concatenate([np.full(first, 1 / first), np.zeros(second)]),
    )


@pytest.mark.parametrize("budget", [10**6, 0], ids=["searched", "bracket"])
@pytest.mark.parametrize("nodes", [True, False], ids=["nodes", "rows"])
def test_many_nodes_or_rows_cost_no_digits(nodes: bool, budget: int) -> None:
    """Against fractions; added one by one they would drift by 1e-12 and a gap by 1e-11."""
    found = evaluate_controller(*many(nodes), budget)
    third, seven = Fraction(1 / 3), Fraction(0.7)
    value, best = 2 * (Fraction(0.3) * third + Fraction(0.7) * seven), 2 * seven
    assert found.exact.all() == bool(budget)
    for got, exact in ((found.value, value), (found.best_response, best), (found.informed, best),
                       (found.best_response_low, best)):  # fmt: skip
        assert abs(Fraction(float(got[0])) / exact - 1) < 1e-13
    for gap in (found.gap, found.gap_low, found.informed_gap):
        assert abs(Fraction(float(gap[0])) / (best - value) - 1) < 1e-12
