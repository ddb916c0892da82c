"""The fast kernel against Algorithm 1 as printed, on the same random numbers."""

from __future__ import annotations

from dataclasses import asdict
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from cases import few
from random_cases import random_game

from amg.game.library import BUILDERS, build
from amg.game.model import Game
from amg.learning.episode import generator
from amg.learning.literal import Agent, new_agents, run_literal
from amg.learning.parameters import VLearning, make_parameters
from amg.learning.train import train_run, train_traced
from amg.tables.locality import replay

EXACT = ("state", "action", "aggregate", "reward", "stage", "stage_length")


def assert_same(game: Game, parameters: VLearning, episodes: int, seed: int = 11) -> None:
    """Everything that a run leaves behind, episode by episode and stage by stage."""
    run = train_traced(game, parameters, episodes, seed)
    rng = generator(game, parameters, episodes, seed)
    expected_trace, ends = run_literal(game, parameters, episodes, rng)
    assert run.certificate is not None
    assert run.trace is not None

    trace, expected = asdict(run.trace), asdict(expected_trace)
    for arrays in (trace, expected):
        for name in ("stage", "stage_length", "vbar"):
            arrays[name] = arrays[name][:, game.exists]
    for name in EXACT:
        np.testing.assert_array_equal(trace[name], expected[name], err_msg=name)
    for name in ("policy", "vbar"):
        np.testing.assert_allclose(trace[name], expected[name], rtol=0, atol=1e-9, err_msg=name)
    np.testing.assert_allclose(run.returns, expected["reward"].sum(axis=1), rtol=0, atol=1e-12)

    certificate = run.certificate
    assert len(ends) >= 2 * game.T  # otherwise little was compared
    np.testing.assert_array_equal(certificate.stage_key, [end[:4] for end in ends])
    want = [end.coefficient for end in ends]
    np.testing.assert_allclose(certificate.stage_coefficient, want, rtol=0, atol=1e-9)
    low, unit = game.units(parameters.rewards)  # agents learn from (r − low) / unit
    least, most = game.reward_range
    left = np.array([[game.T - end.t] for end in ends])
    for got, name in ((certificate.stage_v_bar, "V_bar"), (certificate.stage_v_low, "V_low")):
        raw = unit * np.array([getattr(end, name) for end in ends]) + left * low
        want = (raw - left * least) / (most - least)
        np.testing.assert_allclose(got, want, rtol=0, atol=1e-9, err_msg=name)


@pytest.mark.parametrize("solver", ["closed", "newton"])
@pytest.mark.parametrize("bonus", few([0.0, 0.1, 4.0], 0.1))
@pytest.mark.parametrize("stage_rule", ["floor", "real"])
@pytest.mark.parametrize(
    ("fluctuation", "direction"),
    [("cv", "formula"), ("cv", "comment"), ("mad", "formula"), ("mad", "comment"), ("fixed",) * 2],
)
@pytest.mark.parametrize("name", BUILDERS)
def test_kernel_is_algorithm_1(
    name: str, fluctuation: str, direction: str, stage_rule: str, bonus: float, solver: str
) -> None:
    parameters = VLearning(
        fluctuation=fluctuation,
        direction="formula" if fluctuation == "fixed" else direction,
        stage_rule=stage_rule,
        bonus=bonus,
        solver=solver,
        lambda_min=0.95,
        mad_max=0.7,
    )
    assert_same(BUILDERS[name](), parameters, episodes=200)


READINGS = [
    {"signal": "set"},
    {"signal": "set", "fluctuation": "mad", "direction": "comment"},
    {"eta": "next"},
    {"iota": "lemma"},
    {"actions": "state"},
    {"rewards": "largest"},
    {"rewards": "raw"},
    {"bandit": "exponential"},
    {"signal": "set", "eta": "next", "iota": "lemma", "actions": "state", "rewards": "largest"},
]


@pytest.mark.parametrize("reading", READINGS, ids=str)
@pytest.mark.parametrize("name", BUILDERS)
def test_every_reading_is_algorithm_1(name: str, reading: dict[str, str]) -> None:
    game, parameters = BUILDERS[name](), VLearning(bonus=0.1, mad_max=0.7, **reading)
    parameters.check(game)
    assert_same(game, parameters, episodes=200)


