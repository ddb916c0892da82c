"""The market game: its pays and demand by hand, and that no action dominates."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from amg.game.library.market import market

HIGH, LOW, FEW, MANY = 0, 1, 0, 1


def test_pay_by_hand() -> None:
    """Three firms; the margin is 6.5 − Q or 5.5 − Q, and the others make 2, 3 or 4 units."""
    high, low = market().reward[0, :, 0]
    assert high[FEW, :3].tolist() == [3.5, 2.5, 1.5]
    assert high[MANY, :3].tolist() == [2 * 2.5, 2 * 1.5, 2 * 0.5]
    assert low[FEW, :3].tolist() == [2.5, 1.5, 0.5]
    assert low[MANY, :3].tolist() == [2 * 1.5, 2 * 0.5, 2 * -0.5]


def test_demand_by_hand() -> None:
    """Three firms make 3 to 6 units."""
    high, low = market().transition[0, :, :, HIGH]
    np.testing.assert_allclose(high, [0.9, 0.7, 0.5, 0.3], rtol=0, atol=1e-15)
    np.testing.assert_allclose(low, [0.7, 0.5, 0.3, 0.1], rtol=0, atol=1e-15)


def test_efforts_and_totals() -> None:
    game = market()
    assert (game.N, game.T, game.A_max) == (3, 2, 2)
    assert [game.effort_value(int(n)) for n in game.effort[0, 0, 0]] == [1, 2]
    assert [game.aggregate_value(d) for d in range(game.D)] == [3, 4, 5, 6]
    assert game.initial.tolist() == [1, 0]


@pytest.mark.parametrize("agents", [2, 3, 4, 10, 100])
@pytest.mark.parametrize("state", [HIGH, LOW])
def test_no_action_dominates_at_the_last_step(agents: int, state: int) -> None:
    pay = market(agents=agents).reward[-1, state, 0]
    gain = pay[MANY, :agents] - pay[FEW, :agents]  # by how many others make many
    assert gain[0] > 0
    assert gain[-1] < 0
    assert (np.diff(gain) < 0).all()


@pytest.mark.parametrize(("state", "makers"), [(HIGH, 2), (LOW, 1)])
def test_how_many_of_three_firms_make_much_in_a_pure_equilibrium(state: int, makers: int) -> None:
    pay = market().reward[-1, state, 0]
    for profile in product((FEW, MANY), repeat=3):
        others = [sum(profile) - own for own in profile]
        stable = all(pay[own, d] > pay[1 - own, d] for own, d in zip(profile, others, strict=True))
        assert stable == (sum(profile) == makers)


def test_the_unrestricted_quantity_is_the_same_for_any_number_of_firms() -> None:
    """m/4 units each: there the pay of a firm, e (m − 4 (e + σ)/(N+1)), is at its top."""
    for agents, margin in product((2, 3, 10), (6.5, 5.5)):
        unit = margin / 4
        slope = margin - 4 * (2 * unit + (agents - 1) * unit) / (agents + 1)
        assert slope == pytest.approx(0, abs=1e-12)
        pay = market(agents=agents).reward[0, HIGH, 0, MANY, :agents]
        totals = agents + 1 + np.arange(agents)
        np.testing.assert_allclose(pay, 2 * (6.5 - 4 * totals / (agents + 1)), rtol=0, atol=1e-12)
