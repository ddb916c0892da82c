"""The demand response game has the features it is there for."""

from __future__ import annotations

import numpy as np
import pytest

from amg.game.library.demand_response import demand_response


def test_states_change_with_the_step() -> None:
    game = demand_response()
    assert game.T >= 4
    assert len({len(states) for states in game.states}) > 1
    assert len(set(game.states)) == game.T


def test_the_first_state_is_random() -> None:
    assert demand_response().initial.tolist() == [0.6, 0.4, 0]
    assert demand_response(heat=0.125).initial.tolist() == [0.875, 0.125, 0]


def test_action_sets_change_by_agent_step_and_state() -> None:
    game = demand_response()
    sizes = game.n_actions
    assert set(sizes.flat) == {0, 1, 2, 3}  # 0 only for states that do not exist
    evening = dict(zip(game.states[2], game.actions[2], strict=True))
    assert evening["emergency"] == (("save", "normal"), ("idle", "half"), ("wait",))
    assert len(set(evening.values())) == 3
    assert (sizes[0, 0] != sizes[3, 0]).any()


def test_some_sums_between_the_least_and_the_most_cannot_happen() -> None:
    totals = demand_response().reachable[1][3, 1]
    assert totals.tolist() == [False, True, False, True, False, False, False]


def test_pay_by_hand() -> None:
    """In a tight evening, τ = 5/4 and energy is worth 4, 2 and 4 to the three."""
    household, factory, car = demand_response().reward[2, 1]
    assert household[1, :4].tolist() == [4 - 5 / 4 * (1 + d) for d in range(4)]
    assert factory[1, :4].tolist() == [2 - 5 / 4 * (1 + d) for d in range(4)]
    assert car[1, :3].tolist() == [8 - 5 / 2 * (2 + d) for d in range(3)]
    dear = demand_response(price=2).reward[2, 1]
    assert dear[0, 1, :4].tolist() == [4 - 5 / 2 * (1 + d) for d in range(4)]


@pytest.mark.parametrize(
    ("t", "worth", "tension"),
    [
        (0, (2, 4, None), {"cool": 3 / 4, "hot": 5 / 4}),
        (1, (2, 4, 2), {"normal": 3 / 4, "tight": 5 / 4}),
        (2, (4, 2, 4), {"normal": 3 / 4, "tight": 5 / 4, "emergency": 7 / 4}),
        (3, (4, None, 4), {"quiet": 5 / 4, "rationed": 7 / 4}),
    ],
)
def test_worth_and_tension(
    t: int, worth: tuple[int | None, ...], tension: dict[str, float]
) -> None:
    """r = w e − τ e (e + σ), wherever an agent can draw anything."""
    game = demand_response()
    assert game.states[t] == tuple(tension)
    for s, tau in enumerate(tension.values()):
        for i, w in enumerate(worth):
            for a in range(game.n_actions[t, s, i]):
                e = game.effort[t, s, i, a]
                for d in np.flatnonzero(game.reachable[0][t, s, i]):
                    assert game.reward[t, s, i, a, d] == (w * e - tau * e * (e + d) if w else 0)


@pytest.mark.parametrize(("t", "scarce"), [(0, ["tight"]), (1, ["emergency"]), (2, ["rationed"])])
def test_load_makes_scarcity_likelier(t: int, scarce: list[str]) -> None:
    game = demand_response()
    for s in range(len(game.states[t])):
        loads = np.flatnonzero(game.reachable[1][t, s])
        for name in scarce:
            chance = game.transition[t, s, loads, game.states[t + 1].index(name)]
            assert (np.diff(chance) > 0).all()


def test_midday_by_hand() -> None:
    normal, tight = demand_response().transition[1, :2, 4]  # at a load of 4
    np.testing.assert_allclose(normal, [1 / 2, 1 / 3, 1 / 6], rtol=0, atol=1e-15)
    np.testing.assert_allclose(tight, [1 / 6, 1 / 2, 1 / 3], rtol=0, atol=1e-15)


def test_no_agent_is_indifferent_to_the_others() -> None:
    """Wherever an agent has a choice its pay depends on what the others draw."""
    game = demand_response()
    for t, s, i in np.argwhere(game.n_actions > 1):
        sums = np.flatnonzero(game.reachable[0][t, s, i])
        assert (np.diff(game.reward[t, s, i, 1, sums]) < 0).all()
