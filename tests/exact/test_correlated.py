"""The range of CCE, against known games and other ways to write the linear program."""

from __future__ import annotations

import time
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_games import games, joint_actions, matrix_game, random_game, step
from scipy.optimize import linprog

from amg.exact import cce_range
from amg.game.library.fishermen import fishermen
from amg.game.model import Game


def test_every_coarse_equilibrium_of_the_fishermen_pays_19_2() -> None:
    spread = cce_range(fishermen())
    assert spread is not None
    assert spread.low == pytest.approx([19.2, 19.2], abs=1e-9)
    assert spread.high == pytest.approx([19.2, 19.2], abs=1e-9)
    assert spread.average_low == pytest.approx(19.2, abs=1e-9)
    assert spread.average_high == pytest.approx(19.2, abs=1e-9)


def test_chicken() -> None:
    """Aumann's (6, 6), (2, 7), (7, 2), (0, 0).

    With p, q, q, r on them a symmetric CCE needs p ≤ 2q and 2r ≤ q and pays 6p + 9q each: from
    3.6 (p = 0, r = q/2) to 5.25 (p = 2q, r = 0). Averaging with its mirror image makes any CCE
    symmetric. One agent alone gets from 2, which chickening out secures, to 7, in pure Nash.
    """
    row = np.array([[6, 2], [7, 0]])
    spread = cce_range(matrix_game(row, row.T))
    assert spread is not None
    assert spread.average_low == pytest.approx(3.6, abs=1e-9)
    assert spread.average_high == pytest.approx(5.25, abs=1e-9)
    assert spread.low == pytest.approx([2, 2], abs=1e-9)
    assert spread.high == pytest.approx([7, 7], abs=1e-9)


def test_matching_pennies() -> None:
    row = np.array([[1, -1], [-1, 1]])
    spread = cce_range(matrix_game(row, -row, 2))
    assert spread is not None
    assert spread.low == pytest.approx([0, 0], abs=1e-9)
    assert spread.high == pytest.approx([0, 0], abs=1e-9)


def plain_range(pay: dict[tuple[int, ...], list[float]]) -> tuple[np.ndarray, np.ndarray]:
    """min and max of each player's payoff, then of their mean, over the CCE of a normal form."""
    plays = list(pay)
    N = len(plays[0])
    constraints = [
        [pay[(*x[:i], y, *x[i + 1 :])][i] - pay[x][i] for x in plays]
        for i in range(N)
        for y in sorted({x[i] for x in plays})
    ]
    targets = [[pay[x][i] for x in plays] for i in range(N)]
    targets.append([sum(pay[x]) / N for x in plays])

    def extreme(sign: int) -> np.ndarray:
        return np.array(
            [
                sign
                * linprog(
                    sign * np.array(target),
                    A_ub=constraints,
                    b_ub=np.zeros(len(constraints)),
                    A_eq=np.ones((1, len(plays))),
                    b_eq=[1],
                ).fun
                for target in targets
            ]
        )

    return extreme(1), extreme(-1)


def check(game: Game, low: np.ndarray, high: np.ndarray, budget: int = 10_000) -> None:
    spread = cce_range(game, budget)
    assert spread is not None
    assert [*spread.low, spread.average_low] == pytest.approx(low, abs=1e-6)
    assert [*spread.high, spread.average_high] == pytest.approx(high, abs=1e-6)
    assert abs(spread.slack) < 1e-7


@given(games(agents=3, horizon=1, states=2, actions=4))
@settings(max_examples=30, deadline=None)
def test_one_step_is_the_normal_form(game: Game) -> None:
    low, high = np.zeros(game.N + 1), np.zeros(game.N + 1)
    for s, p in enumerate(game.initial):
        if p > 0:
            pay = {joint: step(game, 0, s, joint)[0] for joint in joint_actions(game, 0, s)}
            below, above = plain_range(pay)
            low, high = low + p * below, high + p * above
    check(game, low, high)


@given(st.integers(0, 2**32 - 1), st.sampled_from([(1, 2), (2, 2), (3, 1)]))
@settings(max_examples=25, deadline=None)
def test_two_steps_without_reduction(seed: int, sizes: tuple[int, int]) -> None:
    """Strategies that also plan for what their own first action, or chance, rules out."""
    agents, states = sizes
    game = random_game(seed, agents, 2, states, 2, starts=1, efforts=2)
    start = int(np.flatnonzero(game.initial)[0])
    plans = []
    for i in range(agents):
        seen = [
            (a, d, following)
            for a in range(game.n_actions[0, start, i])
            for d in np.flatnonzero(game.reachable[1][0, start])
            for following in range(len(game.states[1]))
            if game.reachable[0][0, start, i, d - game.effort[0, start, i, a]]
        ]
        menus = [range(game.n_actions[1, k, i]) for _, _, k in seen]
        plans.append(
            [
                (first, dict(zip(seen, later, strict=True)))
                for first in range(game.n_actions[0, start, i])
                for later in product(*menus)
            ]
        )
    if np.prod([len(own) for own in plans]) > 1100:
        return

    def pay(x: tuple[int, ...]) -> list[float]:
        chosen = [own[k] for own, k in zip(plans, x, strict=True)]
        first = [plan[0] for plan in chosen]
        total = sum(game.effort[0, start, i, a] for i, a in enumerate(first))
        rewards, law = step(game, 0, start, first)
        expected = np.array(rewards)
        for following, p in law.items():
            second = [plan[1][plan[0], total, following] for plan in chosen]
            expected += p * np.array(step(game, 1, following, second)[0])
        return expected.tolist()

    check(game, *plain_range({x: pay(x) for x in product(*(range(len(own)) for own in plans))}))


def test_above_the_budget_it_declines_at_once() -> None:
    # 24 strategies each: 2 · 2² that begin with mild, 2⁴ that begin with intensive
    assert cce_range(fishermen(), budget=575) is None
    assert cce_range(fishermen(), budget=576) is not None
    start = time.process_time()
    assert cce_range(fishermen(2, 30)) is None  # doubly exponential: must not be counted out
    assert cce_range(fishermen(100, 10)) is None
    assert time.process_time() - start < 5
