"""Lockstep: each run has the bits that the readable kernel gives it alone."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

from amg.game.library import build
from amg.game.model import Game
from amg.game.tabulation import tabulate
from amg.learning.group import Group, lockstep_pays, most_together, together
from amg.learning.job import load_checkpoint, save_checkpoint
from amg.learning.learner import Learner
from amg.learning.lockstep import Lockstep
from amg.learning.parameters import Parameters, VLearning, make_parameters
from amg.learning.train import advance, new_learner

UNRECORDED = {"memory.path"}  # of the last episode alone, for traces
VARIANTS = [
    VLearning(fluctuation=fluctuation, direction=direction, stage_rule=stage_rule, bonus=bonus)
    for (fluctuation, direction), stage_rule, bonus in product(
        [("cv", "formula"), ("cv", "comment"), ("mad", "formula"), ("mad", "comment"),
         ("fixed", "formula")],
        ["floor", "real"],
        [4, 0.1],
    )
]  # fmt: skip
READINGS = [
    VLearning(
        signal="set", eta="next", iota="lemma", actions="state", rewards="largest", bonus=0.1
    ),
    VLearning(rewards="raw", bonus=0.1),
]
Q_VARIANTS = [
    {},
    {"schedule": "geometric", "epsilon": 1, "epsilon_end": 0.01, "start": "optimistic"},
    {"schedule": "linear", "epsilon": 0.5, "epsilon_end": 0, "rate_rule": "constant"},
    {"epsilon": 0},
    {"schedule": "constant", "epsilon": 1, "rate_rule": "harmonic"},
]
Q_LEARNERS = [
    make_parameters(algorithm, variant)
    for algorithm in ("independent_q", "centralized_q")
    for variant in Q_VARIANTS
]
EXPLORERS = Q_LEARNERS[1 :: len(Q_VARIANTS)]
HARMONIC = Q_LEARNERS[4 :: len(Q_VARIANTS)]


def three_states() -> Game:
    """Two agents with three actions, in three states with a random start; one state at the end."""
    states = [["low", "middle", "high"], ["low", "middle", "high"], ["low", "high"], ["end"]]
    return tabulate(
        name="three states",
        agents=["a", "b"],
        states=states,
        efforts=lambda t, s, i: {"none": 0, "some": 1, "much": 3},
        reward=lambda t, s, i, a, others: Fraction(len(s) + len(a) + int(others), 4 + t + i),
        transition=lambda t, s, total: {
            after: Fraction(1 + int(total) * (j + 1), 1)
            / sum(1 + int(total) * (k + 1) for k in range(len(states[t + 1])))
            for j, after in enumerate(states[t + 1])
        },
        initial={"low": Fraction(1, 2), "middle": Fraction(1, 3), "high": Fraction(1, 6)},
        reward_range=(0, 8),
    )


GAMES = {
    "fishermen": lambda: build("fishermen"),
    "inspection": lambda: build("inspection"),
    "longer": lambda: build("fishermen", {"horizon": 4}),
    "three states": three_states,
}


def learners(
    game: Game, parameters: Parameters, episodes: int, seeds: Sequence[int]
) -> list[Learner]:
    return [new_learner(game, parameters, episodes, seed, record=100) for seed in seeds]


def assert_same(one: Group, other: Group) -> None:
    """Compare all that the runs know, up to rows of records that are not used yet."""
    for x, y in zip(one.learners, other.learners, strict=True):
        states = x.state(), y.state()
        assert states[0].keys() == states[1].keys()
        for name in states[0].keys() - UNRECORDED:
            a, b = (state[name] for state in states)
            n = min(len(a), len(b))
            assert a[:n].tobytes() == b[:n].tobytes(), name
            assert not a[n:].any(), name
            assert not b[n:].any(), name


def compare(game: Game, parameters: Parameters, episodes: int, seeds: Sequence[int]) -> None:
    """Train in lockstep, in chunks of uneven length, and one after another."""
    lanes = together(learners(game, parameters, episodes, seeds), lockstep=True)
    alone = together(learners(game, parameters, episodes, seeds), lockstep=False)
    assert type(lanes) is not Group
    assert type(alone) is Group
    alone.advance(episodes)
    for until in (1, episodes // 7, episodes // 7 + 1, episodes):
        lanes.advance(until)
        assert lanes.done == until
    assert_same(lanes, alone)


@pytest.mark.parametrize("parameters", [*VARIANTS, *READINGS, *Q_LEARNERS], ids=str)
def test_each_lane_has_the_bits_of_a_run_alone(parameters: Parameters) -> None:
    compare(build("fishermen"), parameters, 20_000, range(1, 21))


@pytest.mark.parametrize("parameters", [VLearning(), *EXPLORERS, *HARMONIC], ids=str)
@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("lanes", [1, 11])
def test_games(name: str, lanes: int, parameters: Parameters) -> None:
    compare(GAMES[name](), parameters, 5_000, range(7, 7 + lanes))


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("parameters", [*VARIANTS, *Q_LEARNERS], ids=str)
def test_long_runs(name: str, parameters: Parameters) -> None:
    compare(GAMES[name](), parameters, 10**6, range(3))


@pytest.mark.parametrize("parameters", [VLearning(), *EXPLORERS], ids=str)
def test_a_group_goes_on_from_its_checkpoint(parameters: Parameters, tmp_path: Path) -> None:
    game = build("fishermen")
    whole, first, second = (
        together(learners(game, parameters, 3000, (1, 2, 3, 4, 5)), lockstep=True) for _ in range(3)
    )
    whole.advance(3000)
    first.advance(1234)
    save_checkpoint(first, tmp_path / "checkpoint")
    load_checkpoint(second, tmp_path / "checkpoint")
    assert second.done == 1234
    second.advance(3000)
    assert_same(second, whole)


@pytest.mark.parametrize(
    ("algorithm", "game", "episodes", "runs", "lockstep"),
    [
        ("v_learning", build("fishermen"), 10**6, 20, True),
        ("independent_q", build("inspection"), 10**6, 20, True),
        ("centralized_q", three_states(), 10**7, 3, True),  # nine joint actions
        ("v_learning", build("fishermen"), 10**7, 2, False),
        ("v_learning", build("fishermen"), 10**4, 20, False),
        ("v_learning", build("fishermen", {"agents": 3}), 10**7, 20, False),
    ],
)
def test_lockstep_is_chosen_where_it_exists_and_pays(
    algorithm: str, game: Game, episodes: int, runs: int, lockstep: bool
) -> None:
    parameters = make_parameters(algorithm, {})
    assert lockstep_pays(game, parameters, episodes, runs) == lockstep
    group = together(learners(game, parameters, episodes, range(runs)))
    assert isinstance(group, Lockstep) == lockstep


def test_runs_without_lockstep_go_one_by_one() -> None:
    newton, pair = VLearning(solver="newton"), build("fishermen")
    assert most_together(learners(pair, VLearning(), 10, (1,))[0]) > 1
    assert most_together(learners(pair, newton, 10, (1,))[0]) == 1
    assert most_together(learners(build("fishermen", {"agents": 3}), VLearning(), 10, (1,))[0]) == 1


def test_memory_does_not_grow_with_episodes() -> None:
    group = together(learners(build("fishermen"), VLearning(), 10**9, range(16)), lockstep=True)
    sizes = []
    for _ in zip(range(12), advance(group, seconds=0.05), strict=False):
        sizes.append(sum(array.nbytes for array in group.state().values()))
    assert group.done > 1000
    assert max(sizes) < 64 << 20
