"""Both kernels against Q-learning in plain Python, and what the baselines learn, exactly."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from itertools import product
from math import floor
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.random import Generator

from amg.base.errors import ParameterError
from amg.evaluation.evaluation import Evaluation
from amg.exact import team_optimum
from amg.game.library import BUILDERS, build
from amg.game.library.fishermen import fishermen
from amg.game.library.inspection import inspection
from amg.game.model import Game
from amg.game.tabulation import tabulate
from amg.learning.episode import generator
from amg.learning.parameters import CentralizedQ, IndependentQ, QLearning, make_parameters
from amg.learning.q_learner import QLearner
from amg.learning.q_learning import exploration
from amg.learning.train import new_learner, train_run
from amg.results.evaluate import evaluate
from amg.results.run import Run

KINDS = [CentralizedQ, IndependentQ]
TEAM, EQUILIBRIUM = 20 + 2 / 3, 19.2  # of the Fishermen Game, per agent
INTENSIVE = 0  # its first action


def q_learner(
    game: Game, parameters: QLearning, episodes: int, seed: int = 0, record: int = 10**5
) -> QLearner:
    learner = new_learner(game, parameters, episodes, seed, record)
    assert isinstance(learner, QLearner)
    return learner


def assess(run: Run) -> Evaluation:
    return run.evaluate()


def lopsided() -> Game:
    """Three agents with menus of 1, 3 and 2 actions, or 2, 1 and 1; starts in either state."""
    menus = {"wide": (1, 3, 2), "narrow": (2, 1, 1)}
    steps = [["wide", "narrow"], ["narrow"], ["wide", "narrow"]]
    return tabulate(
        name="lopsided",
        agents=["a", "b", "c"],
        states=steps,
        efforts=lambda t, s, i: {f"{e}": e for e in range(menus[s][i])},
        reward=lambda t, s, i, a, others: (1 + i) * int(a) - others + t,
        transition=lambda t, s, total: {k: 1 / len(steps[t + 1]) for k in steps[t + 1]},
        initial={"wide": "1/4", "narrow": "3/4"},
        reward_range=(-4, 8),
    )


GAMES = {**{name: build(name) for name in BUILDERS}, "lopsided": lopsided()}


# --- against plain Python ---------------------------------------------------------------------


class PlainLearner:
    """Q-learning by the book: dictionaries, lists, one learner."""

    def __init__(self, parameters: QLearning, T: int, most: float, rng: Generator) -> None:
        self.parameters, self.T, self.most, self.rng = parameters, T, most, rng
        self.q: dict[tuple[int, int], dict[Hashable, float]] = {}
        self.n: dict[tuple[int, int, Hashable], int] = {}
        self.rest: dict[tuple[int, int, Hashable], float] = {}  # what q, a double, does not hold

    def meet(self, t: int, s: int, options: list) -> None:
        """Know the options at (t, s)."""
        optimistic = self.parameters.start == "optimistic"
        self.q[t, s] = dict.fromkeys(options, self.most * (self.T - t) if optimistic else 0.0)

    def choose(self, t: int, s: int, epsilon: float) -> Hashable:
        q = self.q[t, s]
        explore = self.rng.random() < epsilon
        among = list(q) if explore else [o for o in q if q[o] == max(q.values())]
        return among[floor(self.rng.random() * len(among))]

    def learn(self, t: int, s: int, option: Hashable, reward: float, after: int | None) -> None:
        n = self.n[t, s, option] = self.n.get((t, s, option), 0) + 1
        rates = {
            "decaying": (self.T + 1) / (self.T + n),
            "constant": self.parameters.rate,
            "harmonic": 1 / n,
        }
        alpha = rates[self.parameters.rate_rule]
        ahead = 0.0 if after is None else max(self.q[t + 1, after].values())
        old = self.q[t, s][option]
        step = alpha * (reward + ahead - old) + self.rest.get((t, s, option), 0.0)
        exact = Fraction(old) + Fraction(step)
        self.q[t, s][option] = float(exact)
        self.rest[t, s, option] = float(exact - Fraction(float(exact)))


def plain_epsilon(parameters: QLearning, k: int, K: int) -> float:
    first, last = parameters.epsilon, parameters.epsilon_end
    if parameters.schedule == "linear":
        return first + k / (K - 1) * (last - first)
    if parameters.schedule == "geometric":
        return first * (last / first) ** (k / (K - 1))
    return first


def draw_state(rng: Generator, law: np.ndarray) -> int:
    return int(np.searchsorted(np.cumsum(law), rng.random(), side="right"))


def assert_same_as_plain(game: Game, parameters: QLearning, K: int, seed: int) -> None:
    """Every Q, every count, every return and the last path: the same bits."""
    joint = isinstance(parameters, CentralizedQ)
    rng = generator(game, parameters, K, seed)
    learners = [
        PlainLearner(parameters, game.T, game.N if joint else 1, rng)
        for _ in range(1 if joint else game.N)
    ]
    for t, s in np.argwhere(game.exists).tolist():
        menus = [range(n) for n in game.n_actions[t, s]]
        for learner, options in zip(learners, [product(*menus)] if joint else menus, strict=True):
            learner.meet(t, s, list(options))
    low, returns, path = game.reward_range[0], np.zeros((K, game.N)), []
    for k in range(K):
        epsilon = plain_epsilon(parameters, k, K)
        s = 0 if game.initial[0] == 1 else draw_state(rng, game.initial)
        path = []
        for t in range(game.T):
            options = [learner.choose(t, s, epsilon) for learner in learners]
            actions = options[0] if joint else options
            path.append([s, *actions])
            efforts = [int(game.effort[t, s, i, a]) for i, a in enumerate(actions)]
            total = sum(efforts)
            pay = [game.reward[t, s, i, a, total - efforts[i]] for i, a in enumerate(actions)]
            returns[k] += pay
            after = None if t + 1 == game.T else draw_state(rng, game.transition[t, s, total])
            rewards = [(r - low) / game.scale for r in pay]
            rewards = [sum(rewards)] if joint else rewards
            for learner, option, reward in zip(learners, options, rewards, strict=True):
                learner.learn(t, s, option, reward, after)
            s = after

    fast = q_learner(game, parameters, K, seed)
    fast.advance(K)
    for t, s in np.argwhere(game.exists).tolist():
        for l, learner in enumerate(learners):
            q = learner.q[t, s]
            assert fast.memory.q[t, s, l, : len(q)].tolist() == list(q.values())
            counts = [learner.n.get((t, s, option), 0) for option in q]
            assert fast.memory.visits[t, s, l, : len(q)].tolist() == counts
            assert not fast.memory.visits[t, s, l, len(q) :].any()
    assert fast.path.tolist() == path
    np.testing.assert_array_equal(fast.finish().returns, returns)


@pytest.mark.parametrize("schedule", ["constant", "linear", "geometric"])
@pytest.mark.parametrize("start", ["zero", "optimistic"])
@pytest.mark.parametrize("rate_rule", ["decaying", "constant", "harmonic"])
@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("kind", KINDS)
def test_plain_python(
    kind: type[QLearning], name: str, rate_rule: str, start: str, schedule: str
) -> None:
    parameters = kind(
        rate_rule=rate_rule, rate=0.3, start=start, schedule=schedule, epsilon=0.6, epsilon_end=0.05
    )
    assert_same_as_plain(GAMES[name], parameters, K=150, seed=3)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("epsilon", [0.0, 1.0])
def test_plain_python_at_the_ends_of_exploration(kind: type[QLearning], epsilon: float) -> None:
    for game in GAMES.values():
        assert_same_as_plain(game, kind(epsilon=epsilon, start="optimistic"), K=60, seed=8)


def test_one_agent_is_its_own_centre() -> None:
    game = tabulate(
        name="alone",
        agents=["one"],
        states=[["x", "y"]] * 3,
        efforts=lambda t, s, i: {"a": 0, "b": 1, "c": 2},
        reward=lambda t, s, i, a, others: {"a": 0, "b": 1, "c": 3}[a] - (s == "y"),
        transition=lambda t, s, total: {"x": 1 - total / 4, "y": total / 4},
        initial={"x": 1},
        reward_range=(-1, 3),
    )
    learners = [q_learner(game, kind(start="optimistic"), 2000) for kind in KINDS]
    learners[0].rng = generator(game, learners[1].parameters, 2000, 0)
    for learner in learners:
        learner.advance(2000)
    for ours, theirs in zip(learners[0].memory, learners[1].memory, strict=True):
        np.testing.assert_array_equal(ours, theirs)


# --- small parts --------------------------------------------------------------------------------


def test_the_harmonic_rate_takes_the_mean_of_all_rewards() -> None:
    game = fishermen(horizon=1)
    learner = q_learner(game, IndependentQ(rate_rule="harmonic", epsilon=1), 500)
    earned: dict[tuple[int, int], list[float]] = {}
    for k in range(500):
        learner.advance(k + 1)
        actions = learner.path[0, 1:].tolist()
        for i, (own, other) in enumerate((actions, actions[::-1])):
            pay = game.tables.reward[0, 0, i, own, game.effort[0, 0, 1 - i, other]]
            earned.setdefault((i, own), []).append(float(pay))
    assert len(earned) == 4
    for (i, a), pays in earned.items():
        assert learner.memory.q[0, 0, i, a] == pytest.approx(np.mean(pays), abs=1e-14)


def test_schedules() -> None:
    def epsilons(schedule: str, first: float, last: float, K: int = 5) -> list[float]:
        parameters = IndependentQ(schedule=schedule, epsilon=first, epsilon_end=last)
        rules = q_learner(fishermen(), parameters, K).rules
        return [exploration(rules, k) for k in range(K)]

    assert epsilons("constant", 0.3, 0.1) == [0.3] * 5
    assert epsilons("linear", 1, 0) == [1, 0.75, 0.5, 0.25, 0]
    assert epsilons("geometric", 1, 0.0625) == pytest.approx([1, 0.5, 0.25, 0.125, 0.0625])
    assert epsilons("linear", 0.5, 0.1, K=1) == epsilons("geometric", 0.5, 0.1, K=1) == [0.5]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", GAMES)
def test_random_numbers_are_as_many_as_documented(kind: type[QLearning], name: str) -> None:
    game, K = GAMES[name], 500
    learner = q_learner(game, kind(), K)
    learner.advance(K)
    choosers = 1 if kind is CentralizedQ else game.N
    rng = generator(game, learner.parameters, K, 0)
    rng.random(K * ((game.initial[0] < 1) + 2 * game.T * choosers + game.T - 1))
    assert rng.random() == learner.rng.random()


@pytest.mark.parametrize("kind", KINDS)
def test_ties_are_broken_uniformly(kind: type[QLearning]) -> None:
    """Without exploration, the first choices at equal Q show it."""
    game, seeds = GAMES["congestion"], 3000
    first = np.zeros((3, 3))
    for seed in range(seeds):
        learner = q_learner(game, kind(epsilon=0), 1, seed)
        learner.advance(1)
        first[np.arange(3), learner.path[0, 1:]] += 1
    deviation = (first - seeds / 3) / np.sqrt(seeds * 2 / 9)
    assert np.abs(deviation).max() < 4


def test_first_q() -> None:
    for name, game in GAMES.items():
        for kind, agents in ((CentralizedQ, game.N), (IndependentQ, 1)):
            learner = q_learner(game, kind(start="optimistic"), 1)
            real = np.arange(learner.memory.q.shape[3]) < learner.rules.options[..., None]
            most = agents * (game.T - np.arange(game.T))[:, None, None, None]
            np.testing.assert_array_equal(learner.memory.q, real * most, err_msg=name)
            assert not q_learner(game, kind(), 1).memory.q.any()


def test_greedy_policies_break_ties_as_documented() -> None:
    for game in GAMES.values():
        alone, together = (
            q_learner(game, kind(start="optimistic"), 1).greedy()
            for kind in (IndependentQ, CentralizedQ)
        )
        np.testing.assert_array_equal(alone, game.uniform_policy())
        np.testing.assert_array_equal(together[..., 0], game.exists[..., None] * np.ones(game.N))
        assert not together[..., 1:].any()


def test_greedy_joint_action_is_unpacked_as_it_was_played() -> None:
    game = GAMES["lopsided"]
    learner = q_learner(game, CentralizedQ(), 1)
    for o, actions in enumerate(product(range(1), range(3), range(2))):
        learner.memory.q[2, 0, 0] = 0.0
        learner.memory.q[2, 0, 0, o] = 1.0
        assert learner.greedy()[2, 0].argmax(axis=1).tolist() == list(actions)


# --- what is learnt -------------------------------------------------------------------------------

SCHEDULES = [
    {"schedule": "constant", "epsilon": 0.1},
    {"schedule": "linear", "epsilon": 0.5, "epsilon_end": 0.0},
    {"schedule": "geometric", "epsilon": 1.0, "epsilon_end": 0.01},
]


@pytest.mark.parametrize("schedule", SCHEDULES, ids=lambda s: s["schedule"])
@pytest.mark.parametrize("seed", range(5))
def test_centralized_reaches_the_team_optimum(seed: int, schedule: dict[str, object]) -> None:
    evaluation = assess(train_run(fishermen(), CentralizedQ(**schedule), 100_000, seed))
    assert evaluation.value.mean() == pytest.approx(TEAM, abs=1e-9)
    assert evaluation.gap.max() > 5  # the optimum is far from an equilibrium


@pytest.mark.parametrize("schedule", SCHEDULES, ids=lambda s: s["schedule"])
@pytest.mark.parametrize("seed", range(5))
def test_independent_reaches_the_equilibrium(seed: int, schedule: dict[str, object]) -> None:
    evaluation = assess(train_run(fishermen(), IndependentQ(**schedule), 100_000, seed))
    np.testing.assert_allclose(evaluation.value, EQUILIBRIUM, rtol=0, atol=1e-9)
    np.testing.assert_allclose(evaluation.gap, 0.0, rtol=0, atol=1e-9)


@pytest.mark.parametrize(("epsilon", "stated"), [(0.1, 19.34), (1.0, 19.63)])
def test_exploration_pays(epsilon: float, stated: float) -> None:
    """Mean returns are those of intensive fishing with a share of random play in it."""
    game, K = fishermen(), 1_000_000
    policy = epsilon * game.uniform_policy()
    policy[..., INTENSIVE] += 1 - epsilon
    expected = evaluate(game, policy).value
    assert expected == pytest.approx(stated, abs=0.005)
    run = train_run(game, IndependentQ(epsilon=epsilon), K, seed=2, record=0)
    np.testing.assert_array_equal(np.diff(run.returns_edge)[:-1], run.returns_edge[1])
    settled = run.returns[len(run.returns) // 10 : -1].mean(axis=0)
    assert settled == pytest.approx(expected, abs=0.02)  # four standard errors and more


def test_greedy_from_zero_sticks_to_what_it_tried_first() -> None:
    """The paper's 'taking greedy actions', taken literally: rewards ≥ 0 never send it elsewhere."""
    ends = [
        assess(train_run(fishermen(), IndependentQ(epsilon=0), 1000, seed)) for seed in range(20)
    ]
    assert sum(end.gap.max() > 1 for end in ends) >= 15
    for seed in range(5):  # high hopes explore by themselves
        parameters = IndependentQ(epsilon=0, start="optimistic")
        assert assess(train_run(fishermen(), parameters, 1000, seed)).gap.max() < 1e-9


