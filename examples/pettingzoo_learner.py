"""Somebody else's learner, written against PettingZoo alone, judged by the exact gap.

Each agent is an actor with softmax probabilities and learns from its own pay (REINFORCE with a
running mean as the baseline). It knows nothing of the game but what PettingZoo tells it.

    python examples/pettingzoo_learner.py fishermen 20000
"""

import sys

import numpy as np
from pettingzoo import ParallelEnv

import amg
from amg.bridges.pettingzoo import Env, policy_array


class Actor:
    """One agent: a preference for each action and a mean return, by observation."""

    def __init__(self, actions: int, rate: float) -> None:
        self.actions, self.rate = actions, rate
        self.preferences: dict[tuple[int, ...], np.ndarray] = {}
        self.mean: dict[tuple[int, ...], float] = {}

    def probabilities(self, observation: dict[str, np.ndarray]) -> np.ndarray:
        """Return the softmax over the actions that the mask allows."""
        place = tuple(observation["observation"].tolist())
        weights = np.exp(self.preferences.get(place, np.zeros(self.actions)))
        weights = weights * observation["action_mask"]
        return weights / weights.sum()

    def learn(self, observation: dict[str, np.ndarray], action: int, pay: float) -> None:
        """Make the action likelier if the pay from here on was above the mean."""
        place = tuple(observation["observation"].tolist())
        gain = pay - self.mean.get(place, pay)
        gradient = (np.arange(self.actions) == action) - self.probabilities(observation)
        old = self.preferences.get(place, np.zeros(self.actions))
        self.preferences[place] = np.clip(old + self.rate * gain * gradient, -20, 20)
        self.mean[place] = self.mean.get(place, pay) + 0.05 * gain


def learn(env: ParallelEnv, episodes: int, seed: int, rate: float = 0.05) -> dict[str, Actor]:
    """Return the actors after so many episodes."""
    rng = np.random.default_rng(seed)
    actors = {agent: Actor(env.action_space(agent).n, rate) for agent in env.possible_agents}
    observations, _ = env.reset(seed=seed)
    for _ in range(episodes):
        steps = []
        while env.agents:
            actions = {
                agent: int(rng.choice(actors[agent].actions, p=actors[agent].probabilities(seen)))
                for agent, seen in observations.items()
            }
            following, pays, *_ = env.step(actions)
            steps.append((observations, actions, pays))
            observations = following
        ahead = dict.fromkeys(actors, 0.0)
        for seen, actions, pays in reversed(steps):
            for agent, actor in actors.items():
                ahead[agent] += pays[agent]
                actor.learn(seen[agent], actions[agent], ahead[agent])
        observations, _ = env.reset()
    return actors


def main(name: str = "fishermen", episodes: str = "20000", seed: str = "1") -> float:
    """Learn a game, print the exact gap of what was learned, and return the largest."""
    game = amg.build_game(name)
    actors = learn(Env(game), int(episodes), int(seed))
    policy = policy_array(game, lambda agent, seen: actors[agent].probabilities(seen))
    evaluation = amg.evaluate(game, policy)
    for agent, value, gap in zip(game.agents, evaluation.value, evaluation.gap, strict=True):
        print(f"{agent}: value {value:.4f}, gap {gap:.4f}")
    return float(evaluation.gap.max())


if __name__ == "__main__":
    main(*sys.argv[1:])
