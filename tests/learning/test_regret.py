"""Realised regret: against sums over joint actions, and what Tsallis-INF's theorem says of it."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from amg.game.library import build
from amg.game.proof import tsallis_bound
from amg.learning import literal
from amg.learning.parameters import VLearning
from amg.learning.regret import (
    coin_losses,
    losses,
    play_against,
    stage_regrets,
    tsallis_inf_of,
    turning_losses,
)
from amg.learning.train import train_traced

EPISODES = 40


@pytest.mark.parametrize("A", [2, 3, 7])
def test_the_policy_of_many_learners_is_that_of_line_11(A: int) -> None:
    rng = np.random.default_rng(A)
    q_hat = rng.exponential(size=(50, A)) * np.geomspace(1e-3, 1e6, 50)[:, None]
    for eta in (2.0, 0.1):
        expected = [literal.tsallis_inf(row, eta) for row in q_hat.tolist()]
        np.testing.assert_allclose(tsallis_inf_of(q_hat, eta), expected, rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("name", ["inspection", "congestion", "demand_response"])
def test_regret_of_stages_against_a_sum_over_joint_actions(name: str) -> None:
    game = build(name)
    run = train_traced(game, VLearning(fluctuation="fixed"), EPISODES, 3)
    trace = run.trace
    assert trace is not None
    expected = []
    for t, s in np.argwhere(game.exists).tolist():
        by_stage: dict[int, list[int]] = {}
        for k in range(EPISODES):
            if trace.state[k, t] == s:
                by_stage.setdefault(int(trace.stage[k, t, s]), []).append(k)
        for visits in by_stage.values():
            if len(visits) < trace.stage_length[visits[0], t, s]:
                continue
            for i in range(game.N):
                menus = [range(int(n)) for n in game.n_actions[t, s]]
                loss = np.zeros((len(visits), len(menus[i])))
                for j, k in enumerate(visits):
                    for joint in product(*menus):
                        chance = 1.0
                        for other, a in enumerate(joint):
                            chance *= trace.policy[k, t, other, a] if other != i else 1.0
                        efforts = game.effort[t, s, range(game.N), joint]
                        total, own = int(efforts.sum()), joint[i]
                        raw = game.reward[t, s, i, own, total - efforts[i]]
                        paid = (raw - game.reward_range[0]) / game.scale
                        ahead = 0.0
                        if t + 1 < game.T:
                            ahead = float(game.transition[t, s, total] @ trace.vbar[k, t + 1, :, i])
                        loss[j, own] += chance * (game.T - t - paid - ahead) / game.T
                np.testing.assert_allclose(
                    losses(game, trace, t, s, i, np.array(visits)), loss, atol=1e-12
                )
                own_policy = trace.policy[visits, t, i, : loss.shape[1]]
                expected.append((own_policy * loss).sum() - loss.sum(axis=0).min())
    found = stage_regrets([run])
    np.testing.assert_allclose(found.regret, expected, atol=1e-12)
    assert len(expected) > 10
    assert (found.regret <= found.visits).all()


def test_in_games_no_stage_comes_near_the_bound() -> None:
    for name in ("fishermen", "inspection"):
        found = stage_regrets(
            [train_traced(build(name), VLearning(), 2000, seed) for seed in (7, 8)]
        )
        assert found.units.max() < 2.5


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("A", [2, 4])
def test_mean_regret_is_within_the_bound_for_both_rates(A: int, late: bool) -> None:
    """On losses fixed ahead: coins, turning losses, and one action a little better."""
    rng = np.random.default_rng(5)
    n = 400
    better = (rng.random((n, A)) < np.where(np.arange(A) == 1, 0.4, 0.5)).astype(float)
    for loss in (coin_losses(n, A, rng), turning_losses(n, A), turning_losses(n, A, 0.5), better):
        regret = play_against(loss, 300, late, rng)
        error = regret.std() / np.sqrt(len(regret))
        assert regret.mean() - 3 * error <= tsallis_bound(A, n, late)


@pytest.mark.parametrize("late", [False, True])
def test_realised_regret_is_linear_in_a_share_of_runs(late: bool) -> None:
    """So no bound of order √(ι c̃) holds with the probability that the lemma needs."""
    n = 1500
    regret = play_against(turning_losses(n, 2), 200, late, np.random.default_rng(2))
    assert regret.mean() <= tsallis_bound(2, n, late)
    assert (regret > 4 * np.sqrt(2 * n) + 1).mean() > 0.03
    assert regret.max() > 0.3 * n
