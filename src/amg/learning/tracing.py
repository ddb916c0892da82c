"""Record the full trace of a short V-learning run, one episode at a time.

The kernel does not know that it is recorded: before each episode the learner's arrays are copied,
after it the path is read. A policy changes only at a visit of its own step and state, so π_i^{t,k}
at the visited state is the policy at the beginning of the episode.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from amg.base.errors import ParameterError
from amg.base.sources import digest
from amg.evaluation.trace import new_trace
from amg.game.model import Game
from amg.learning.parameters import VLearning
from amg.learning.train import RECORD, new_learner
from amg.learning.v_learner import VLearner
from amg.results.run import Run

LONGEST = 1_000_000  # episodes


def train_traced(
    game: Game, parameters: VLearning, episodes: int, seed: int, record: int = RECORD
) -> Run:
    """Return the same run as `train_run`, to the bit, with its trace."""
    if episodes > LONGEST:
        raise ParameterError(f"episodes = {episodes}: a trace holds at most {LONGEST}")
    source = digest(__name__)
    learner = new_learner(game, parameters, episodes, seed, record)
    assert isinstance(learner, VLearner)
    trace = new_trace(game, episodes)
    step, agent = np.arange(game.T)[:, None], np.arange(game.N)
    for k in range(episodes):
        memory = learner.memory
        trace.stage[k] = memory.stage
        trace.stage_length[k] = memory.length * game.exists
        trace.vbar[k] = memory.v_bar[: game.T] * game.exists[..., None]
        policy = memory.policy.copy()
        learner.advance(k + 1)
        state, action = learner.path[:, :1], learner.path[:, 1:]
        effort = game.effort[step, state, agent, action]
        total = effort.sum(axis=1, keepdims=True)
        trace.state[k], trace.action[k] = state[:, 0], action
        trace.aggregate[k] = game.tables.aggregate[total[:, 0]]
        trace.reward[k] = game.reward[step, state, agent, action, total - effort]
        trace.policy[k] = policy[step[:, 0], state[:, 0]]
    return dataclasses.replace(learner.finish(), trace=trace, source=source)
