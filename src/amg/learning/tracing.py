"""Recording the full trace of a short V-learning run, one episode at a time.

The kernel knows nothing of it: before each episode the learner's arrays are copied, after it the
path is read. π_i^{t,k} at the visited state is the policy at the episode's beginning, since a policy
changes only at its own visit.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from amg.errors import ParameterError
from amg.game import Game
from amg.learning.parameters import VLearning
from amg.learning.training import RECORD, new_learner
from amg.learning.v_learner import VLearner
from amg.run import Run
from amg.trace import Trace

LONGEST = 1_000_000  # episodes


def train_traced(
    game: Game, parameters: VLearning, episodes: int, seed: int, *, record: int = RECORD
) -> Run:
    """The same run as `train` gives, to the bit, with its trace."""
    if not isinstance(parameters, VLearning):
        raise ParameterError(f"{parameters.algorithm}: only v_learning records a trace")
    if episodes > LONGEST:
        raise ParameterError(f"episodes = {episodes}: a trace holds at most {LONGEST}")
    learner = new_learner(game, parameters, episodes, seed, record)
    assert isinstance(learner, VLearner)
    trace = _blank(game, episodes)
    step, agent = np.arange(game.T), np.arange(game.N)
    for k in range(episodes):
        memory = learner.memory
        trace.stage[k], trace.stage_length[k] = memory.stage, memory.length
        trace.vbar[k] = memory.v_bar[: game.T]
        policy = memory.policy.copy()
        learner.advance(k + 1)
        state, action = learner.path[:, 0], learner.path[:, 1:]
        effort = game.effort[step[:, None], state[:, None], agent, action]
        total = effort.sum(axis=1)
        trace.state[k], trace.action[k] = state, action
        trace.aggregate[k] = game.tables.aggregate[total]
        trace.reward[k] = game.reward[
            step[:, None], state[:, None], agent, action, total[:, None] - effort
        ]
        trace.policy[k] = policy[step, state]
    return dataclasses.replace(learner.finish(), trace=trace)


def _blank(game: Game, K: int) -> Trace:
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
