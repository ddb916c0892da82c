"""The congestion game: its equilibria, its proportions, and its cost for many agents."""

from __future__ import annotations

import time
from itertools import product

import numpy as np
import pytest

from amg.game.library.congestion import congestion


@pytest.mark.parametrize("agents", [2, 3, 4])
def test_equilibria_of_the_last_step_are_the_ways_to_fill_the_link(agents: int) -> None:
    game = congestion(agents=agents)
    for s, capacity in enumerate((agents, (agents + 1) // 2)):
        pay = game.reward[-1, s, 0]  # [own effort, others' sum], the same for all agents
        equilibria = 0
        for profile in product(range(3), repeat=agents):
            load = sum(profile)
            gains = [
                pay[e, load - own] - pay[own, load - own]
                for own in profile
                for e in range(3)
                if e != own
            ]
            if load == capacity:
                assert max(gains) < 0
                equilibria += 1
            else:
                assert max(gains) > 0
        assert equilibria >= agents


def test_pay_by_hand() -> None:
    """Three users; the clear link carries 3, the degraded one 2."""
    clear, degraded = congestion().reward[0, :, 0]
    assert clear[1].tolist()[:5] == [1, 1, 1, -1 / 4, -2 / 5]
    assert clear[2].tolist()[:5] == [2, 2, -2 / 4, -4 / 5, -6 / 6]
    assert degraded[2].tolist()[:5] == [2, -2 / 3, -4 / 4, -6 / 5, -8 / 6]


def test_the_link_by_hand() -> None:
    clear, degraded = congestion().transition[0, :, :, 0]
    np.testing.assert_allclose(clear, 1 - np.arange(7) / 8, rtol=0, atol=1e-15)
    np.testing.assert_allclose(degraded, 3 / 4 - np.arange(7) / 8, rtol=0, atol=1e-15)


def test_laws_depend_on_the_load_per_user_only() -> None:
    few, many = congestion(agents=4, horizon=2), congestion(agents=40, horizon=2)
    np.testing.assert_allclose(few.transition[0], many.transition[0, :, ::10], rtol=0, atol=1e-15)
    assert few.reward_range == many.reward_range
    assert few.aggregate_value(5) == many.aggregate_value(50)


def test_a_hundred_users_are_built_quickly() -> None:
    start = time.process_time()
    game = congestion(agents=100)
    assert time.process_time() - start < 1.5
    assert (game.N, game.A_max, game.D) == (100, 3, 201)
