"""Incremental V-learning: the kernel against plain Python, its certificate against enumeration."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import brute_force
import numpy as np
import pytest
from brute_force import AlphaWeighted
from cases import few
from random_cases import random_game

from amg.base.errors import FileError
from amg.evaluation.online import OnlineCertificate
from amg.evaluation.sampler import Trace
from amg.game.library import BUILDERS, build
from amg.game.model import Game
from amg.learning.averaging import AveragingLearner
from amg.learning.episode import generator
from amg.learning.literal_incremental import run_incremental_literal, weights
from amg.learning.parameters import IncrementalVLearning
from amg.learning.train import new_learner, train_run
from amg.results.run_file import load_run, save_runs

BANDITS = ("exponential", "tsallis")


def literal(game: Game, parameters: IncrementalVLearning, episodes: int, seed: int = 3) -> Trace:
    rng = generator(game, parameters, episodes, seed)
    return run_incremental_literal(game, parameters, episodes, rng)


def certificate_of(
    game: Game, parameters: IncrementalVLearning, episodes: int
) -> OnlineCertificate:
    online = train_run(game, parameters, episodes, seed=3).online
    assert online is not None
    return online


@pytest.mark.parametrize("bandit", BANDITS)
@pytest.mark.parametrize("bonus", [0.0, 1.0])
@pytest.mark.parametrize("name", BUILDERS)
def test_the_kernel_is_the_plain_algorithm(name: str, bonus: float, bandit: str) -> None:
    """Policies and V before every episode, states, actions and returns."""
    game, parameters = build(name), IncrementalVLearning(bandit=bandit, bonus=bonus)
    trace = literal(game, parameters, 150)
    learner = new_learner(game, parameters, 150, seed=3)
    assert isinstance(learner, AveragingLearner)
    learner.passes = 1  # of two passes, the second is a copy of the first
    for k in range(150):
        memory = learner.memory
        np.testing.assert_array_equal(memory.visits, trace.stage[k])
        v = np.where(game.exists[..., None], memory.v[: game.T], 0.0)
        np.testing.assert_allclose(v, trace.vbar[k], rtol=0, atol=1e-9)
        for t, s in enumerate(trace.state[k]):
            got = memory.policy[t, s]
            np.testing.assert_allclose(got, trace.policy[k, t], rtol=0, atol=1e-9)
        learner.advance(k + 1)
        np.testing.assert_array_equal(learner.path[:, 0], trace.state[k])
        np.testing.assert_array_equal(learner.path[:, 1:], trace.action[k])
    expected = trace.reward.sum(axis=1)
    np.testing.assert_allclose(learner.returns.mean, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("T", [1, 2, 3])
@pytest.mark.parametrize("N", [2, 3])
@pytest.mark.parametrize("seed", few(range(8), 0, 5))
def test_the_certificate_is_that_of_all_mixtures(seed: int, N: int, T: int) -> None:
    """Ragged games with random starts; every visit of every node is enumerated."""
    rng = np.random.default_rng(100 * seed + 10 * N + T)
    game = random_game(rng, N=N, T=T, S=2, A=2 + seed % 2)
    parameters = IncrementalVLearning(bandit=BANDITS[seed % 2])
    episodes = 25 if T < 3 else 12
    online = certificate_of(game, parameters, episodes)
    low, high = online.best_response()
    floor = T * game.reward_range[0]
    for b, one in enumerate(brute_force.starting_in(game).values()):
        device = AlphaWeighted(one, literal(game, parameters, episodes))
        value = floor + game.scale * online.value[b]
        np.testing.assert_allclose(value, brute_force.value(one, device), rtol=0, atol=1e-9)
        for i in range(N):
            informed = floor + game.scale * online.informed[b, i]
            assert informed == pytest.approx(brute_force.informed(one, device, i), abs=1e-9)
            best = brute_force.best_response(one, device, i)
            ends = [floor + game.scale * bound[b, i] for bound in (low, high)]
            if T <= 2:
                assert ends == pytest.approx([best, best], abs=1e-9)
            else:
                assert ends[0] - 1e-9 <= best <= ends[1] + 1e-9
                markov = _markov(game, b, device, i, parameters)
                assert ends[0] == pytest.approx(markov, abs=1e-9)


def _markov(
    game: Game, b: int, device: AlphaWeighted, i: int, parameters: IncrementalVLearning
) -> float:
    """What the Markov deviation earns, from initial state b, that the second pass evaluated."""
    one = list(brute_force.starting_in(game).values())[b]
    learner = new_learner(game, parameters, len(device.trace.state), seed=3)
    assert isinstance(learner, AveragingLearner)
    learner.advance(learner.episodes)
    follow = learner.averages.follow[:, :, i]
    return math.fsum(
        w
        for z, w in brute_force.histories(one, device, i).items()
        if all(z[3 * t + 1] == follow[t, z[3 * t]] for t in range(one.T))
    )


def test_weights_by_hand() -> None:
    """T = 2: α_1 = 1, α_2 = 3/4, α_3 = 3/5."""
    assert weights(2, 1) == [1.0]
    assert weights(2, 3) == pytest.approx([0.25 * 0.4, 0.75 * 0.4, 0.6])
    assert weights(1, 2) == pytest.approx([1 / 3, 2 / 3])


def test_one_episode_is_uniform_play() -> None:
    """No visit comes before the first episode, so the policy is uniform everywhere."""
    game = build("fishermen")
    online = certificate_of(game, IncrementalVLearning(), 1)
    floor = game.T * game.reward_range[0]
    assert floor + game.scale * online.value == pytest.approx(np.full((1, 2), 589 / 30))
    low, high = online.best_response()
    assert game.scale * (high - online.value) == pytest.approx(np.full((1, 2), 7.8))
    assert (low == high).all()


@pytest.mark.parametrize("name", ["market", "congestion"])
def test_the_sum_of_others_is_a_law(name: str) -> None:
    """More than two agents: the law comes from the tree of convolutions."""
    online = certificate_of(build(name, {"horizon": 2}), IncrementalVLearning(), 200)
    np.testing.assert_allclose(online.law.sum(axis=2), 1.0, rtol=0, atol=1e-12)
    low, high = online.best_response()
    assert (low == high).all()
    assert (high <= online.informed + 1e-12).all()


def test_bad_certificates_are_refused() -> None:
    online = certificate_of(build("fishermen"), IncrementalVLearning(), 50)
    with pytest.raises(FileError, match=r"online_value.*expected \[1, 2\]"):
        dataclasses.replace(online, value=np.zeros((2, 2)))
    with pytest.raises(FileError, match="online_law"):
        dataclasses.replace(online, law=2 * online.law)


def test_a_run_file_keeps_it(tmp_path: Path) -> None:
    for name in ("fishermen", "congestion"):
        run = train_run(build(name), IncrementalVLearning(), 100, seed=1)
        save_runs(tmp_path / "run.npz", [run])
        again = load_run(tmp_path / "run.npz").evaluate()
        for field, value in vars(run.evaluate()).items():
            np.testing.assert_array_equal(getattr(again, field), value, err_msg=field)
