"""Runs that differ in their seed alone, trained together.

A plain group trains one run after another. An algorithm may have a kind of group that advances all
its runs at once (lockstep.py). Each run gets the same bits either way.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from amg.game.model import Game
from amg.kernels.lanes import LANES
from amg.learning.learner import Arrays, Learner, learner_class
from amg.learning.parameters import Parameters
from amg.results.run import Run

FEWEST, VISITS = 3, 2 * 10**6  # lanes and visits from which lockstep pays


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


def most_together(learner: Learner) -> int:
    """Return how many such runs a group may have; without lockstep there is nothing to gain."""
    return 1 if learner.lockstep(learner.game, learner.parameters) is None else LANES


def lockstep_pays(game: Game, parameters: Parameters, episodes: int, runs: int) -> bool:
    """Return whether so many runs are better advanced at once."""
    exists = learner_class(parameters).lockstep(game, parameters) is not None
    return exists and runs >= FEWEST and runs * episodes * game.T >= VISITS


def together(learners: Sequence[Learner], lockstep: bool | None = None) -> Group:
    """Return the group of at most LANES learners: in lockstep if that pays, or as told."""
    one = learners[0]
    if lockstep is None:
        lockstep = lockstep_pays(one.game, one.parameters, one.episodes, len(learners))
    kind = one.lockstep(one.game, one.parameters) if lockstep else None
    return (kind or Group)(learners)
