"""Incremental V-learning as a learner."""

import numpy as np

from amg.game.model import Game, iota
from amg.learning.averaging import AveragingLearner
from amg.learning.incremental import Memory, Rules, learn, new_memory
from amg.learning.incremental_pair import is_pair, learn_pair
from amg.learning.parameters import IncrementalVLearning


class IncrementalLearner(AveragingLearner):
    """Incremental V-learning on one run."""

    parameters: IncrementalVLearning

    def __init__(
        self, game: Game, parameters: IncrementalVLearning, episodes: int, seed: int, record: int
    ) -> None:
        super().__init__(game, parameters, episodes, seed, record)
        log = iota(game, episodes, parameters.p)
        self.kernel = learn_pair if is_pair(game) else learn
        self.rules = Rules(
            bonus=parameters.bonus * np.sqrt(game.T**3 * game.A * log),
            tsallis=parameters.bandit == "tsallis",
            rate=parameters.rate,
        )

    def new_memory(self) -> Memory:
        return new_memory(self.game)

    def learn(self, until: int) -> None:
        records = self.memory, self.averages, self.returns
        self.kernel(self.tables, self.game.transition, self.rules, *records, self.rng, until)
