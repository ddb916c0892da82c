"""Dominance, against enumeration of joint actions; uniqueness, against the range of all CCE."""

from __future__ import annotations

import time
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from reference_games import games, joint_actions, matrix_game, random_game, step

from amg.exact import cce_range, dominance_equilibrium
from amg.game.library.fishermen import fishermen
from amg.game.model import Game


def test_fishermen() -> None:
    equilibrium = dominance_equilibrium(fishermen())
    assert equilibrium is not None
    assert equilibrium.per_agent == pytest.approx([19.2, 19.2], abs=1e-12)
    assert equilibrium.unique_cce
    assert (equilibrium.actions == 0).all()  # intensive


def test_a_hundred_fishermen() -> None:
    """All intensive: 10 in a high stock, 9 in a low one, high again once in five times."""
    game = fishermen(100)
    start = time.process_time()
    equilibrium = dominance_equilibrium(game)
    assert time.process_time() - start < 5
    assert equilibrium is not None
    assert equilibrium.per_agent == pytest.approx([19.2] * 100, abs=1e-12)
    assert equilibrium.unique_cce


@given(games(agents=3, horizon=2, states=2, actions=3, eager=0.4))
@settings(max_examples=80, deadline=None)
def test_enumeration(game: Game) -> None:
    """Iterated elimination written down on joint actions, one dominated action at a time."""

    def solve(t: int, s: int) -> tuple[list[float], tuple[int, ...]] | None:
        pay = {}
        for joint in joint_actions(game, t, s):
            rewards, law = step(game, t, s, joint)
            later = [solve(t + 1, following) for following in law]
            if any(rest is None for rest in later):
                return None
            pay[joint] = [
                rewards[i]
                + sum(p * rest[0][i] for p, rest in zip(law.values(), later, strict=True) if rest)
                for i in range(game.N)
            ]
        left = [set(range(n)) for n in game.n_actions[t, s]]

        def beats(i: int, b: int, a: int) -> bool:
            return all(
                pay[(*joint[:i], b, *joint[i + 1 :])][i]
                > pay[(*joint[:i], a, *joint[i + 1 :])][i] + 1e-9 * game.scale
                for joint in product(*left)
            )

        while True:
            worse = next(
                (
                    (i, a)
                    for i in range(game.N)
                    for a in left[i]
                    if any(beats(i, b, a) for b in left[i] if b != a)
                ),
                None,
            )
            if worse is None:
                break
            left[worse[0]].remove(worse[1])
        if any(len(own) > 1 for own in left):
            return None
        joint = tuple(min(own) for own in left)
        return pay[joint], joint

    stages = {(t, s): solve(t, s) for t in range(game.T) for s in range(len(game.states[t]))}
    equilibrium = dominance_equilibrium(game)
    if any(stage is None for stage in stages.values()):
        assert equilibrium is None
        return
    assert equilibrium is not None
    for (t, s), stage in stages.items():
        assert tuple(equilibrium.actions[t, s]) == stage[1]
    expected = sum(p * np.array(stages[0, s][0]) for s, p in enumerate(game.initial) if p > 0)
    assert equilibrium.per_agent == pytest.approx(expected, abs=1e-12)


def test_ties_dominate_nothing() -> None:
    assert dominance_equilibrium(matrix_game([[1, 2], [1, 2]], [[1, 0], [1, 0]])) is None
    assert dominance_equilibrium(matrix_game([[1, 0], [0, 1]], [[1, 0], [0, 1]])) is None


def test_iterated_dominance_leaves_room_for_other_coarse_equilibria() -> None:
    """Found by search: elimination leaves one action each, yet CCE pay differently."""
    row = [[2, 1, 1], [3, 2, 0], [2, 1, 2]]
    column = [[0, 3, 2], [3, 2, 1], [2, 1, 0]]
    equilibrium = dominance_equilibrium(matrix_game(row, column))
    spread = cce_range(matrix_game(row, column))
    assert equilibrium is not None
    assert spread is not None
    assert equilibrium.per_agent == pytest.approx([3, 3])
    assert not equilibrium.unique_cce
    assert spread.low == pytest.approx([5 / 3, 3 / 2], abs=1e-9)


def test_stage_dominance_is_not_enough_in_several_steps() -> None:
    """The prisoner's dilemma of the module's docstring: unique once, not unique twice."""
    row = np.array([[3, 0], [4, 1]])
    once, twice = (matrix_game(row, row.T, horizon) for horizon in (1, 2))
    equilibrium, spread = dominance_equilibrium(once), cce_range(once)
    assert equilibrium is not None
    assert spread is not None
    assert equilibrium.unique_cce
    assert spread.width < 1e-9

    equilibrium, spread = dominance_equilibrium(twice), cce_range(twice)
    assert equilibrium is not None
    assert spread is not None
    assert not equilibrium.unique_cce
    # the coin of the docstring pays 3 + 3 or 1 + 1
    assert spread.average_high > 4 - 1e-9
    assert spread.average_low == pytest.approx(2, abs=1e-9)


@pytest.mark.slow
def test_proved_unique_is_unique() -> None:
    """Whatever is proved must hold: against the range of all CCE of random two-step games."""
    rng = np.random.default_rng(1)
    candidates = [
        random_game(seed, 2, 2, 2, 2, starts=1, eager=0.5 + seed / 100) for seed in range(100)
    ]
    candidates += [matrix_game(*rng.integers(0, 9, (2, 2, 2)), 2) for _ in range(250)]
    proved = refuted = 0
    for game in candidates:
        equilibrium = dominance_equilibrium(game)
        spread = None if equilibrium is None else cce_range(game, 600)
        if equilibrium is None or spread is None or game.n_actions.max() == 1:
            continue
        assert (spread.low <= equilibrium.per_agent + 1e-9).all()
        assert (spread.high >= equilibrium.per_agent - 1e-9).all()
        if equilibrium.unique_cce:
            assert spread.width < 1e-7
        proved += equilibrium.unique_cce
        refuted += spread.width > 1e-7
    assert proved > 20
    assert refuted > 3  # there is something to tell apart: dominance alone would be wrong here