def test_greedy_policies_are_no_equilibrium_where_one_must_mix() -> None:
    for seed in range(5):
        parameters = IndependentQ(schedule="geometric", epsilon=1.0)
        assert assess(train_run(inspection(), parameters, 50_000, seed)).gap.max() > 1


@pytest.mark.parametrize("name", ["congestion", "demand_response"])
def test_centralized_elsewhere(name: str) -> None:
    game = GAMES[name]
    run = train_run(game, CentralizedQ(epsilon=1.0), 100_000, seed=0)
    assert assess(run).value.mean() == pytest.approx(team_optimum(game).average, rel=1e-3)


def test_a_hundred_fishermen() -> None:
    game = fishermen(100)
    learner = q_learner(game, IndependentQ(schedule="geometric", epsilon=1.0), 20_000)
    assert learner.memory.q.shape == (2, 2, 100, 2)
    learner.advance(20_000)
    evaluation = assess(learner.finish())
    np.testing.assert_allclose(evaluation.value, EQUILIBRIUM, rtol=0, atol=1e-9)
    np.testing.assert_allclose(evaluation.gap, 0.0, rtol=0, atol=1e-9)


# --- parameters -----------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["centralized_q", "independent_q"])
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"rate_rule": "slow"}, "rate_rule = 'slow' is not one of decaying, constant, harmonic"),
        ({"rate": 0}, r"rate = 0 must lie in \(0, 1\]"),
        ({"rate": 1.5}, r"rate = 1.5 must lie in \(0, 1\]"),
        ({"start": "high"}, "start = 'high' is not one of zero, optimistic"),
        ({"epsilon": -0.1}, r"epsilon = -0.1 must lie in \[0, 1\]"),
        ({"epsilon_end": float("nan")}, r"epsilon_end = nan must lie in \[0, 1\]"),
        ({"epsilon": "some"}, "epsilon = 'some' is not a number"),
        ({"schedule": "cubic"}, "schedule = 'cubic' is not one of constant, linear, geometric"),
        ({"explore": 1}, "unknown parameter 'explore'; there are rate_rule, rate, start"),
    ],
)
def test_wrong_parameters(algorithm: str, settings: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=f"^{algorithm}: {message}"):
        make_parameters(algorithm, settings)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ends", [(0.0, 0.1), (0.1, 0.0), (1e-310, 1.0)])
def test_geometric_never_reaches_zero(kind: type[QLearning], ends: tuple[float, float]) -> None:
    parameters = kind(schedule="geometric", epsilon=ends[0], epsilon_end=ends[1])
    with pytest.raises(ParameterError, match="schedule = geometric needs epsilon and epsilon_end"):
        new_learner(fishermen(), parameters, 10, 0)


def test_too_many_joint_actions() -> None:
    with pytest.raises(ParameterError, match=r"10\^30.1 joint actions in each of 2 × 2 .* fewer"):
        new_learner(fishermen(100), CentralizedQ(), 10, 0)
    vast = SimpleNamespace(name="vast", T=1, S=1, n_actions=np.full((1, 1, 1000), 10))
    with pytest.raises(ParameterError, match=r"10\^1000.0 joint actions"):
        CentralizedQ().check(vast)  # type: ignore[arg-type]
