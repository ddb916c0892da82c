"""Optimistic FTRL: the kernel against plain Python, its certificate against enumeration."""

from __future__ import annotations

import brute_force
import numpy as np
import pytest
from brute_force import AlphaWeighted
from random_cases import random_game

from amg.evaluation.sampler import new_trace
from amg.game.library import BUILDERS, build
from amg.learning.averaging import AveragingLearner
from amg.learning.literal_ftrl import run_ftrl_literal
from amg.learning.parameters import OptimisticFTRL
from amg.learning.train import new_learner, train_run


@pytest.mark.parametrize("rate", [1.0, 20.0])
@pytest.mark.parametrize("name", BUILDERS)
def test_the_kernel_is_the_plain_algorithm(name: str, rate: float) -> None:
    game = build(name)
    learner = new_learner(game, OptimisticFTRL(rate=rate), 30, seed=1)
    assert isinstance(learner, AveragingLearner)
    learner.passes = 1
    for k, policies in enumerate(run_ftrl_literal(game, rate, 30)):
        for t, s in np.argwhere(game.exists).tolist():
            for i, law in enumerate(policies[t][s]):
                got = learner.memory.policy[t, s, i, : len(law)]
                np.testing.assert_allclose(got, law, rtol=0, atol=1e-9)
        learner.advance(k + 1)


@pytest.mark.parametrize("N", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_the_certificate_is_that_of_the_nested_mixture(seed: int, N: int) -> None:
    """All states are visited in each iteration; the policy begins with the last one."""
    K = 8
    game = random_game(np.random.default_rng(seed + 50 * N), N=N, T=2, S=2, A=3)
    policies = list(run_ftrl_literal(game, 5.0, K))
    online = train_run(game, OptimisticFTRL(rate=5.0), K, seed=1).online
    assert online is not None
    low, high = online.best_response()
    assert (low == high).all()
    floor = game.T * game.reward_range[0]
    for b, one in enumerate(brute_force.starting_in(game).values()):
        device = Nested(one, policies)
        value = floor + game.scale * online.value[b]
        np.testing.assert_allclose(value, brute_force.value(one, device), rtol=0, atol=1e-9)
        for i in range(N):
            informed = floor + game.scale * online.informed[b, i]
            assert informed == pytest.approx(brute_force.informed(one, device, i), abs=1e-9)
            best = floor + game.scale * high[b, i]
            assert best == pytest.approx(brute_force.best_response(one, device, i), abs=1e-9)


class Nested(AlphaWeighted):
    """After iteration k a state was visited k times; play goes on as after the drawn iteration."""

    def __init__(self, game, policies) -> None:  # type: ignore[no-untyped-def]
        super().__init__(game, new_trace(game, 0))
        self.policies, self.K, self.game = policies, len(policies), game

    def start(self) -> list[tuple[float, int]]:
        return [(1.0, self.K)]

    def act(self, t, s, memory):  # type: ignore[no-untyped-def]
        alpha = [(self.T + 1) / (self.T + j) for j in range(1, memory + 1)]
        rows = []
        for j, law in enumerate(alpha):
            weight = law * np.prod([1 - later for later in alpha[j + 1 :]])
            policy = np.zeros((self.game.N, self.game.A_max))
            for i, own in enumerate(self.policies[j][t][s]):
                policy[i, : len(own)] = own
            rows.append((float(weight), policy, j + 1))
        return rows


def test_it_converges_to_the_equilibrium() -> None:
    """Intensive fishing dominates: the gap goes to 0, the value to 19.2."""
    run = train_run(build("fishermen"), OptimisticFTRL(), 10_000, seed=1)
    found = run.evaluate()
    assert 0 < found.gap.max() < 1e-3
    assert found.value == pytest.approx([19.2, 19.2], abs=1e-3)


def test_the_seed_does_not_matter() -> None:
    runs = [train_run(build("inspection"), OptimisticFTRL(), 50, seed=s) for s in (1, 2)]
    assert (runs[0].evaluate().gap == runs[1].evaluate().gap).all()
