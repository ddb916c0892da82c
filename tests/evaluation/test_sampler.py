"""The certified policy: playing it (Algorithms 5 and 6) against its exact value."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest
from cases import few
from numpy.typing import NDArray

from amg.evaluation.controller import Controller, from_certificate
from amg.evaluation.evaluation import Evaluation, evaluate_controller
from amg.evaluation.sampler import Sampler, Trace
from amg.game.library import BUILDERS
from amg.game.model import Game
from amg.learning.parameters import VLearning
from amg.learning.train import train_traced

EPISODES = 400


@cache
def certified(name: str) -> tuple[Game, Trace, Controller, Evaluation]:
    """One short run for each game; a small bonus makes the policies move away from uniform."""
    game = BUILDERS[name]()
    run = train_traced(game, VLearning(stage_rule="real", bonus=0.1), EPISODES, seed=5)
    assert run.certificate is not None
    assert run.trace is not None
    controller = from_certificate(run.certificate)
    return game, run.trace, controller, evaluate_controller(game, controller)


def assert_mean(
    game: Game, returns: NDArray[np.float64], expected: NDArray[np.float64], resolution: float
) -> None:
    """Within 4 standard errors, which must be a small enough share of the reward range to tell."""
    error = returns.std(axis=0, ddof=1) / np.sqrt(len(returns))
    assert (4 * error < resolution * game.scale).all()
    assert (np.abs(returns.mean(axis=0) - expected) <= 4 * error + 1e-12).all()


def raw(game: Game, t: int, value: NDArray[np.float64]) -> NDArray[np.float64]:
    """What is normalised from step t on, in the game's own units."""
    return (game.T - t) * game.reward_range[0] + game.scale * value


@pytest.mark.parametrize("name", few(BUILDERS, "fishermen", "inspection"))
def test_mean_return_of_algorithm_5_is_the_exact_value(name: str) -> None:
    game, trace, _, evaluation = certified(name)
    sampler = Sampler(game, trace, np.random.default_rng(1))
    returns = np.array([sampler.play_output_policy() for _ in range(40_000)])
    assert_mean(game, returns, evaluation.value, resolution=0.01)


@pytest.mark.parametrize("name", BUILDERS)
def test_mean_return_of_algorithm_6_is_the_value_of_its_node(name: str) -> None:
    game, trace, controller, evaluation = certified(name)
    k = EPISODES - 1
    for t, s in np.argwhere(game.exists).tolist():
        node = controller.base[t, s] + trace.stage[k, t, s]
        sampler = Sampler(game, trace, np.random.default_rng(t))
        returns = np.array([sampler.play_correlated_policy(t, k, s) for _ in range(5_000)])
        assert_mean(game, returns, raw(game, t, evaluation.node_value[node]), resolution=0.03)


@pytest.mark.parametrize("name", BUILDERS)
def test_node_values_solve_the_papers_recursion(name: str) -> None:
    """V^{π̄^{t,k}}(s) = 1/c̃ Σ_j D_{π^{t,l̃_j}} (r + P V^{π̄^{t+1,l̃_j}})(s), over joint actions."""
    game, trace, controller, evaluation = certified(name)
    K, uniform = EPISODES, game.uniform_policy()

    def expected(
        t: int, s: int, policy: NDArray[np.float64], ahead: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        value = np.zeros(game.N)
        for actions in product(*(range(n) for n in game.n_actions[t, s])):
            effort = [int(game.effort[t, s, i, a]) for i, a in enumerate(actions)]
            reward = [
                game.reward[t, s, i, a, sum(effort) - effort[i]] for i, a in enumerate(actions)
            ]
            after = game.transition[t, s, sum(effort)] @ ahead
            value += np.prod([policy[i, a] for i, a in enumerate(actions)]) * (reward + after)
        return value

    blind = np.zeros((game.T + 1, game.S, game.N))  # uniform play to the end
    value = np.zeros((game.T + 1, K, game.S, game.N))
    for t in reversed(range(game.T)):
        for s in range(len(game.states[t])):
            blind[t, s] = expected(t, s, uniform[t, s], blind[t + 1])
            visits = np.flatnonzero(trace.state[:, t] == s)
            for m in range(trace.stage[-1, t, s] + 1):
                now = trace.stage[:, t, s] == m
                last = visits[trace.stage[visits, t, s] == m - 1]
                value[t, now, s] = (
                    np.mean(
                        [expected(t, s, trace.policy[l, t], value[t + 1, l]) for l in last], axis=0
                    )
                    if m
                    else blind[t, s]
                )
    for t, s in np.argwhere(game.exists).tolist():
        nodes = controller.base[t, s] + trace.stage[:, t, s]
        np.testing.assert_allclose(
            raw(game, t, evaluation.node_value[nodes]), value[t, :, s], rtol=1e-10, atol=1e-10
        )
    np.testing.assert_allclose(
        evaluation.value, game.initial @ value[0].mean(axis=0), rtol=1e-10, atol=1e-10
    )


def test_the_drawn_visit_decides_on_what_follows() -> None:
    """Two steps of two agents, by hand: each draw has one outcome, so the return is certain."""
    game = BUILDERS["inspection"](horizon=2)
    K, T, S, N, A = 3, game.T, game.S, game.N, 2
    pure = np.eye(A)
    trace = Trace(
        state=np.zeros((K, T), dtype=np.int64),
        action=np.zeros((K, T, N), dtype=np.int64),
        aggregate=np.zeros((K, T)),
        reward=np.zeros((K, T, N)),
        policy=np.stack(
            [  # episode by episode: at step 1 and at step 2, of inspector and inspectee
                [[pure[0], pure[0]], [pure[0], pure[1]]],
                [[pure[0], pure[1]], [pure[1], pure[0]]],
                [[pure[1], pure[1]], [pure[1], pure[1]]],
            ]
        ),
        stage=np.array([[[0, 0], [0, 0]], [[1, 0], [1, 0]], [[2, 0], [2, 0]]]),
        stage_length=np.ones((K, T, S), dtype=np.int64),
        vbar=np.zeros((K, T, S, N)),
    )

    def returns(t: int, k: int, s: int) -> NDArray[np.float64]:
        sampler = Sampler(game, trace, np.random.default_rng(0))
        return np.array([sampler.play_correlated_policy(t, k, s) for _ in range(2_000)])

    # step 2, routine state: k = 2 plays episode 1's policy (inspect, comply), k = 1 episode 0's
    assert (returns(1, 2, 0) == [1, 4]).all()
    assert (returns(1, 1, 0) == [3, 2]).all()
    # step 1: k = 2 plays episode 1's (rest, violate), paid 3, and goes on as k = 1 does from
    # there: 3 again in the routine state; the alert state was never visited, so uniform
    seen = returns(0, 2, 0)[:, 0]
    assert set(seen) == {3 + 3, 3 + 4, 3 + 0, 3 + 2}
    assert np.mean(seen == 6) == pytest.approx(1 / 2, abs=0.05)  # P(routine | total 1)
    # the alert state of step 1 has no complete stage: uniform there and at step 2 too, where the
    # routine state of k = 2 would have had one that pays 1
    lost = returns(0, 2, 1)[:, 0]
    assert set(lost) == {first + second for first in (4, 0, 2) for second in (5, 3, 1, 4, 0, 2)}
