"""Runs that differ in their seed alone, trained together.

A plain group trains one run after another. An algorithm may have a kind of group that advances all
its runs at once (lockstep.py). Each run gets the same bits either way.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amg.kernels.lanes import LANES, Words
from amg.learning.learner import Arrays, Learner
from amg.results.run import Run

FEWEST, VISITS = 4, 10**7  # lanes and visits from which lockstep pays


class Group:
    """Learners of the same game, parameters and episodes, all at the same episode."""

    def __init__(self, learners: Sequence[Learner]) -> None:
        self.learners = list(learners)
        self.episodes = learners[0].episodes

    @property
    def done(self) -> int:
        """The number of episodes that every run has done."""
        return min(learner.done for learner in self.learners)

    def advance(self, until: int) -> None:
        """Learn up to this episode in every run."""
        for learner in self.learners:
            learner.advance(until)

    def finish(self) -> list[Run]:
        """Return the runs, once all episodes are done."""
        return [learner.finish() for learner in self.learners]

    def state(self) -> Arrays:
        """Return everything that the rest of the runs depends on, as views."""
        return {
            f"{w}.{name}": array
            for w, learner in enumerate(self.learners)
            for name, array in learner.state().items()
        }

    def resume(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from a saved state of the same runs."""
        for w, learner in enumerate(self.learners):
            learner.resume({name: arrays[f"{w}.{name}"] for name in learner.state()})


class Lockstep(Group):
    """A group whose runs advance at once; their arrays are those of the group, one lane each."""

    def __init__(self, learners: Sequence[Learner]) -> None:
        super().__init__(learners)
        self.stack()

    def stack(self) -> None:
        """Join the runs' arrays along a new first axis; the learners keep views of them."""
        for name in self.learners[0].STATE:
            records = [getattr(learner, name) for learner in self.learners]
            kind, fields = type(records[0]), list(zip(*records, strict=True))
            joined = [np.stack(f) if isinstance(f[0], np.ndarray) else f[0] for f in fields]
            setattr(self, name, kind(*joined))
            for w, learner in enumerate(self.learners):
                lane = [x[w] if isinstance(x, np.ndarray) else x for x in joined]
                setattr(learner, name, kind(*lane))

    def resume(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        super().resume(arrays)
        self.stack()

    def generators(self) -> Words:
        """Return the states of all generators as rows of lanes."""
        states = np.zeros((4, LANES), dtype=np.uint64)
        for w, learner in enumerate(self.learners):
            states[:, w] = learner.rng.bit_generator.state["state"]["state"]
        return states

    def set_generators(self, states: Words) -> None:
        """Put all generators into these states."""
        for w, learner in enumerate(self.learners):
            bits = learner.rng.bit_generator.state
            bits["state"]["state"] = states[:, w].copy()
            learner.rng.bit_generator.state = bits


def most_together(learner: Learner) -> int:
    """Return how many such runs a group may have; without lockstep there is nothing to gain."""
    return 1 if learner.lockstep() is None else LANES


def together(learners: Sequence[Learner], lockstep: bool | None = None) -> Group:
    """Return the group of these learners: in lockstep if that exists and pays, or as told."""
    first, kind = learners[0], learners[0].lockstep()
    if lockstep is None:
        visits = len(learners) * first.episodes * first.game.T
        lockstep = len(learners) >= FEWEST and visits >= VISITS
    return kind(learners) if lockstep and kind is not None else Group(learners)
