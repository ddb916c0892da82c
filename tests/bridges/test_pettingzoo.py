"""The PettingZoo bridge, against PettingZoo's own tests and the exact value of the game."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import amg
from amg.base.errors import AmgError

pytest.importorskip("pettingzoo", reason="pettingzoo is not installed: pip install '.[bridges]'")
from pettingzoo.test import parallel_api_test, parallel_seed_test

from amg.bridges.pettingzoo import Env, policy_array

GAMES = ["reservoir", "market", "fishermen", "inspection", "congestion"]
EXAMPLE = Path(__file__).parents[2] / "examples" / "pettingzoo_learner.py"


class Forgiving(Env):
    """PettingZoo's test of seeds ignores action masks; here an illegal action becomes the first."""

    def step(self, actions):
        legal = {agent: self.observe(agent, self.t, self.s)["action_mask"] for agent in actions}
        return super().step({agent: a if legal[agent][a] else 0 for agent, a in actions.items()})


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", GAMES)
def test_pettingzoo_accepts_the_games(name: str) -> None:
    game = amg.build_game(name)
    parallel_api_test(Env(game), num_cycles=50)
    parallel_seed_test(lambda: Forgiving(game), num_cycles=50)


def play(env: Env, policy: np.ndarray, rng: np.random.Generator, seed: int | None) -> list:
    """One episode: [(observations, actions, pays, infos), …]."""
    seen, _ = env.reset(seed=seed)
    steps = []
    while env.agents:
        t, s = env.state()
        actions = {
            a: int(rng.choice(len(p), p=p)) for a, p in zip(env.agents, policy[t, s], strict=True)
        }
        following, pays, ends, cut, infos = env.step(actions)
        assert set(ends.values()) == {t + 1 == env.game.T}
        assert set(cut.values()) == {False}
        steps.append((seen, actions, pays, infos))
        seen = following
        assert all(o in env.observation_space(a) for a, o in seen.items())
    assert all(o["observation"].tolist() == [env.game.T, 0] for o in seen.values())
    assert not any(o["action_mask"].any() for o in seen.values())
    return steps


@pytest.mark.parametrize("name", GAMES)
def test_the_law_of_play_is_that_of_the_game(name: str) -> None:
    """Each pay and aggregate is in the tables; mean returns and moves are within 4 sigma."""
    game, rng, episodes = amg.build_game(name), np.random.default_rng(1), 4000
    weights = rng.random(game.effort.shape) * (game.effort >= 0)
    policy = weights / np.maximum(weights.sum(axis=-1, keepdims=True), 1e-300)
    env, returns = Env(game), []
    moves = np.zeros((game.T, game.S, game.D, game.S))
    starts = np.zeros(game.S)
    for k in range(episodes):
        steps = play(env, policy, rng, 7 if k == 0 else None)
        places = [seen[game.agents[0]]["observation"].tolist() for seen, *_ in steps]
        starts[places[0][1]] += 1
        for j, (seen, actions, pays, infos) in enumerate(steps):
            t, s = places[j]
            chosen = list(actions.values())
            assert [o["action_mask"].sum() for o in seen.values()] == game.n_actions[t, s].tolist()
            effort = game.effort[t, s, range(game.N), chosen]
            total = effort.sum()
            due = game.reward[t, s, range(game.N), chosen, total - effort]
            assert list(pays.values()) == due.tolist()
            d = float(game.aggregate_value(int(total)))
            assert all(info == {"aggregate": d} for info in infos.values())
            if j + 1 < game.T:
                moves[t, s, total, places[j + 1][1]] += 1
        returns.append(np.sum([list(pays.values()) for _, _, pays, _ in steps], axis=0))
    value = amg.evaluate(game, policy).value
    sigma = np.std(returns, axis=0) / np.sqrt(episodes)
    assert (abs(np.mean(returns, axis=0) - value) <= 4 * sigma + 1e-9).all()
    n = moves.sum(axis=-1, keepdims=True)
    p = game.transition
    assert (abs(moves - n * p) <= 4.5 * np.sqrt(n * p * (1 - p)) + 1).all()
    assert (abs(starts / episodes - game.initial) <= 4 * np.sqrt(game.initial / episodes)).all()


def test_a_seed_fixes_every_later_episode() -> None:
    game = amg.build_game("congestion")
    policy = game.uniform_policy()
    runs = []
    for _ in range(2):
        env, rng = Env(game), np.random.default_rng(3)
        episodes = [play(env, policy, rng, seed) for seed in (5, None, None)]
        runs.append(
            [(seen, actions, pays) for steps in episodes for seen, actions, pays, _ in steps]
        )
    assert repr(runs[0]) == repr(runs[1])


def test_what_cannot_be_played_is_one_clear_line() -> None:
    env = Env(amg.build_game("reservoir"))
    with pytest.raises(AmgError, match=r"reservoir: no episode is running; call reset\(\) first"):
        env.step({})
    env.reset(seed=1)
    with pytest.raises(
        AmgError, match="step 1, state 'full', agent 'farm 1': there is no action 2"
    ):
        env.step({"farm 1": 2, "farm 2": 0})
    with pytest.raises(AmgError, match="there is no action 'much'; choose from 0 to 1"):
        env.step({"farm 1": 0, "farm 2": "much"})
    with pytest.raises(AmgError, match="give one for each of"):
        env.step({"farm 1": 0})


def test_a_rule_becomes_a_policy_of_the_game() -> None:
    game = amg.build_game("reservoir")
    uniform = policy_array(game, lambda _, seen: seen["action_mask"] / seen["action_mask"].sum())
    assert (uniform[game.exists] == game.uniform_policy()[game.exists]).all()


def test_the_example_learns_the_fishermen_game(capsys: pytest.CaptureFixture) -> None:
    spec = importlib.util.spec_from_file_location("pettingzoo_learner", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    assert example.main("fishermen", "0") > 1
    assert example.main("fishermen", "2000") < 0.2
    assert "fisher 2: value" in capsys.readouterr().out
