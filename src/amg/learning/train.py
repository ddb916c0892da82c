"""Train from Python: `amg.train`, with plain values as arguments.

---
Training: from a game, an algorithm's parameters, a number of episodes and a seed to a run.

---
Recording the full trace of a short V-learning run, one episode at a time.

The kernel knows nothing of it: before each episode the learner's arrays are copied, after it the
path is read. π_i^{t,k} at the visited state is the policy at the episode's beginning, since a
policy changes only at its own visit.

---
Compile kernels once, so that jobs that start together find them in numba's cache.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import numpy as np

from amg.base.errors import ParameterError
from amg.base.rational import exact
from amg.base.sources import digest
from amg.base.text import quote
from amg.evaluation.trace import new_trace
from amg.game.model import Game
from amg.learning.learner import Learner
from amg.learning.parameters import ALGORITHMS, Parameters, VLearning, make_parameters
from amg.learning.v_learner import VLearner
from amg.results.run import Run


def train(
    game: Game, algorithm: str = "v_learning", *, episodes: float, seed: int = 1, **parameters: Any
) -> Run:
    """Train one run and return it.

    Parameters
    ----------
    game : Game
        From `build_game` or `load_game`.
    algorithm : str
        ``"v_learning"`` (Algorithm 1 of the paper), ``"centralized_q"`` or ``"independent_q"``.
    episodes : int
        K, the number of episodes; 1e6 is as good as 1000000.
    seed : int
        The same arguments give the same run, to the bit.
    **parameters
        Parameters of the algorithm; ``amg train --help`` lists them.

    Returns
    -------
    Run

    Raises
    ------
    ParameterError
        If an argument is unknown, of the wrong type or out of range.

    Examples
    --------
    >>> import amg
    >>> game = amg.build_game("fishermen")
    >>> run = amg.train(game, episodes=1e3, seed=1, lambda_min=0.95)
    >>> bool(run.evaluate().gap.max() < 8)
    True
    """
    if not isinstance(game, Game):
        raise ParameterError(
            f"game must be a Game, from build_game or load_game, not {type(game).__name__}"
        )
    plain = {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in parameters.items()
    }
    return train_run(
        game, make_parameters(algorithm, plain), whole("episodes", episodes), whole("seed", seed)
    )


def whole(name: str, value: object) -> int:
    """Return a whole number, given as 1000000, 1e6 or a number of numpy's."""
    number = value.item() if isinstance(value, np.generic) else value
    try:
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise ValueError
        fraction = exact(number)
    except ValueError:
        raise ParameterError(
            f"{name} = {quote(value)} is not a number; give one like 1e6"
        ) from None
    if fraction.denominator != 1:
        raise ParameterError(f"{name} = {quote(value)} is not a whole number")
    return int(fraction)


# ===== learning/training

RECORD = 100_000  # episodes whose returns are kept one by one
CHUNK_SECONDS = 0.2  # about how long a caller waits between two reports of progress
LIMITS = {"episodes": (1, 10**12), "seed": (0, 2**63 - 1), "record": (0, 10**8)}


def new_learner(
    game: Game, parameters: Parameters, episodes: int, seed: int, record: int = RECORD
) -> Learner:
    """Return a learner at the beginning of its run, after checking the arguments."""
    for name, value in (("episodes", episodes), ("seed", seed), ("record", record)):
        low, high = LIMITS[name]
        if isinstance(value, bool) or not isinstance(value, int | np.integer):
            raise ParameterError(f"{name} = {value!r} is not a whole number")
        if not low <= value <= high:
            raise ParameterError(f"{name} = {value} must lie in [{low}, {high}]")
    parameters.check(game)
    module, _, name = parameters.learner.rpartition(".")
    kind: type[Learner] = getattr(import_module(module), name)
    return kind(game, parameters, int(episodes), int(seed), int(record))


def train_run(
    game: Game,
    parameters: Parameters,
    episodes: int,
    seed: int,
    *,
    record: int = RECORD,
    progress: Callable[[int], None] | None = None,
) -> Run:
    """Return one whole run; `progress` is told the episodes done a few times a second."""
    learner = new_learner(game, parameters, episodes, seed, record)
    for done in advance(learner):
        if progress is not None:
            progress(done)
    return learner.finish()


def advance(learner: Learner, seconds: float = CHUNK_SECONDS) -> Iterator[int]:
    """Train to the end in chunks of about this long; yield the episodes done after each.

    The first chunk is one episode, because the kernel may have to be compiled before it.
    """
    size = 1
    while learner.done < learner.episodes:
        begun = time.perf_counter()
        learner.advance(min(learner.done + size, learner.episodes))
        taken = max(time.perf_counter() - begun, 1e-6)
        size = max(int(size * min(seconds / taken, 4.0)), 1)
        yield learner.done


# ===== learning/tracing

LONGEST = 1_000_000  # episodes


def train_traced(
    game: Game, parameters: VLearning, episodes: int, seed: int, *, record: int = RECORD
) -> Run:
    """The same run as `train` gives, to the bit, with its trace."""
    if episodes > LONGEST:
        raise ParameterError(f"episodes = {episodes}: a trace holds at most {LONGEST}")
    source = digest(__name__)
    learner = new_learner(game, parameters, episodes, seed, record)
    assert isinstance(learner, VLearner)
    trace = new_trace(game, episodes)
    step, agent = np.arange(game.T), np.arange(game.N)
    for k in range(episodes):
        memory = learner.memory
        trace.stage[k] = memory.stage
        trace.stage_length[k] = memory.length * game.exists
        trace.vbar[k] = memory.v_bar[: game.T] * game.exists[..., None]
        policy = memory.policy.copy()
        learner.advance(k + 1)
        state, action = learner.path[:, 0], learner.path[:, 1:]
        effort = game.effort[step[:, None], state[:, None], agent, action]
        total = effort.sum(axis=1)
        trace.state[k], trace.action[k] = state, action
        trace.aggregate[k] = game.tables.aggregate[total]
        trace.reward[k] = game.reward[
            step[:, None], state[:, None], agent, action, total[:, None] - effort
        ]
        trace.policy[k] = policy[step, state]
    return dataclasses.replace(learner.finish(), trace=trace, source=source)


# ===== learning/warmup

EVALUATION = "evaluation"


def kernel_of(algorithm: str) -> str:
    """Return the name of the kernels that an algorithm runs on: that of its learner's module."""
    return ALGORITHMS[algorithm].learner.split(".")[-2]


KERNELS: dict[str, str] = {  # the modules that the kernels belong to
    **{kernel_of(name): kind.learner.rpartition(".")[0] for name, kind in ALGORITHMS.items()},
    EVALUATION: "amg.evaluation.evaluation",
}


def warm_up(kernel: str) -> None:
    """Run a few episodes of the learners of a module, or evaluate a policy."""
    from amg.game.library import build
    from amg.results.evaluate import evaluate

    for game in (build("fishermen"), build("fishermen", {"agents": 3})):  # special and general
        if kernel == EVALUATION:
            evaluate(game, game.uniform_policy())
            continue
        for algorithm in ALGORITHMS:
            if kernel_of(algorithm) == kernel:
                train_run(game, make_parameters(algorithm, {}), 10, seed=0)