@pytest.mark.parametrize("reading", READINGS, ids=str)
@pytest.mark.parametrize("seed", few(range(12), 3, 7))
def test_any_reading_of_any_game_replays(seed: int, reading: dict[str, str]) -> None:
    """Ragged games; each visit from the recorded policy, by the literal rules of the reading."""
    rng = np.random.default_rng(seed)
    game = random_game(rng, N=2 + seed % 2, T=1 + seed % 4, S=3, A=3)
    fluctuation = "mad" if game.aggregate_value(0) < 0 else "cv"
    settings = {"fluctuation": fluctuation, "lambda_min": 0.9, "stage_rule": "real", **reading}
    run = train_traced(game, VLearning(bonus=0.1, **settings), 600, seed)
    for i in range(game.N):
        found = replay(run, i)
        assert found["length_errors"] == 0
        assert max(found["policy_error"], found["v_bar_error"]) < 1e-9


def test_readings_differ_and_their_defaults_change_no_run() -> None:
    game = build("inspection")
    written = VLearning().as_dict()
    assert not {"signal", "eta", "iota", "actions", "rewards", "bandit"} & written.keys()
    digests = set()
    for reading in [{}, *READINGS[:4], *READINGS[5:]]:  # its action sets are all equal
        parameters = VLearning(bonus=0.1, **reading)
        run = train_run(game, parameters, 2000, seed=1)
        assert run.certificate is not None
        digests.add(run.certificate.stage_v_bar.tobytes())
        assert make_parameters("v_learning", parameters.as_dict()) == parameters
    assert len(digests) == len(READINGS)


@pytest.mark.parametrize("bonus", [0.0, 0.2, 4.0])
@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("fishermen", {"agents": 2, "horizon": 1}),
        ("fishermen", {"agents": 6, "horizon": 2}),
        ("inspection", {"horizon": 5}),
        ("congestion", {"agents": 2, "horizon": 1}),
        ("congestion", {"agents": 5, "horizon": 2}),
    ],
    ids=str,
)
def test_kernel_is_algorithm_1_at_other_sizes(
    name: str, sizes: dict[str, int], bonus: float
) -> None:
    assert_same(build(name, sizes), VLearning(bonus=bonus, p=0.3, cv_max=0.5), episodes=200)


@pytest.mark.parametrize("name", few(BUILDERS, "fishermen", "inspection"))
def test_long_stages_are_algorithm_1_visit_by_visit(name: str) -> None:
    """Each visit from the recorded policy: left alone, Algorithm 1 multiplies rounding errors."""
    game, K = BUILDERS[name](), 2000
    parameters = VLearning(fluctuation="mad", stage_rule="real", bonus=0.1)
    trace = train_traced(game, parameters, K, seed=1).trace
    assert trace is not None
    assert trace.stage_length.max() > 100
    for i, agent in enumerate(new_agents(game, parameters, K)):
        reward = (trace.reward[:, :, i] - game.reward_range[0]) / game.scale
        for k, t in product(range(K), range(game.T)):
            s, a = int(trace.state[k, t]), int(trace.action[k, t, i])
            after = int(trace.state[k, t + 1]) if t + 1 < game.T else 0
            recorded = trace.policy[k, t, i, : game.n_actions[t, s, i]].tolist()
            assert agent.policy[t][s] == pytest.approx(recorded, rel=1e-11, abs=0)
            assert agent.V_bar[t][s] == pytest.approx(trace.vbar[k, t, s, i], abs=1e-12)
            assert agent.length(t, s) == trace.stage_length[k, t, s]
            agent.act(t, s, u=0.0)
            agent.policy[t][s] = recorded
            agent.observe(t, s, a, float(reward[k, t]), after, float(trace.aggregate[k, t]))


