"""Q-learning as a learner: the kernel's arrays and the greedy policy that a run ends with."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from amg.game import Game
from amg.learning.learner import Learner
from amg.learning.parameters import QLearning
from amg.learning.q_learning import SCHEDULES, Rules, learn_alone, learn_joint, new_memory


class QLearner(Learner):
    """Q-learning on one run; subclasses say who learns what, and what is greedy."""

    parameters: QLearning
    kernel: ClassVar[Callable[..., None]]

    def __init__(
        self, game: Game, parameters: QLearning, episodes: int, seed: int, record: int
    ) -> None:
        super().__init__(game, parameters, episodes, seed, record)
        options = self._options()
        self.memory = new_memory(game, options, parameters.start == "optimistic")
        self.rules = Rules(
            options=options,
            decaying=parameters.rate_rule == "decaying",
            rate=parameters.rate,
            schedule=SCHEDULES[parameters.schedule],
            epsilon=parameters.epsilon,
            epsilon_end=parameters.epsilon_end,
            last=episodes - 1,
        )

    @abstractmethod
    def _options(self) -> NDArray[np.int64]:
        """[T, S, L] how many options each learner has; 0 in padded states."""

    @abstractmethod
    def greedy(self) -> NDArray[np.float64]:
        """[T, S, N, A] the policy that is greedy for the Q learnt so far."""

    @property
    def done(self) -> int:
        return int(self.memory.episode[0])

    @property
    def path(self) -> NDArray[np.int64]:
        return self.memory.path

    def advance(self, until: int) -> None:
        type(self).kernel(
            self.game.tables, self.rules, self.memory, self.returns, self.rng, until
        )

    def _memory(self) -> dict[str, Any]:
        return {"memory": self.memory}

    def _restore(self, memory: dict[str, Any]) -> None:
        self.memory = memory["memory"]

    def _result(self) -> dict[str, Any]:
        return {"policy": self.greedy()}

    def _highest(self) -> NDArray[np.bool_]:
        """[T, S, L, O] the options of highest Q."""
        q, options = self.memory.q, self.rules.options[..., None]
        q = np.where(np.arange(q.shape[3]) < options, q, -np.inf)
        return (q == q.max(axis=3, keepdims=True)) & (options > 0)


class IndependentQLearner(QLearner):
    """Each agent has a table of its own; greedy is uniform over its actions of highest Q."""

    kernel = learn_alone

    def _options(self) -> NDArray[np.int64]:
        return self.game.tables.n_actions

    def greedy(self) -> NDArray[np.float64]:
        highest = self._highest()
        return highest / np.maximum(highest.sum(axis=3, keepdims=True), 1)


class CentralizedQLearner(QLearner):
    """One table over joint actions; greedy is the joint action of highest Q, the first of equals.

    A mixture of several would correlate the agents, which a product policy cannot: it takes one.
    """

    kernel = learn_joint

    def _options(self) -> NDArray[np.int64]:
        return self.game.tables.n_actions.prod(axis=2, keepdims=True)

    def greedy(self) -> NDArray[np.float64]:
        game = self.game
        policy = np.zeros(game.effort.shape)
        first = self._highest()[:, :, 0].argmax(axis=2)
        for t, s in np.argwhere(game.exists):
            actions = np.unravel_index(first[t, s], game.n_actions[t, s])
            policy[t, s, np.arange(game.N), actions] = 1.0
        return policy
