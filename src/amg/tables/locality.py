"""What agent i's update reads: its own action, reward and state, and the public aggregate.

Shown twice. *Replay*: the recorded policies and V̄ of a run follow from these alone, given to a
literal agent of Algorithm 1 visit by visit. *Perturbation*: before each episode of the fast kernel
everything else is changed, and agent i must learn the same to the last bit.
"""

import dataclasses
from itertools import product

import numpy as np
import pandas as pd
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from amg.game.library import build
from amg.game.model import Game
from amg.learning.algorithm1 import Memory
from amg.learning.literal import new_agents
from amg.learning.parameters import VLearning, make_parameters
from amg.learning.train import train_traced
from amg.learning.v_learner import VLearner
from amg.results.run import Run

ESTIMATES = ("sums", "totals", "v_bar", "v_low", "q_hat")  # arrays [t, s, i, …] of each agent
PUBLIC = ("stage", "visits", "length", "real_length", "histogram")


def locality_table(traced: Run, traced_game: str) -> pd.DataFrame:
    """Return one row for each agent of the traced run, and of a short run of four fishermen.

    With two agents the other's action follows from the sum. The bonus is small so that V̄ moves.
    """
    small_bonus = VLearning(stage_rule="real", bonus=0.1)
    four = train_traced(build("fishermen", {"agents": 4}), small_bonus, episodes=500, seed=1)
    rows = []
    for label, run in {traced_game: traced, "of four": four}.items():
        deaf = replay(run, 0, deaf=True)["length_errors"]  # the same for every agent
        for i, name in enumerate(run.game.agents):
            rows.append({
                "game": label, "agents": run.game.N, "agent": name, "episodes": run.episodes,
                **replay(run, i), "length_errors_without_aggregate": deaf, **perturb(run, i),
            })  # fmt: skip
    return pd.DataFrame(rows)


def _parameters(run: Run) -> VLearning:
    parameters = make_parameters(run.algorithm, run.parameters)
    assert isinstance(parameters, VLearning)
    return parameters


def replay(run: Run, i: int, deaf: bool = False) -> dict[str, float]:
    """Return how far policies, V̄ and stage lengths of agent i by itself are from the recorded ones.

    Each visit starts from the recorded policy, because line 10 multiplies rounding errors
    (amg.learning.literal). A deaf agent, without the aggregate, shows what d is needed for.
    """
    trace, game, K = run.trace, run.game, run.episodes
    assert trace is not None
    low, unit = game.units(_parameters(run).rewards)
    reward = (trace.reward[:, :, i] - low) / unit
    agent = new_agents(game, _parameters(run), K)[i]
    policy_error = v_bar_error = 0.0
    length_errors = 0
    for k, t in product(range(K), range(game.T)):
        s, a = int(trace.state[k, t]), int(trace.action[k, t, i])
        after = int(trace.state[k, t + 1]) if t + 1 < game.T else 0
        recorded = trace.policy[k, t, i, : game.n_actions[t, s, i]].tolist()
        errors = (abs(p - q) for p, q in zip(agent.policy[t][s], recorded, strict=True))
        policy_error = max(policy_error, *errors)
        v_bar_error = max(v_bar_error, abs(agent.V_bar[t][s] - float(trace.vbar[k, t, s, i])))
        length_errors += agent.length(t, s) != int(trace.stage_length[k, t, s])
        agent.act(t, s, u=0.0)  # counts the visit; the action is the recorded one
        agent.policy[t][s] = recorded
        d = 1.0 if deaf else float(trace.aggregate[k, t])
        agent.observe(t, s, a, float(reward[k, t]), after, d)
    return {
        "visits": K * game.T, "policy_error": policy_error, "v_bar_error": v_bar_error,
        "length_errors": length_errors,
    }  # fmt: skip


def perturb(run: Run, i: int) -> dict[str, int]:
    """Count the episodes after which agent i has learned anything else when all else is changed.

    Changed are how the others are paid (a mirrored reward table), what they estimate, and who of
    them does what, as far as the sum of their efforts stays the same.
    """
    game, K = run.game, run.episodes
    learner, twin = (
        VLearner(g, _parameters(run), K, run.seed, record=0, certify=False)
        for g in (game, others_paid_otherwise(game, i))
    )
    rng = default_rng([run.seed, i])
    regrouped = changed = 0
    for k in range(K):
        before = Memory(*(array.copy() for array in learner.memory))
        state = learner.rng.bit_generator.state
        learner.advance(k + 1)
        actions = np.stack([_regroup(game, t, row, i, rng) for t, row in enumerate(learner.path)])
        _change_others(before, learner.path[:, 0], actions, i, rng)
        twin.memory = before
        twin.rng.bit_generator.state = state
        twin.stages.used[0] = 0
        twin.advance(k + 1)
        regrouped += bool((actions != learner.path[:, 1:]).any())
        changed += not _same(learner.memory, twin.memory, i)
    return {"perturbed": K, "regrouped": regrouped, "changed": changed}


def others_paid_otherwise(game: Game, i: int) -> Game:
    """Return the game with every reward r of the others turned into low + high − r."""
    reward = game.reward.copy()
    possible = game.reachable[0][:, :, :, None, :] & (game.effort >= 0)[..., None]
    mirrored = np.where(possible, sum(game.reward_range) - reward, 0.0)
    others = np.arange(game.N) != i
    reward[:, :, others] = mirrored[:, :, others]
    return dataclasses.replace(game, reward=reward)


def _regroup(
    game: Game, t: int, row: NDArray[np.int64], i: int, rng: Generator
) -> NDArray[np.int64]:
    """Return actions at step t with the others' efforts shuffled among them, if possible."""
    s, actions = int(row[0]), row[1:].copy()
    others = [j for j in range(game.N) if j != i]
    efforts = [int(game.effort[t, s, j, actions[j]]) for j in others]
    for j, e in zip(others, rng.permutation(efforts).tolist(), strict=True):
        fitting = np.flatnonzero(game.effort[t, s, j] == e)
        if not len(fitting):
            return row[1:].copy()
        actions[j] = fitting[0]
    return actions


def _change_others(
    memory: Memory, states: NDArray[np.int64], actions: NDArray[np.int64], i: int, rng: Generator
) -> None:
    """Change all that the others remember, so that they will play `actions`."""
    others = np.flatnonzero(np.arange(actions.shape[1]) != i)
    for name in ESTIMATES:
        array = getattr(memory, name)
        array[:, :, others] += rng.random(array[:, :, others].shape)
    for t, s in enumerate(states.tolist()):
        memory.policy[t, s, others] = 0.0
        memory.policy[t, s, others, actions[t, others]] = 1.0


def _same(one: Memory, other: Memory, i: int) -> bool:
    """Return whether agent i's own memory and what is public agree to the last bit."""

    def visible(memory: Memory) -> list[bytes]:
        own = [getattr(memory, name)[:, :, i] for name in (*ESTIMATES, "policy")]
        public = [getattr(memory, name) for name in PUBLIC]
        return [array.tobytes() for array in (*own, *public, memory.path[:, [0, 1 + i]])]

    return visible(one) == visible(other)
