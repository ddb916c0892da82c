"""The Fishermen Game against the numbers typed from the paper's Section IV."""

from __future__ import annotations

import numpy as np
import pytest

from amg.game.library.fishermen import fishermen

# rows: agent 1 plays a_m, a_f; columns: agent 2 plays a_m, a_f; (r_1, r_2)
PAYOFFS = {
    "high": [[(10, 10), (18, 3)], [(3, 18), (9, 9)]],
    "low": [[(9, 9), (17, 2)], [(2, 17), (8, 8)]],
}
STAYS_HIGH = {"high": {6: 1, 8: 2 / 3, 10: 1 / 5}, "low": {6: 1, 8: 1 / 2, 10: 0}}
ACTIONS = ("intensive", "mild")  # a_m, a_f


def test_the_papers_game() -> None:
    game = fishermen()
    assert (game.N, game.T) == (2, 2)
    assert game.states == (("high", "low"),) * 2
    assert game.actions == (((ACTIONS, ACTIONS),) * 2,) * 2
    assert game.initial.tolist() == [1, 0]
    assert game.reward_range == (2, 18)
    efforts = [[game.effort_value(int(e)) for e in agent] for agent in game.effort[0, 0]]
    assert efforts == [[5, 3]] * 2
    assert [game.aggregate_value(d) for d in range(game.D)] == [6, 8, 10]


@pytest.mark.parametrize("t", [0, 1])
@pytest.mark.parametrize(("s", "state"), [(0, "high"), (1, "low")])
def test_payoff_matrices(t: int, s: int, state: str) -> None:
    game = fishermen()
    for a_1 in range(2):
        for a_2 in range(2):
            e_1, e_2 = game.effort[t, s, 0, a_1], game.effort[t, s, 1, a_2]
            pay = game.reward[t, s, 0, a_1, e_2], game.reward[t, s, 1, a_2, e_1]
            np.testing.assert_allclose(pay, PAYOFFS[state][a_1][a_2], rtol=0, atol=1e-12)


@pytest.mark.parametrize(("s", "state"), [(0, "high"), (1, "low")])
def test_transition_probabilities(s: int, state: str) -> None:
    game = fishermen(horizon=3)
    for t in range(2):
        for d, total in enumerate((6, 8, 10)):
            high = STAYS_HIGH[state][total]
            np.testing.assert_allclose(
                game.transition[t, s, d], [high, 1 - high], rtol=0, atol=1e-12
            )


@pytest.mark.parametrize("agents", [2, 3, 10])
def test_the_form_for_n_agents_is_the_formula_in_twice_the_mean(agents: int) -> None:
    game = fishermen(agents=agents)
    for s, cost in enumerate((0, 1)):
        for a, x in enumerate((5, 3)):
            f = -(x**2) / 2 + 23 * x / 2 + 1
            for intensive in range(agents):  # how many of the others fish intensively
                mean = (x + 5 * intensive + 3 * (agents - 1 - intensive)) / agents
                g = (2 * mean) ** 2 / 4 - mean + 16
                for i in range(agents):
                    pay = game.reward[0, s, i, a, intensive]
                    assert pay == pytest.approx(f - g - cost, rel=0, abs=1e-12)


@pytest.mark.parametrize("agents", [2, 3, 10])
def test_the_stock_runs_linearly_between_the_papers_points(agents: int) -> None:
    game = fishermen(agents=agents)
    for s, state in enumerate(("high", "low")):
        at = [6 + 4 * d / agents for d in range(agents + 1)]
        high = np.interp(at, list(STAYS_HIGH[state]), list(STAYS_HIGH[state].values()))
        np.testing.assert_allclose(game.transition[0, s, :, 0], high, rtol=0, atol=1e-12)


@pytest.mark.parametrize("agents", [2, 3, 7, 30])
def test_the_declared_range_is_attained_for_any_number_of_agents(agents: int) -> None:
    game = fishermen(agents=agents)
    pay = game.reward[..., :agents]  # the others' sums that can happen
    assert (pay.min(), pay.max()) == game.reward_range
