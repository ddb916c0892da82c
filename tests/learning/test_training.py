"""Training: the same run whatever the pieces it was made in, and small however long it is."""

from __future__ import annotations

import copy
import dataclasses
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from amg.base.errors import FileError, ParameterError
from amg.game.library import build
from amg.game.library.fishermen import fishermen
from amg.game.model import Game
from amg.learning.episode import generator
from amg.learning.group import Group
from amg.learning.job import load_checkpoint, save_checkpoint
from amg.learning.learner import Learner
from amg.learning.parameters import (
    CentralizedQ,
    IncrementalVLearning,
    IndependentQ,
    OptimisticFTRL,
    Parameters,
    StageVLearning,
    VLearning,
)
from amg.learning.train import advance, new_learner, train_run, train_traced
from amg.learning.v_learner import VLearner
from amg.results import archive
from amg.results.run import Run
from amg.results.run_file import save_runs

CASES = {
    "two agents": (fishermen(), VLearning(bonus=0.1), 200_000),  # stages beyond a block of sums
    "three agents": (build("demand_response"), VLearning(bonus=0.1, lambda_min=0.95), 20_000),
    "newton": (build("inspection"), VLearning(solver="newton", stage_rule="real"), 20_000),
    "stalling": (fishermen(), VLearning(cv_max=50), 3_000),  # the records grow often
    "centralized": (build("demand_response"), CentralizedQ(schedule="linear"), 5_000),
    "independent": (build("demand_response"), IndependentQ(schedule="geometric"), 5_000),
    "exponential": (build("inspection"), StageVLearning(bandit="exponential"), 5_000),
    "incremental": (build("inspection"), IncrementalVLearning(), 20_000),
    "incremental, twice": (build("congestion"), IncrementalVLearning(bandit="tsallis"), 3_001),
    "known model": (build("inspection"), OptimisticFTRL(), 3_000),
}
SEED, RECORD = 11, 777  # fewer than any episodes here: the rest are block means


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> tuple[Game, Parameters, int]:
    return CASES[request.param]


def content(run: Run, path: Path) -> bytes:
    """The bytes of the run's file."""
    save_runs(path, [run])
    return path.read_bytes()


# --- pieces ---------------------------------------------------------------------------------------


