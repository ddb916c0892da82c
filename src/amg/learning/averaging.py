"""Learners whose policy is evaluated while they learn (averages.py).

For T ≤ 2 one pass suffices. For T > 2 the same episodes are done twice, from the same random
numbers: the first pass finds a good Markov deviation, the second adds up what it earns.
"""

from abc import abstractmethod
from typing import Any

import numpy as np

from amg.game.model import Game
from amg.kernels.sums import Ints
from amg.learning.averages import Averages, new_averages, online_certificate
from amg.learning.episode import generator, new_returns
from amg.learning.learner import Learner
from amg.learning.parameters import Parameters


class AveragingLearner(Learner):
    """A learner with α-weighted averages; a subclass gives its memory and its kernel.

    Its memory has one more array, `passes`: how often all episodes were done before.
    """

    STATE = ("memory", "averages", "returns")
    averages: Averages

    def __init__(
        self, game: Game, parameters: Parameters, episodes: int, seed: int, record: int
    ) -> None:
        super().__init__(game, parameters, episodes, seed, record)
        self.record, self.passes = record, 1 if game.T <= 2 else 2
        self.memory, self.averages = self.new_memory(), new_averages(game)

    @abstractmethod
    def new_memory(self) -> Any:
        """Return the memory before the first episode."""

    @abstractmethod
    def learn(self, until: int) -> None:
        """Learn up to this episode of the pass under way."""

    @property
    def done(self) -> int:
        """The number of episodes done; of two passes, each counts half."""
        passes, episode = int(self.memory.passes[0]), int(self.memory.episode[0])
        return (passes * self.episodes + episode) // self.passes

    def advance(self, until: int) -> None:
        while self.done < until:
            passes = int(self.memory.passes[0])
            self.learn(min(self.passes * until - passes * self.episodes, self.episodes))
            if self.memory.episode[0] == self.episodes and passes + 1 < self.passes:
                self.begin_again()

    def begin_again(self) -> None:
        """Go back to the first episode, with the Markov deviation that looks best now."""
        game, q = self.game, self.averages.action
        follow: Ints = np.where(game.effort >= 0, q, -np.inf).argmax(axis=3)
        self.memory = self.new_memory()._replace(passes=self.memory.passes + 1)
        self.averages = new_averages(game, follow)
        self.returns = new_returns(game.N, self.episodes, self.record)
        self.rng = generator(game, self.parameters, self.episodes, self.run.seed)

    def result(self) -> dict[str, Any]:
        return {"online": online_certificate(self.game, self.averages, self.episodes)}
