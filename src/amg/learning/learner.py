"""What every algorithm can do with a run: advance, be saved, go on, and finish.

A learner keeps all it knows in plain arrays. So a run can stop between any two episodes, be saved,
and go on to the same bits. A learner knows no file format.
"""

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping
from importlib import import_module
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from amg.base import VERSION
from amg.base.sources import digest
from amg.game.model import Game
from amg.kernels.sums import Ints
from amg.learning.episode import generator, new_returns
from amg.learning.parameters import Parameters
from amg.results.run import Run

Arrays = dict[str, NDArray[Any]]


def learner_class(parameters: Parameters) -> "type[Learner]":
    """Return the class of an algorithm's learner."""
    module, _, name = parameters.learner.rpartition(".")
    kind: type[Learner] = getattr(import_module(module), name)
    return kind


class Learner(ABC):
    """An algorithm at work on one run, which is a pure function of the five arguments.

    A subclass sets `memory` in its constructor, a named tuple of arrays with at least `episode`
    (episodes done) and `path` (state and actions of the last episode).
    """

    STATE: ClassVar[tuple[str, ...]] = ("memory", "returns")  # attributes: named tuples of arrays
    memory: Any

    def __init__(
        self, game: Game, parameters: Parameters, episodes: int, seed: int, record: int
    ) -> None:
        self.game, self.parameters, self.episodes = game, parameters, episodes
        self.tables = game.tables  # what the kernel runs on
        self.rng = generator(game, parameters, episodes, seed)
        self.returns = new_returns(game.N, episodes, record)
        self.run = Run(  # what is known of it before the first episode
            game=game,
            algorithm=parameters.algorithm,
            parameters=parameters.as_dict(),
            episodes=episodes,
            seed=seed,
            returns_edge=self.returns.edge,
            returns=self.returns.mean,
            package=VERSION,
            source=digest(type(self).__module__),
        )

    @property
    def done(self) -> int:
        """The number of episodes done."""
        return int(self.memory.episode[0])

    @property
    def path(self) -> Ints:
        """State and actions at each step of the last episode, [T, 1 + N]."""
        return self.memory.path

    @staticmethod
    def lockstep(game: Game, parameters: Any) -> type[Any] | None:
        """Return the kind of group that advances several such runs at once, if there is one."""
        return None

    @abstractmethod
    def advance(self, until: int) -> None:
        """Learn up to this episode."""

    @abstractmethod
    def result(self) -> dict[str, Any]:
        """Return the parts of the run that this algorithm makes: a certificate or a policy."""

    def finish(self) -> Run:
        """Return the run, once all episodes are done."""
        return dataclasses.replace(self.run, returns=self.returns.mean, **self.result())

    def state(self) -> Arrays:
        """Return everything that the rest of the run depends on.

        These are views, not copies: write them before advancing.
        """
        arrays = {"rng": np.asarray(self.rng.bit_generator.state["state"]["state"])}
        for group in self.STATE:
            for name, array in getattr(self, group)._asdict().items():
                if isinstance(array, np.ndarray):  # scratch, a tuple itself, is left out
                    arrays[f"{group}.{name}"] = array
        return arrays

    def resume(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from a saved state of the same run."""
        for name in self.state().keys() - {"rng"}:
            group, field = name.split(".")
            record = getattr(self, group)._replace(**{field: arrays[name].copy()})
            setattr(self, group, record)
        bits = self.rng.bit_generator.state
        bits["state"]["state"] = arrays["rng"].copy()
        self.rng.bit_generator.state = bits
