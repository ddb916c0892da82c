"""Q-learning as a learner: the kernel's arrays, and the greedy policy."""

from typing import Any

import numpy as np

from amg.game.model import Game
from amg.kernels.sums import Floats
from amg.learning.learner import Learner
from amg.learning.lockstep import fits
from amg.learning.parameters import QLearning
from amg.learning.q_learning import SCHEDULES, Rules, learn_alone, learn_joint, new_memory
from amg.learning.q_lockstep import QLockstep

MOST_OPTIONS = 9  # in lockstep, where all of them are unrolled


class QLearner(Learner):
    """Q-learning on one run, by one learner of the joint action or by each agent alone."""

    parameters: QLearning

    def __init__(
        self, game: Game, parameters: QLearning, episodes: int, seed: int, record: int
    ) -> None:
        super().__init__(game, parameters, episodes, seed, record)
        own = game.tables.n_actions
        options = own.prod(axis=2, keepdims=True) if parameters.joint else own
        self.memory = new_memory(game, options, parameters.start == "optimistic")
        self.kernel = learn_joint if parameters.joint else learn_alone
        self.rules = Rules(
            options=options,
            decaying=parameters.rate_rule != "constant",
            H=game.T if parameters.rate_rule == "decaying" else 0,
            rate=parameters.rate,
            schedule=SCHEDULES[parameters.schedule],
            epsilon=parameters.epsilon,
            epsilon_end=parameters.epsilon_end,
            last=episodes - 1,
        )

    @staticmethod
    def lockstep(game: Game, parameters: QLearning) -> type[QLockstep] | None:
        few = not parameters.joint or game.A_max**2 <= MOST_OPTIONS
        return QLockstep if few and fits(game) else None

    def advance(self, until: int) -> None:
        self.kernel(self.tables, self.rules, self.memory, self.returns, self.rng, until)

    def result(self) -> dict[str, Any]:
        return {"policy": self.greedy()}

    def greedy(self) -> Floats:
        """Return the policy of highest Q, [T, S, N, A], as learnt so far; 0 in padded states.

        An agent alone mixes its actions of highest Q uniformly. All together take the joint action
        of highest Q, of several the one of lowest index: to mix them they would have to correlate.
        """
        game, q = self.game, self.memory.q
        real = np.arange(q.shape[3]) < self.rules.options[..., None]
        highest = real & (q == np.where(real, q, -np.inf).max(axis=3, keepdims=True))
        if not self.parameters.joint:
            return highest / np.maximum(highest.sum(axis=3, keepdims=True), 1)
        first = highest[:, :, 0].argmax(axis=2)
        policy = np.zeros(game.effort.shape)
        for t, s in np.argwhere(game.exists):
            actions = np.unravel_index(first[t, s], game.n_actions[t, s])
            policy[t, s, np.arange(game.N), actions] = 1.0
        return policy
