"""The team optimum, against enumeration of joint actions, counting and closed forms."""

from __future__ import annotations

import time
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from reference_games import games, joint_actions, random_game, step

from amg.exact import team_optimum
from amg.game.library.fishermen import fishermen
from amg.game.model import Game
from amg.game.tabulation import tabulate


def test_fishermen() -> None:
    optimum = team_optimum(fishermen())
    assert optimum.average == pytest.approx(20 + 2 / 3, abs=1e-12)
    assert optimum.per_agent.mean() == pytest.approx(optimum.average, abs=1e-12)
    # one fishes, the other spares the stock, in both states and steps
    assert (np.sort(optimum.actions, axis=2) == [0, 1]).all()


@given(games(agents=3, horizon=3, states=2, actions=3))
@settings(max_examples=60, deadline=None)
def test_enumeration(game: Game) -> None:
    def best(t: int, s: int) -> float:
        if t == game.T:
            return 0.0
        return max(worth(t, s, joint) for joint in joint_actions(game, t, s))

    def worth(t: int, s: int, joint: tuple[int, ...]) -> float:
        rewards, law = step(game, t, s, joint)
        return sum(rewards) + sum(p * best(t + 1, following) for following, p in law.items())

    optimum = team_optimum(game)
    starts = [(s, p) for s, p in enumerate(game.initial.tolist()) if p > 0]
    expected = sum(p * best(0, s) for s, p in starts) / game.N
    assert optimum.average == pytest.approx(expected, abs=1e-12)
    assert optimum.per_agent.mean() == pytest.approx(expected, abs=1e-12)
    for s in range(len(game.states[0])):
        assert worth(0, s, tuple(optimum.actions[0, s])) == pytest.approx(best(0, s), abs=1e-12)


def test_a_hundred_fishermen_by_the_number_of_mild_ones() -> None:
    """All alike, so that a joint action is a number: enumerate it, in fractions."""
    N = 100

    def welfare(mild: int, low: int) -> Fraction:
        a = Fraction(5 * N - 2 * mild) * 2 / N
        return 46 * (N - mild) + 31 * mild - N * (a * a / 4 - a / 2 + 16 + low)

    def high(mild: int, low: int) -> Fraction:
        a = Fraction(5 * N - 2 * mild) * 2 / N
        at6, at8, at10 = (1, Fraction(1, 2), 0) if low else (1, Fraction(2, 3), Fraction(1, 5))
        return at6 + (at8 - at6) * (a - 6) / 2 if a <= 8 else at8 + (at10 - at8) * (a - 8) / 2

    good = bad = Fraction(0)
    for _ in range(3):
        good, bad = (
            max(
                welfare(mild, low) + high(mild, low) * good + (1 - high(mild, low)) * bad
                for mild in range(N + 1)
            )
            for low in (0, 1)
        )
    optimum = team_optimum(fishermen(N, 3))
    assert optimum.average == pytest.approx(float(good / N), abs=1e-10)


def test_a_hundred_agents_who_all_differ() -> None:
    """Value v_i for taking part, a convex cost of the total: the d most eager take part."""
    N = 100
    eagerness = np.random.default_rng(5).random(N)
    game = tabulate(
        name="crowd",
        agents=[str(i) for i in range(N)],
        states=[["only"]],
        efforts=lambda t, s, i: {"stay": 0, "go": 1},
        reward=lambda t, s, i, a, o: float(
            (a == "go") * eagerness[i] - ((a == "go") + o) ** 2 / (2 * N * N)
        ),
        transition=lambda t, s, d: {},
        initial={"only": 1},
        reward_range=(-1, 1),
    )
    gains = np.append(0, np.cumsum(np.sort(eagerness)[::-1]))
    welfare = gains - np.arange(N + 1) ** 2 / (2 * N)
    optimum = team_optimum(game)
    assert optimum.average == pytest.approx(welfare.max() / N, abs=1e-12)
    takers = np.flatnonzero(optimum.actions[0, 0])
    assert set(takers) == set(np.argsort(-eagerness)[: welfare.argmax()])


def test_three_actions_and_a_hundred_agents_take_no_time() -> None:
    """Efforts 0, 1, 2 priced at c − d: the total d earns d (c − d)."""
    N = 100
    game = tabulate(
        name="market",
        agents=[str(i) for i in range(N)],
        states=[["only"]] * 3,
        efforts=lambda t, s, i: {"0": 0, "1": 1, "2": 2},
        reward=lambda t, s, i, a, o: int(a) * (131 - int(a) - int(o)),
        transition=lambda t, s, d: {"only": 1},
        initial={"only": 1},
        reward_range=(-200, 300),
    )
    assert game.D == 201
    team_optimum(random_game(0))  # compiles
    start = time.process_time()
    optimum = team_optimum(game)
    assert time.process_time() - start < 2
    assert optimum.average == pytest.approx(3 * 65 * 66 / N, abs=1e-9)
