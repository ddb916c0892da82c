"""Recording the full trace of a short V-learning run, one episode at a time.

The kernel knows nothing of it: before each episode the learner's arrays are copied, after it the
path is read. π_i^{t,k} at the visited state is the policy at the episode's beginning, since a
policy changes only at its own visit.
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
from amg.sources import digest
from amg.trace import new_trace

LONGEST = 1_000_000  # episodes


def train_traced(
    game: Game, parameters: VLearning, episodes: int, seed: int, *, record: int = RECORD
) -> Run:
    """The same run as `train` gives, to the bit, with its trace."""
    if episodes > LONGEST:
        raise ParameterError(f"episodes = {episodes}: a trace holds at most {LONGEST}")
    source = digest(__name__, VLearner.__module__)
    learner = new_learner(game, parameters, episodes, seed, record)
    assert isinstance(learner, VLearner)
    trace = new_trace(game, episodes)
    step, agent = np.arange(game.T), np.arange(game.N)
    for k in range(episodes):
        memory = learner.memory
        trace.stage[k] = memory.stage
        trace.stage_length[k] = memory.length * game.exists
        trace.vbar[k] = memory.v_bar[: game.T] * game.exists[..., None]
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
    return dataclasses.replace(learner.finish(), trace=trace, source=source)
