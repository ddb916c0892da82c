"""Training: from a game, an algorithm, its parameters, K and a seed to a run.

`train` is the public function. `train_traced` makes the same run and records everything that
happens. `warm_up` compiles the kernels once, so that jobs find them in numba's cache.
"""

import dataclasses
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from amg.base.errors import ParameterError
from amg.base.rational import exact
from amg.base.sources import digest
from amg.base.text import quote
from amg.evaluation.sampler import new_trace
from amg.game.library import build
from amg.game.model import Game
from amg.learning.group import Group, together
from amg.learning.learner import Learner, learner_class
from amg.learning.parameters import ALGORITHMS, Parameters, VLearning, make_parameters
from amg.learning.v_learner import VLearner
from amg.results.run import Run

RECORD = 100_000  # episodes whose returns are recorded one by one
CHUNK_SECONDS = 0.2  # about how long a caller waits between two reports of progress
LIMITS = {"episodes": (1, 10**12), "seed": (0, 2**63 - 1), "record": (0, 10**8)}
LONGEST = 1_000_000  # episodes
EVALUATION = "evaluation"


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
    settings = {name: _plain(value) for name, value in parameters.items()}
    return train_run(game, make_parameters(algorithm, settings), episodes, seed)


def train_run(
    game: Game, parameters: Parameters, episodes: float, seed: int, record: int = RECORD
) -> Run:
    """Return one whole run."""
    learner = new_learner(game, parameters, episodes, seed, record)
    for _ in advance(learner):
        pass  # between two chunks Python answers Ctrl-C
    return learner.finish()


def new_learner(
    game: Game, parameters: Parameters, episodes: float, seed: int, record: int = RECORD
) -> Learner:
    """Return a learner at the beginning of its run, after checking the arguments."""
    numbers = _whole("episodes", episodes), _whole("seed", seed), _whole("record", record)
    parameters.check(game)
    return learner_class(parameters)(game, parameters, *numbers)


def advance(learner: Learner | Group, seconds: float = CHUNK_SECONDS) -> Iterator[int]:
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


def _whole(name: str, value: Any) -> int:
    """Return a whole number within its limits, given as 1000000, 1e6 or a number of numpy's."""
    try:
        if isinstance(value, str):
            raise ValueError
        number = exact(_plain(value))
    except ValueError:
        raise ParameterError(
            f"{name} = {quote(value)} is not a number; give one like 1e6"
        ) from None
    if number.denominator != 1:
        raise ParameterError(f"{name} = {quote(value)} is not a whole number")
    low, high = LIMITS[name]
    if not low <= number <= high:
        raise ParameterError(f"{name} = {number} must lie in [{low}, {high}]")
    return int(number)


def _plain(value: Any) -> Any:
    """Return a number of numpy's as one of Python's; anything else as it is."""
    return value.item() if isinstance(value, np.generic) else value


def train_traced(
    game: Game, parameters: VLearning, episodes: int, seed: int, record: int = RECORD
) -> Run:
    """Return the same run as `train_run`, to the bit, with its trace."""
    if episodes > LONGEST:
        raise ParameterError(f"episodes = {episodes}: a trace holds at most {LONGEST}")
    source = digest(__name__)
    learner = new_learner(game, parameters, episodes, seed, record)
    assert isinstance(learner, VLearner)
    trace = new_trace(game, episodes)
    step, agent = np.arange(game.T)[:, None], np.arange(game.N)
    for k in range(episodes):
        memory = learner.memory
        trace.stage[k] = memory.stage
        trace.stage_length[k] = memory.length * game.exists
        trace.vbar[k] = memory.v_bar[: game.T] * game.exists[..., None]
        policy = memory.policy.copy()
        learner.advance(k + 1)
        state, action = learner.path[:, :1], learner.path[:, 1:]
        effort = game.effort[step, state, agent, action]
        total = effort.sum(axis=1, keepdims=True)
        trace.state[k], trace.action[k] = state[:, 0], action
        trace.aggregate[k] = game.tables.aggregate[total[:, 0]]
        trace.reward[k] = game.reward[step, state, agent, action, total - effort]
        trace.policy[k] = policy[step[:, 0], state[:, 0]]
    return dataclasses.replace(learner.finish(), trace=trace, source=source)


def kernel_of(algorithm: str) -> str:
    """Return the name of the kernels that an algorithm runs on: that of its learner's module."""
    return ALGORITHMS[algorithm].learner.split(".")[-2]


KERNELS: dict[str, str] = {  # the modules that the kernels belong to
    **{kernel_of(name): kind.learner.rpartition(".")[0] for name, kind in ALGORITHMS.items()},
    EVALUATION: "amg.evaluation.evaluation",
}


def warm_up(kernel: str) -> None:
    """Run a few episodes of the algorithms of a kernel, alone and together, or evaluate."""
    for game in (build("fishermen"), build("fishermen", {"agents": 3})):  # two agents, and more
        if kernel == EVALUATION:
            from amg.results.evaluate import evaluate

            evaluate(game, game.uniform_policy())
        for algorithm in ALGORITHMS:
            if kernel_of(algorithm) == kernel:
                learner = new_learner(game, make_parameters(algorithm, {}), 10, seed=0)
                learner.advance(5)
                together([learner], lockstep=True).advance(10)
