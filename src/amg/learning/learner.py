"""What every algorithm at work on a run can do: advance, be saved, go on, and finish.

Learners keep all they know in plain arrays, so that a run can stop between any two episodes, be
saved, and go on to the same bits.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from amg.archive import Arrays
from amg.errors import FileError
from amg.game import Game
from amg.learning.parameters import Parameters
from amg.learning.returns import new_returns
from amg.learning.seeds import generator
from amg.run import Run
from amg.sources import digest


class Learner(ABC):
    """An algorithm at work on one run, a pure function of its five arguments."""

    memory: Any  # the algorithm's named tuple of arrays, `episode` and `path` among them
    GROWING: ClassVar[frozenset[str]] = frozenset()  # arrays of which a saved state may have more

    def __init__(
        self, game: Game, parameters: Parameters, episodes: int, seed: int, record: int
    ) -> None:
        self.game, self.parameters, self.episodes, self.seed = game, parameters, episodes, seed
        self.record = record
        self.source = digest("amg.learning.training", type(self).__module__)
        self.rng = generator(game, parameters, episodes, seed)
        self.returns = new_returns(game.N, episodes, record)

    @property
    def done(self) -> int:
        """Episodes done."""
        return int(self.memory.episode[0])

    @property
    def path(self) -> NDArray[np.int64]:
        """[T, 1 + N] state and actions at each step of the last episode."""
        path: NDArray[np.int64] = self.memory.path
        return path

    @abstractmethod
    def advance(self, until: int) -> None:
        """Learn up to this episode."""

    @abstractmethod
    def _memory(self) -> dict[str, Any]:
        """The named tuples of arrays that change while learning, apart from the returns."""

    @abstractmethod
    def _restore(self, memory: dict[str, Any]) -> None:
        """Take such tuples back."""

    @abstractmethod
    def _result(self) -> dict[str, Any]:
        """The parts of the run that this algorithm makes."""

    def finish(self) -> Run:
        """The run, once all episodes are done."""
        return Run(
            game=self.game,
            algorithm=self.parameters.algorithm,
            parameters=self.parameters.as_dict(),
            episodes=self.episodes,
            seed=self.seed,
            returns_edge=self.returns.edge,
            returns=self.returns.mean,
            source=self.source,
            **self._result(),
        )

    def state(self) -> Arrays:
        """Everything that the rest of the run depends on; the arrays live on, save them at once."""
        arrays = {"rng": np.asarray(self.rng.bit_generator.state["state"]["state"])}
        for group, record in {**self._memory(), "returns": self.returns}.items():
            arrays |= {f"{group}.{name}": array for name, array in _flatten(record).items()}
        return arrays

    def resume(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from such a state, if it can be one of this run."""
        bits = self.rng.bit_generator.state
        bits["state"]["state"] = _fitting(arrays, "rng", bits["state"]["state"])
        self.rng.bit_generator.state = bits
        returns = self._refill(self.returns, "returns", arrays)
        insist((returns.edge == self.returns.edge).all(), "other blocks of returns than the run")
        self.returns = returns
        self._restore(
            {name: self._refill(record, name, arrays) for name, record in self._memory().items()}
        )
        insist(self.done <= self.episodes, "more episodes than the run")
        entries = np.searchsorted(returns.edge, self.done, side="right") - 1
        insist(returns.used[0] == entries, "returns of other episodes")
        self._check()

    @abstractmethod
    def _check(self) -> None:
        """Refuse a memory with which the kernel, which trusts it, would leave its arrays."""

    def _refill(self, record: Any, group: str, arrays: Mapping[str, NDArray[Any]]) -> Any:
        """The named tuple with its arrays taken from a saved state."""
        filled = {}
        for field, now in _flatten(record).items():
            name = f"{group}.{field}"
            filled[field] = saved = _fitting(arrays, name, now, name in self.GROWING)
            least = -1 if name == "cells.row" else 0  # -1 in states that are padding
            insist(saved.dtype.kind != "i" or (saved >= least).all(), f"counts below 0 in {name}")
        return record._replace(**filled)


def insist(holds: bool | np.bool_, problem: str) -> None:
    """Refuse a saved state that has this problem."""
    if not holds:
        raise FileError(f"it has {problem}")


def _fitting(
    arrays: Mapping[str, NDArray[Any]], name: str, now: NDArray[Any], longer: bool = False
) -> NDArray[Any]:
    """A copy of the saved array of this name, which must be like the one there is now."""
    saved = np.array(arrays.get(name, ()))
    more = slice(1 if longer else 0, None)
    fits = saved.dtype == now.dtype and saved.ndim == now.ndim
    fits = fits and saved.shape[more] == now.shape[more]
    rows = bool(saved.size) == bool(now.size)  # twice no row would be no room
    insist(fits and rows, f"an array {name} that does not fit")
    insist(np.isfinite(saved).all(), f"numbers in {name} that are not finite")
    return saved


def _flatten(record: Any) -> Arrays:
    """The arrays of a named tuple; scratch, itself a tuple, is left out."""
    return {k: v for k, v in record._asdict().items() if isinstance(v, np.ndarray)}
