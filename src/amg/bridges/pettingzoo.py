"""A game as a `ParallelEnv` of PettingZoo.

An observation is {"observation": [t, s], "action_mask": …}; steps and states count from 0. After
the last step t is T, and no action is left. Rewards are the game's own, not normalised. The info of
an agent holds the public aggregate of the step just played.
"""

import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amg.base.errors import ParameterError
from amg.bridges import missing
from amg.bridges.play import step
from amg.game.model import Game

try:
    from gymnasium import spaces
    from pettingzoo import ParallelEnv
except ImportError:
    raise missing("amg.bridges.pettingzoo", "pettingzoo") from None

Observation = dict[str, NDArray[Any]]


class Env(ParallelEnv[str, Observation, int]):
    """One game, played over and over; `reset(seed=…)` fixes all that follows."""

    render_mode = None

    def __init__(self, game: Game) -> None:
        self.game = game
        self.metadata = {"name": f"amg_{game.name}", "render_modes": [], "is_parallelizable": True}
        self.possible_agents = list(game.agents)
        self.agents: list[str] = []
        self.rng = np.random.default_rng()
        self.t, self.s = game.T, 0
        sizes = dict(zip(game.agents, game.A.tolist(), strict=True))
        self.action_spaces = {agent: spaces.Discrete(n) for agent, n in sizes.items()}
        self.observation_spaces = {
            agent: spaces.Dict(
                observation=spaces.MultiDiscrete([game.T + 1, game.S]),
                action_mask=spaces.MultiBinary(n),
            )
            for agent, n in sizes.items()
        }

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the actions 0, …, A_i − 1; the mask says which of them exist here."""
        return self.action_spaces[agent]

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Begin an episode; without a seed the random numbers go on. There are no options."""
        if seed is not None:
            self.rng = np.random.default_rng(seed)
        self.agents = list(self.game.agents)
        self.t, self.s = 0, self._draw(self.game.tables.initial_cdf)
        return self._observations(), {agent: {} for agent in self.agents}

    def step(
        self, actions: Mapping[str, int]
    ) -> tuple[
        dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool],
        dict[str, dict[str, Any]],
    ]:  # fmt: skip
        """Play one step; every agent acts."""
        game, t, s = self.game, self.t, self.s
        pay, _, total = step(game, t, s, self._checked(actions))
        self.t, ends = t + 1, t + 1 == game.T
        self.s = 0 if ends else self._draw(game.tables.transition_cdf[t, s, total])
        self.agents = [] if ends else list(game.agents)
        aggregate = float(game.aggregate_value(total))
        return (
            self._observations(),
            dict(zip(game.agents, pay, strict=True)),
            dict.fromkeys(game.agents, ends),
            dict.fromkeys(game.agents, False),
            {agent: {"aggregate": aggregate} for agent in game.agents},
        )

    def state(self) -> NDArray[np.int64]:
        """Return [t, s]."""
        return np.array([self.t, self.s])

    def observe(self, agent: str, t: int, s: int) -> Observation:
        """Return what an agent observes at step t in state s."""
        i, mask = self.game.agents.index(agent), np.zeros(self.action_space(agent).n, dtype=np.int8)
        mask[: self.game.n_actions[t, s, i] if t < self.game.T else 0] = 1
        return {"observation": np.array([t, s]), "action_mask": mask}

    def _observations(self) -> dict[str, Observation]:
        return {agent: self.observe(agent, self.t, self.s) for agent in self.game.agents}

    def _draw(self, cdf: NDArray[np.float64]) -> int:
        return int(np.searchsorted(cdf, self.rng.random(), side="right"))

    def _checked(self, actions: Mapping[str, int]) -> list[int]:
        """Return the action of every agent; refuse what this state does not have."""
        if not self.agents:
            raise ParameterError(f"{self.game.name}: no episode is running; call reset() first")
        if set(actions) != set(self.agents):
            raise ParameterError(
                f"{self.game.name}: actions are of {sorted(map(str, actions))}; give one for each "
                f"of {self.agents}"
            )
        return [self._action(i, actions[agent]) for i, agent in enumerate(self.agents)]

    def _action(self, i: int, action: Any) -> int:
        menu = self.game.actions[self.t][self.s][i]
        try:
            chosen = operator.index(action)
        except TypeError:
            chosen = -1
        if not 0 <= chosen < len(menu):
            raise ParameterError(
                f"{self.game.where(self.t, self.s, i)}: there is no action {action!r}; choose from "
                f"0 to {len(menu) - 1} ({', '.join(menu)}), as the action mask says"
            )
        return chosen


def policy_array(game: Game, rule: Callable[[str, Observation], ArrayLike]) -> NDArray[np.float64]:
    """Return a rule of play as [T, S, N, A], for `amg.evaluate`.

    ``rule(agent, observation)`` returns the probabilities of the agent's actions. It is asked once
    at every step and state, so it must depend on nothing else.
    """
    env, policy = Env(game), np.zeros(game.effort.shape)
    for t, s in np.argwhere(game.exists).tolist():
        for i, agent in enumerate(game.agents):
            policy[t, s, i, : game.A[i]] = rule(agent, env.observe(agent, t, s))
    return policy
