"""Q-learning as a learner: the kernel's arrays, and the greedy policy that a run ends with."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from amg.game import Game
from amg.learning.learner import Learner, insist
from amg.learning.parameters import QLearning
from amg.learning.q_learning import SCHEDULES, Rules, learn_alone, learn_joint, new_memory


class QLearner(Learner):
    """Q-learning on one run, by all agents together or by each alone."""

    parameters: QLearning
    joint: ClassVar[bool]

    def __init__(
        self, game: Game, parameters: QLearning, episodes: int, seed: int, record: int
    ) -> None:
        super().__init__(game, parameters, episodes, seed, record)
        own = game.tables.n_actions
        options = own.prod(axis=2, keepdims=True) if self.joint else own
        self.memory = new_memory(game, options, parameters.start == "optimistic")
        self.rules = kernel_rules(options, parameters, episodes)
        self.kernel = learn_joint if self.joint else learn_alone

    def advance(self, until: int) -> None:
        self.kernel(self.game.tables, self.rules, self.memory, self.returns, self.rng, until)

    @abstractmethod
    def greedy(self) -> NDArray[np.float64]:
        """[T, S, N, A] the policy of highest Q, as learnt so far; 0 in padded states."""

    def _highest(self) -> NDArray[np.bool_]:
        """[T, S, L, O] which options have the highest Q."""
        q, options = self.memory.q, self.rules.options[..., None]
        real = np.arange(q.shape[3]) < options
        return real & (q == np.where(real, q, -np.inf).max(axis=3, keepdims=True))

    def _memory(self) -> dict[str, Any]:
        return {"memory": self.memory}

    def _restore(self, memory: dict[str, Any]) -> None:
        self.memory = memory["memory"]

    def _check(self) -> None:
        most = self.game.T * self.game.N  # normalised, of a sum over all agents
        insist((abs(self.memory.q) <= 2 * most).all(), "a Q beyond what can be earned")

    def _result(self) -> dict[str, Any]:
        return {"policy": self.greedy()}


class CentralizedQLearner(QLearner):
    """One learner of the joint action, for the sum of rewards."""

    joint = True

    def greedy(self) -> NDArray[np.float64]:
        """The joint action of highest Q; of several the one of lowest index, agent 1's least first.

        One, not a mixture: agents who mixed joint actions would have to be correlated.
        """
        game = self.game
        first = self._highest()[:, :, 0].argmax(axis=2)
        policy = np.zeros(game.effort.shape)
        for t, s in np.argwhere(game.exists):
            actions = np.unravel_index(first[t, s], game.n_actions[t, s])
            policy[t, s, np.arange(game.N), actions] = 1.0
        return policy


class IndependentQLearner(QLearner):
    """N learners, each of its own action for its own reward."""

    joint = False

    def greedy(self) -> NDArray[np.float64]:
        """For each agent, uniform over its actions of highest Q."""
        highest = self._highest()
        return highest / np.maximum(highest.sum(axis=3, keepdims=True), 1)


def kernel_rules(options: NDArray[np.int64], parameters: QLearning, episodes: int) -> Rules:
    """The parameters as the kernel wants them."""
    return Rules(
        options=options,
        decaying=parameters.rate_rule == "decaying",
        rate=parameters.rate,
        schedule=SCHEDULES[parameters.schedule],
        epsilon=parameters.epsilon,
        epsilon_end=parameters.epsilon_end,
        last=episodes - 1,
    )