def test_pieces_make_no_difference(case: tuple[Game, Parameters, int], tmp_path: Path) -> None:
    game, parameters, episodes = case
    files = set()
    for pieces in (1, 7, 1000):
        learner = new_learner(game, parameters, episodes, SEED, RECORD)
        for piece in range(1, pieces + 1):
            learner.advance(episodes * piece // pieces)
        assert learner.done == episodes
        files.add(content(learner.finish(), tmp_path / "run.npz"))
    files.add(
        content(train_run(game, parameters, episodes, SEED, record=RECORD), tmp_path / "run.npz")
    )
    assert len(files) == 1


@pytest.mark.parametrize("stop", [1, 1234, 2999])
def test_a_run_goes_on_from_its_checkpoint(
    case: tuple[Game, Parameters, int], stop: int, tmp_path: Path
) -> None:
    game, parameters, episodes = case

    def new() -> Learner:
        return new_learner(game, parameters, episodes, SEED, RECORD)

    first, second = new(), new()
    first.advance(stop)
    save_checkpoint(Group([first]), tmp_path / "checkpoint")
    first.advance(episodes)
    load_checkpoint(Group([second]), tmp_path / "checkpoint")
    assert second.done == stop
    second.advance(episodes)
    assert content(second.finish(), tmp_path / "2") == content(first.finish(), tmp_path / "1")


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    """The checkpoint of a run of 3000 episodes after 50."""
    learner = new_learner(fishermen(), VLearning(), 3000, SEED, RECORD)
    learner.advance(50)
    save_checkpoint(Group([learner]), tmp_path / "checkpoint")
    return tmp_path / "checkpoint"


def test_a_checkpoint_of_other_sources_is_refused(checkpoint: Path) -> None:
    """Or a run would say that the present sources made all of it."""
    fresh = new_learner(fishermen(), VLearning(), 3000, SEED, RECORD)
    load_checkpoint(Group([fresh]), checkpoint)
    assert fresh.done == 50
    fresh.run = dataclasses.replace(fresh.run, source="others")
    with pytest.raises(FileError, match="other sources; delete it"):
        load_checkpoint(Group([fresh]), checkpoint)


@pytest.mark.parametrize(
    ("parameters", "episodes", "seed", "record"),
    [
        (VLearning(p=0.1), 3000, SEED, RECORD),
        (VLearning(), 3001, SEED, RECORD),
        (VLearning(), 3000, SEED + 1, RECORD),
        (VLearning(), 3000, SEED, RECORD + 1),
    ],
)
def test_a_checkpoint_of_another_run_is_refused(
    checkpoint: Path, parameters: Parameters, episodes: int, seed: int, record: int
) -> None:
    other = Group([new_learner(fishermen(), parameters, episodes, seed, record)])
    with pytest.raises(FileError, match="belongs to other runs; delete it"):
        load_checkpoint(other, checkpoint)


@pytest.mark.parametrize(
    "change",
    [
        lambda arrays: arrays.pop("0.memory.q_hat"),
        lambda arrays: arrays.pop("0.rng"),
        lambda arrays: arrays.update({"0.memory.q_hat": arrays["0.memory.q_hat"][:1]}),
        lambda arrays: arrays.update({"0.memory.visits": arrays["0.memory.visits"][:, :1]}),
        lambda arrays: arrays.update({"0.memory.visits": arrays["0.memory.visits"].astype("i4")}),
    ],
)
def test_a_checkpoint_with_arrays_that_do_not_fit_is_refused(
    checkpoint: Path, change: Callable[[dict[str, object]], object]
) -> None:
    header, arrays = archive.read(checkpoint, "amg-checkpoint", 2)
    change(arrays)
    archive.write(checkpoint, header, arrays)
    fresh = new_learner(fishermen(), VLearning(), 3000, SEED, RECORD)
    with pytest.raises(FileError, match="does not fit; delete it"):
        load_checkpoint(Group([fresh]), checkpoint)
    assert fresh.done == 0  # nothing was taken over


def test_tracing_makes_no_difference(tmp_path: Path) -> None:
    game, parameters = build("demand_response"), VLearning(lambda_min=0.95, bonus=0.1)
    traced = train_traced(game, parameters, 400, SEED)
    assert traced.trace is not None
    assert traced.returns.tolist() == traced.trace.reward.sum(axis=1).tolist()
    plain = train_run(game, parameters, 400, SEED)
    assert traced.source != plain.source  # the module that records is one more
    bare = dataclasses.replace(traced, trace=None, source=plain.source)
    assert content(bare, tmp_path / "traced") == content(plain, tmp_path / "untraced")


def test_progress_is_reported_up_to_the_end() -> None:
    done = list(advance(new_learner(fishermen(), VLearning(), 100_000, 1)))
    assert done == sorted(set(done))
    assert done[-1] == 100_000


# --- seeds ----------------------------------------------------------------------------------------


def numbers(
    game: Game | None = None,
    parameters: Parameters | None = None,
    episodes: int = 1000,
    seed: int = 1,
    record: int = 100,
) -> tuple[float, ...]:
    """The first random numbers of a run."""
    learner = new_learner(game or fishermen(), parameters or VLearning(), episodes, seed, record)
    return tuple(learner.rng.random(4).tolist())


def test_whatever_changes_the_run_changes_its_random_numbers() -> None:
    drawn = [
        numbers(),
        numbers(seed=2),
        numbers(seed=2**63 - 1),
        numbers(episodes=1001),
        numbers(fishermen(horizon=3)),
        numbers(build("inspection")),
        numbers(parameters=VLearning(p=0.06)),
        numbers(parameters=VLearning(solver="newton")),
        numbers(parameters=VLearning(fluctuation="mad")),
        numbers(parameters=CentralizedQ()),
        numbers(parameters=IndependentQ()),
    ]
    assert len(set(drawn)) == len(drawn)
    assert numbers(record=5) == numbers()  # what is written down of it is not the run


def test_seeds_make_different_runs() -> None:
    runs = [train_run(fishermen(), VLearning(), 50, seed) for seed in (1, 2, 1)]
    assert (runs[0].returns == runs[2].returns).all()
    assert (runs[0].returns != runs[1].returns).any()


def test_names_make_no_difference() -> None:
    """A game is its tables."""
    game = fishermen()
    twin = dataclasses.replace(game, name="twin", agents=("a", "b"), states=(("x", "y"),) * 2)
    one, other = (train_run(g, VLearning(), 500, 1) for g in (game, twin))
    assert (one.returns == other.returns).all()
    assert one.certificate is not None
    assert other.certificate is not None
    assert (one.certificate.cell_law == other.certificate.cell_law).all()
    assert (one.certificate.stage_key == other.certificate.stage_key).all()


# --- sizes ----------------------------------------------------------------------------------------


def test_records_grow_where_the_printed_rule_stalls() -> None:
    """λ < 1 always, so ⌊λ(1 + 1/T)T⌋ = T for ever: K/T stages at the first step alone."""
    K = 20_000
    run = train_run(fishermen(), VLearning(cv_max=50), K, 1)
    certificate = run.certificate
    assert certificate is not None
    assert (certificate.stage_key[:, 3] == 2).all()
    assert certificate.completed[0].tolist() == [K // 2, 0]
    assert certificate.completed.sum() >= K - 2
    found = run.evaluate()
    assert found.exact.all()
    assert (found.best_response <= found.informed + 1e-10).all()
    assert (found.gap > 5).all()  # such a run learns nothing: uniform play has 7.8
    grows = train_run(fishermen(), VLearning(cv_max=50, stage_rule="real"), K, 1).certificate
    assert grows is not None
    assert grows.completed.sum() < 200


def test_there_is_a_first_cell_for_every_state_of_a_long_game() -> None:
    """More of them than the rows a record starts with."""
    game = fishermen(horizon=200)
    learner = new_learner(game, VLearning(fluctuation="fixed", lambda_min=1), 300, 1)
    assert isinstance(learner, VLearner)
    assert len(learner.cells.key) >= learner.cells.used[0] == game.T * game.S
    learner.advance(300)
    certificate = learner.finish().certificate
    assert certificate is not None
    assert certificate.completed[0, 0] == 1  # of 200 visits, the next has 201


LONG_RUN = """
import resource, sys
from pathlib import Path
from amg.game.library.fishermen import fishermen
from amg.learning.parameters import VLearning
from amg.learning.train import train_run
from amg.results.run_file import save_runs

save_runs(Path(sys.argv[2]), [train_run(fishermen(), VLearning(), int(sys.argv[1]), 1)])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def test_long_runs_are_as_small_as_short_ones(tmp_path: Path) -> None:
    memory, rows = [], []
    for episodes in (10**6, 10**7):
        path = tmp_path / f"{episodes}.npz"
        command = [sys.executable, "-c", LONG_RUN, str(episodes), str(path)]
        printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        unit = 1 if sys.platform == "darwin" else 1024
        memory.append(int(printed) * unit)
        assert path.stat().st_size < 10**6
        with np.load(path) as file:
            rows.append(len(file["0.cell_key"]))
    assert memory[1] - memory[0] < 8 * 2**20
    assert rows[0] < rows[1] < 400  # O(log K)


# --- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"episodes": 0}, r"episodes = 0 must lie in \[1, "),
        ({"episodes": 10**13}, "must lie in"),
        ({"episodes": 10.5}, "not a whole number"),
        ({"episodes": True}, "not a number"),
        ({"seed": -1}, "seed = -1 must lie in"),
        ({"seed": "1"}, "seed = '1' is not a number"),
        ({"record": -1}, "record = -1 must lie in"),
        ({"parameters": VLearning(lambda_min=0.6)}, "for the horizon T = 2"),
    ],
)
def test_what_cannot_be_trained_is_refused(asked: dict[str, object], why: str) -> None:
    whole = {"parameters": VLearning(), "episodes": 10, "seed": 1} | asked
    with pytest.raises(ParameterError, match=why):
        new_learner(fishermen(), **whole)  # type: ignore[arg-type]


# --- parameters that are not read -----------------------------------------------------------------


@pytest.mark.parametrize(
    "given",
    [
        VLearning(fluctuation="fixed", lambda_min=0.7, cv_max=9, mad_max=9, direction="comment"),
        VLearning(fluctuation="cv", mad_max=0.01),
        VLearning(fluctuation="mad", cv_max=0.01),
        IndependentQ(schedule="constant", epsilon_end=0.9, rate=0.9),
        CentralizedQ(schedule="linear", rate=0.9),
    ],
)
def test_parameters_that_are_not_read_make_no_difference(given: Parameters) -> None:
    """The same draws give the same returns and policies, whatever they are."""
    plain = given.canonical()
    assert plain != given
    assert plain.canonical() == plain
    learners = [new_learner(fishermen(), each, 3000, SEED, RECORD) for each in (given, plain)]
    learners[0].rng = copy.deepcopy(learners[1].rng)
    for learner in learners:
        learner.advance(3000)
    one, other = (learner.state() for learner in learners)
    for name in one:
        assert np.array_equal(one[name], other[name]), name


def test_stage_based_v_learning_is_algorithm_1_without_adaptation() -> None:
    """The same rules under its own name; only the random numbers are its own."""
    game = build("inspection")
    fixed = VLearning(fluctuation="fixed")
    learners = [new_learner(game, kind, 3000, seed=1) for kind in (fixed, StageVLearning())]
    learners[1].rng = generator(game, fixed, 3000, seed=1)
    for learner in learners:
        learner.advance(3000)
    first, second = (learner.finish().certificate for learner in learners)
    assert first is not None
    assert second is not None
    for name in ("stage_key", "stage_v_bar", "cell_key", "cell_law"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
