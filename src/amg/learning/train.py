"""Train one run: `amg.train` for users, `train_run` for the package."""

from __future__ import annotations

import time
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np

from amg.base.errors import ParameterError
from amg.base.rational import exact
from amg.base.text import quote
from amg.game.model import Game
from amg.learning.learner import Learner
from amg.learning.parameters import Parameters, make_parameters
from amg.results.run import Run

RECORD = 100_000  # episodes whose returns are recorded one by one
CHUNK_SECONDS = 0.2  # about how long a caller waits between two reports of progress
LIMITS = {"episodes": (1, 10**12), "seed": (0, 2**63 - 1), "record": (0, 10**8)}


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
    module, _, name = parameters.learner.rpartition(".")
    kind: type[Learner] = getattr(import_module(module), name)
    return kind(game, parameters, *numbers)


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
