"""Training: from a game, an algorithm's parameters, a number of episodes and a seed to a run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from importlib import import_module

import numpy as np

from amg.errors import ParameterError
from amg.game import Game
from amg.learning.learner import Learner
from amg.learning.parameters import Parameters
from amg.run import Run

# By name, so that a job loads, and a changed module reruns, only the algorithm that is used.
LEARNERS = {
    "v_learning": ("amg.learning.v_learner", "VLearner"),
    "centralized_q": ("amg.learning.q_learner", "CentralizedQLearner"),
    "independent_q": ("amg.learning.q_learner", "IndependentQLearner"),
}
RECORD = 100_000  # episodes whose returns are kept one by one
CHUNK_SECONDS = 0.2  # about how long a caller waits between two reports of progress
LIMITS = {"episodes": (1, 10**12), "seed": (0, 2**63 - 1), "record": (0, 10**8)}


def new_learner(
    game: Game, parameters: Parameters, episodes: int, seed: int, record: int = RECORD
) -> Learner:
    """A learner at the beginning of its run, after checking all that was asked for."""
    for name, value in (("episodes", episodes), ("seed", seed), ("record", record)):
        low, high = LIMITS[name]
        if isinstance(value, bool) or not isinstance(value, int | np.integer):
            raise ParameterError(f"{name} = {value!r} is not a whole number")
        if not low <= value <= high:
            raise ParameterError(f"{name} = {value} must lie in [{low}, {high}]")
    parameters.check(game)
    module, name = LEARNERS[parameters.algorithm]
    kind: type[Learner] = getattr(import_module(module), name)
    return kind(game, parameters, int(episodes), int(seed), int(record))


def train(
    game: Game,
    parameters: Parameters,
    episodes: int,
    seed: int,
    *,
    record: int = RECORD,
    progress: Callable[[int], None] | None = None,
) -> Run:
    """One whole run; `progress` hears the episodes done a few times a second."""
    learner = new_learner(game, parameters, episodes, seed, record)
    for done in chunks(learner):
        if progress is not None:
            progress(done)
    return learner.finish()


def chunks(learner: Learner, seconds: float = CHUNK_SECONDS) -> Iterator[int]:
    """Advance to the end in pieces of about this long; after each, say how many are done.

    The first is one episode: in a large game that may take long, and a kernel is compiled before.
    """
    size = 1
    while learner.done < learner.episodes:
        begun = time.perf_counter()
        learner.advance(min(learner.done + size, learner.episodes))
        taken = max(time.perf_counter() - begun, 1e-6)
        size = max(int(size * min(seconds / taken, 4.0)), 1)
        yield learner.done
