"""Random numbers of a run: seeded by what the run is, never by where or when it runs.

---
What every algorithm can do with a run: advance, be saved, go on, and finish.

A learner keeps all it knows in plain arrays. So a run can stop between any two episodes, be saved,
and go on to the same bits. A learner knows no file format.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.random import SFC64, Generator, SeedSequence
from numpy.typing import NDArray

from amg.base import VERSION
from amg.base.errors import FileError
from amg.base.sources import digest
from amg.game.model import Game
from amg.learning.episode import new_returns
from amg.learning.parameters import Parameters
from amg.results.run import Run


def identity(game: Game, parameters: Parameters, episodes: int, seed: int) -> dict[str, Any]:
    """What a run is."""
    return {
        "game": game.digest,
        "algorithm": parameters.algorithm,
        "parameters": parameters.as_dict(),
        "episodes": episodes,
        "seed": seed,
    }


def generator(game: Game, parameters: Parameters, episodes: int, seed: int) -> Generator:
    """SFC64, the fastest of numpy's, from the seed and a spawn key that digests the rest."""
    what = identity(game, parameters, episodes, seed)
    del what["seed"]
    digest = hashlib.sha256(json.dumps(what, sort_keys=True).encode()).digest()
    words = np.frombuffer(digest, dtype="<u4").tolist()
    return Generator(SFC64(SeedSequence(seed, spawn_key=tuple(words))))


# ===== learning/learner

Arrays = dict[str, NDArray[Any]]


class Learner(ABC):
    """An algorithm at work on one run, which is a pure function of the five arguments."""

    memory: Any  # the algorithm's named tuple of arrays; `episode` and `path` are two of them
    GROWING: ClassVar[frozenset[str]] = frozenset()  # arrays that may be longer in a saved state

    def __init__(
        self, game: Game, parameters: Parameters, episodes: int, seed: int, record: int
    ) -> None:
        self.game, self.parameters, self.episodes, self.seed = game, parameters, episodes, seed
        self.record = record
        self.source = digest(type(self).__module__)
        self.rng = generator(game, parameters, episodes, seed)
        self.returns = new_returns(game.N, episodes, record)

    @property
    def done(self) -> int:
        """Episodes done."""
        return int(self.memory.episode[0])

    @property
    def identity(self) -> dict[str, Any]:
        """What the run is a function of, apart from the sources."""
        return identity(self.game, self.parameters, self.episodes, self.seed)

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
        """Restore the state returned by `_memory`."""

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
            package=VERSION,
            source=self.source,
            **self._result(),
        )

    def state(self) -> Arrays:
        """Return everything that the rest of the run depends on.

        These are views, not copies: write them before advancing.
        """
        arrays = {"rng": np.asarray(self.rng.bit_generator.state["state"]["state"])}
        for group, record in {**self._memory(), "returns": self.returns}.items():
            arrays |= {f"{group}.{name}": array for name, array in _flatten(record).items()}
        return arrays

    def resume(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from a state returned by `state`; refuse one that cannot be of this run."""
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
        """Refuse a memory that would lead the kernel out of its arrays: the kernel checks nothing."""

    def _refill(self, record: Any, group: str, arrays: Mapping[str, NDArray[Any]]) -> Any:
        """Return the named tuple with the arrays of a saved state."""
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
    """Return a copy of the saved array; its type and shape must be those of the present one."""
    saved = np.array(arrays.get(name, ()))
    more = slice(1 if longer else 0, None)
    fits = saved.dtype == now.dtype and saved.ndim == now.ndim
    fits = fits and saved.shape[more] == now.shape[more]
    rows = bool(saved.size) == bool(now.size)  # arrays grow by doubling, which needs a row
    insist(fits and rows, f"an array {name} that does not fit")
    insist(np.isfinite(saved).all(), f"numbers in {name} that are not finite")
    return saved


def _flatten(record: Any) -> Arrays:
    """Return the arrays of a named tuple, without its scratch, which is a tuple itself."""
    return {k: v for k, v in record._asdict().items() if isinstance(v, np.ndarray)}
