"""The full trace of a short run, and Algorithms 5 and 6 as printed, which play from it.

`evaluation.py` computes the mean return exactly; playing is a way to check it. Steps, episodes and
stages count from 0. A visit in episode l belongs to the stage of that time, stage[l, t, s].
"""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from amg.game.model import Game


@dataclass(frozen=True, eq=False)
class Trace:
    """Everything that happened, episode by episode, padded with 0."""

    state: NDArray[np.int64]  # [K, T]
    action: NDArray[np.int64]  # [K, T, N]
    aggregate: NDArray[np.float64]  # [K, T] total effort, as the game's aggregator reports it
    reward: NDArray[np.float64]  # [K, T, N] raw units
    policy: NDArray[np.float64]  # [K, T, N, A] of the visited state, before the update
    stage: NDArray[np.int64]  # [K, T, S] m when the episode begins
    stage_length: NDArray[np.int64]  # [K, T, S] length of that stage
    vbar: NDArray[np.float64]  # [K, T, S, N] normalised, when the episode begins


def new_trace(game: Game, K: int) -> Trace:
    """Return an empty trace of K episodes."""
    T, S, N, A = game.effort.shape
    return Trace(
        state=np.zeros((K, T), dtype=np.int64),
        action=np.zeros((K, T, N), dtype=np.int64),
        aggregate=np.zeros((K, T)),
        reward=np.zeros((K, T, N)),
        policy=np.zeros((K, T, N, A)),
        stage=np.zeros((K, T, S), dtype=np.int64),
        stage_length=np.zeros((K, T, S), dtype=np.int64),
        vbar=np.zeros((K, T, S, N)),
    )


class Sampler:
    """Plays the certified policy; the draws of visits are common to all agents."""

    def __init__(self, game: Game, trace: Trace, rng: Generator) -> None:
        self.game, self.trace, self.rng = game, trace, rng
        self.uniform = game.uniform_policy()
        # l̃_1, l̃_2, …: the episodes that visited (t, s) in its stage m
        self.visits: dict[tuple[int, int, int], list[int]] = defaultdict(list)
        for k, path in enumerate(trace.state.tolist()):
            for t, s in enumerate(path):
                self.visits[t, s, int(trace.stage[k, t, s])].append(k)

    def play_output_policy(self) -> NDArray[np.float64]:
        """Play π̄ once (Algorithm 5); return each agent's return [N] in raw units."""
        k = int(self.rng.integers(len(self.trace.state)))  # line 2
        s = self.draw(self.game.initial)  # line 4, of the first step
        return self.play_correlated_policy(0, k, s)  # lines 3–8: π̄ is π̄^{1,k} for a random k

    def play_correlated_policy(self, t: int, k: int, s: int) -> NDArray[np.float64]:
        """Play π̄^{t,k} once (Algorithm 6); return each agent's return from state s of step t on."""
        game, rng = self.game, self.rng
        returns = np.zeros(game.N)
        lost = False  # after a first stage all play is uniform, to the end of the episode
        for step in range(t, game.T):  # line 3; line 4, the next state, is below
            m = 0 if lost else int(self.trace.stage[k, step, s])
            if m == 0:
                lost = True
                policy = self.uniform[step, s]
            else:
                last_stage = self.visits[step, s, m - 1]
                k = last_stage[rng.integers(len(last_stage))]  # lines 5, 6
                policy = self.trace.policy[k, step]
            actions = [self.draw(policy[i]) for i in range(game.N)]  # line 7
            effort = game.effort[step, s, range(game.N), actions]
            total = int(effort.sum())
            returns += game.reward[step, s, range(game.N), actions, total - effort]
            if step + 1 < game.T:
                s = self.draw(game.transition[step, s, total])
        return returns

    def draw(self, law: NDArray[np.float64]) -> int:
        """Draw an index; rounding error goes to the last one with positive probability."""
        u = self.rng.random()
        for j, p in enumerate(law.tolist()):
            u -= p
            if u < 0.0:
                return j
        return int(np.flatnonzero(law)[-1])