def test_sums_of_long_stages_are_compensated() -> None:
    """With T = 1 and λ = 1 stages double, and the last of 2^15 visits fills a block of sums."""
    game = build("inspection", {"horizon": 1})
    parameters = VLearning(fluctuation="fixed", bonus=0.0)
    run = train_run(game, parameters, episodes=2**16 - 1, seed=2)
    assert run.certificate is not None
    assert run.certificate.stage_key[-1].tolist() == [0, 0, 2**16 - 1, 2**15]
    reward = (run.returns[-(2**15) :] - game.reward_range[0]) / game.scale
    for value in (run.certificate.stage_v_bar[-1], run.certificate.stage_v_low[-1]):
        np.testing.assert_allclose(value, reward.mean(axis=0), rtol=0, atol=1e-12)
    assert run.certificate.cell_visits[-1] == 2**15
    np.testing.assert_allclose(run.certificate.cell_law[-1].sum(axis=(1, 2)), 2**15, rtol=1e-12)


def test_growth_by_a_whole_number_is_not_lost_to_rounding() -> None:
    """T = 47, λ = 1: in doubles (1 + 1/47) · 47 is less than 48."""
    game = build("inspection", {"horizon": 47})
    run = train_run(game, VLearning(fluctuation="fixed", lambda_min=0.99), episodes=100, seed=0)
    assert run.certificate is not None
    assert run.certificate.stage_key[:2].tolist() == [[0, 0, 47, 47], [0, 0, 95, 48]]


def test_stage_lengths_are_the_floors_of_exact_numbers() -> None:
    """⌊λ (1 + 1/T) L̃⌋ with MAD in fractions: where it is whole, rounding must not undo it."""
    whole = 0
    for name, direction in product(BUILDERS, ("formula", "comment")):
        game, lambda_min = BUILDERS[name](), Fraction(9, 10)
        parameters = VLearning(fluctuation="mad", direction=direction, lambda_min=0.9, bonus=0.1)
        run = train_traced(game, parameters, 1000, seed=0)
        assert run.certificate is not None
        assert run.trace is not None
        exact = {float(game.aggregate_value(d)): game.aggregate_value(d) for d in range(game.D)}
        for t, s in np.argwhere(game.exists).tolist():
            D = [exact[d] for d in run.trace.aggregate[run.trace.state[:, t] == s, t].tolist()]
            lengths = run.certificate.stage_key[run.certificate.history(t, s), 3].tolist()
            for length, following in pairwise(lengths):
                stage, D = D[:length], D[length:]
                mean = sum(stage) / length
                gamma = min(sum(abs(d - mean) for d in stage) / length, Fraction(1))
                gamma = gamma if direction == "formula" else 1 - gamma
                coefficient = lambda_min + (1 - lambda_min) * gamma if length > 1 else 1
                grown = coefficient * Fraction(game.T + 1, game.T) * length
                assert following == grown // 1, (name, direction, t, s, length)
                whole += grown % 1 == 0
    assert whole > 50  # otherwise little was tested


def test_an_agent_by_hand() -> None:
    """T = 1, two actions, no bonus: what two visits leave behind, worked out on paper."""
    agent = Agent([[2]], iota=1.0, parameters=VLearning(fluctuation="fixed", bonus=0.0))
    assert agent.act(0, 0, u=0.49) == 0
    assert agent.observe(0, 0, 0, r=0.25, after=0, d=1.0) == 1.0  # L̃ = T = 1: the stage ends
    assert agent.V_bar[0] == [0.25]
    assert agent.length(0, 0) == 2
    assert agent.act(0, 0, u=0.5) == 1
    assert agent.observe(0, 0, 1, r=0.5, after=0, d=1.0) is None
    assert agent.Q_hat[0][0] == [0.0, 1.0]  # (1 − 1/2) / (1/2)
    # with η = 2: y^-2 + (y + 1)^-2 = 1 where y (y + 1) = 1 + √2
    y = (np.sqrt(1 + 4 * (1 + np.sqrt(2))) - 1) / 2
    np.testing.assert_allclose(agent.policy[0][0], [y**-2, (y + 1) ** -2], rtol=1e-14)
    assert agent.act(0, 0, u=0.999) == 1
    assert agent.observe(0, 0, 1, r=1.0, after=0, d=1.0) == 1.0
    assert agent.V_bar[0] == agent.V_low[0] == [0.75]
    assert agent.policy[0][0] == [0.5, 0.5]
    assert agent.length(0, 0) == 4
