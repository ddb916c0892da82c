"""What every algorithm can do with a run: advance, be saved, go on, and finish.

A learner keeps all it knows in plain arrays. So a run can stop between any two episodes, be saved,
and go on to the same bits. A learner knows no file format.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from amg.base import VERSION
from amg.base.errors import FileError
from amg.base.sources import digest
from amg.game.model import Game
from amg.kernels.arrays import Ints
from amg.learning.parameters import Parameters
from amg.learning.random import generator, identity
from amg.learning.returns import new_returns
from amg.results.run import Run

Arrays = dict[str, NDArray[Any]]


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
        self.game, self.parameters, self.episodes, self.seed = game, parameters, episodes, seed
        self.record = record
        self.source = digest(type(self).__module__)
        self.identity = identity(game, parameters, episodes, seed)
        self.rng = generator(game, parameters, episodes, seed)
        self.returns = new_returns(game.N, episodes, record)

    @property
    def done(self) -> int:
        """The number of episodes done."""
        return int(self.memory.episode[0])

    @property
    def path(self) -> Ints:
        """State and actions at each step of the last episode, [T, 1 + N]."""
        path: Ints = self.memory.path
        return path

    @abstractmethod
    def advance(self, until: int) -> None:
        """Learn up to this episode."""

    @abstractmethod
    def result(self) -> dict[str, Any]:
        """Return the parts of the run that this algorithm makes: a certificate or a policy."""

    def finish(self) -> Run:
        """Return the run, once all episodes are done."""
        return Run(
            game=self.game,
            algorithm=self.parameters.algorithm,
            parameters=self.parameters.as_dict(),
            episodes=self.episodes,
            seed=self.seed,
            returns_edge=self.returns.edge,
            returns=self.returns.mean,
            package=VERSION,
            source=self.source,
            **self.result(),
        )

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
        """Go on from a saved state of the same run.

        Records grow, so a saved array may be longer than that of a new learner.
        """
        own = self.state()
        for name, array in own.items():
            saved = arrays.get(name, np.zeros(()))
            fits = saved.dtype == array.dtype and saved.ndim == array.ndim
            if not (fits and saved.shape[1:] == array.shape[1:] and len(saved) >= len(array)):
                raise FileError(f"the array {name} does not fit")
        for group in self.STATE:
            record = getattr(self, group)
            names = {field: f"{group}.{field}" for field in record._fields}
            fields = {field: arrays[name].copy() for field, name in names.items() if name in own}
            setattr(self, group, record._replace(**fields))
        bits = self.rng.bit_generator.state
        bits["state"]["state"] = arrays["rng"].copy()
        self.rng.bit_generator.state = bits
