"""Realised regret: of the stages of recorded runs, and of Tsallis-INF alone on losses fixed ahead.

The proof's regret of a stage of (t, s) for agent i is

    R = Σ_j Σ_a π_j(a) ℓ_j(a) − min_a Σ_j ℓ_j(a),   ℓ_j(a) = (T − t + 1 − E[r_i + V̄_{t+1}(s′)]) / T,

with the mean over the others' policies at visit j and over the next state s′. It is a fact of one
run, not a mean over runs. Tsallis-INF's theorem bounds a mean over runs by 4√(A c̃) + 1.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amg.evaluation.sampler import Trace
from amg.game.model import Game
from amg.kernels.sums import Floats, times
from amg.results.run import Run


class StageRegrets(NamedTuple):
    """The realised regret of each agent in each completed stage."""

    regret: Floats  # [R]
    visits: NDArray[np.int64]  # [R] c̃
    actions: NDArray[np.int64]  # [R] A_i

    @property
    def units(self) -> Floats:
        """The regret in units of √(A_i c̃)."""
        return self.regret / np.sqrt(self.actions * self.visits)


def stage_regrets(runs: Sequence[Run]) -> StageRegrets:
    """Return the regrets of all completed stages of runs with a trace."""
    rows = [row for run in runs for row in _of_run(run)]
    regret, visits, actions = zip(*rows, strict=True)
    return StageRegrets(np.array(regret), np.array(visits), np.array(actions))


def _of_run(run: Run) -> Iterator[tuple[float, int, int]]:
    game, trace = run.game, run.trace
    assert trace is not None
    for t, s in np.argwhere(game.exists).tolist():
        visits = np.flatnonzero(trace.state[:, t] == s)
        stages = np.split(visits, np.flatnonzero(np.diff(trace.stage[visits, t, s])) + 1)
        for stage in stages:
            if len(stage) == 0 or len(stage) < trace.stage_length[stage[0], t, s]:
                continue  # never visited, or the run ended within the stage
            for i in range(game.N):
                n = int(game.n_actions[t, s, i])
                loss = losses(game, trace, t, s, i, stage)
                own = trace.policy[stage, t, i, :n]
                yield regret_of(own, loss), len(stage), int(game.A[i])


def regret_of(policy: Floats, loss: Floats) -> float:
    """Return Σ_j Σ_a π_j(a) ℓ_j(a) − min_a Σ_j ℓ_j(a) from [c̃, A] each."""
    return float((policy * loss).sum() - loss.sum(axis=0).min())


def losses(game: Game, trace: Trace, t: int, s: int, i: int, visits: NDArray[np.int64]) -> Floats:
    """Return ℓ_j(a) as [c̃, n]; `visits` are episodes that visit (t, s)."""
    T, D, n = game.T, game.D, int(game.n_actions[t, s, i])
    law = others_law(game, t, s, i, trace.policy[visits, t])
    loss = np.empty((len(visits), n))
    for a in range(n):
        paid = game.tables.reward[t, s, i, a]
        effort = int(game.effort[t, s, i, a])
        value = np.broadcast_to(paid, law.shape)
        if t + 1 < T:
            after = np.zeros((D, game.S))  # p(· | s, total) by the others' sum
            after[: D - effort] = game.transition[t, s, effort:]
            value = value + times(trace.vbar[visits, t + 1, :, i], after.T)
        loss[:, a] = (T - t - (law * value).sum(axis=1)) / T
    return loss


def others_law(game: Game, t: int, s: int, i: int, policy: Floats) -> Floats:
    """Return the law of the sum of the others' efforts as [c̃, D], from policies [c̃, N, A]."""
    law = np.zeros((len(policy), game.D))
    law[:, 0] = 1.0
    for j in range(game.N):
        if j == i:
            continue
        added = np.zeros_like(law)
        for a in range(int(game.n_actions[t, s, j])):
            e = int(game.effort[t, s, j, a])
            added[:, e:] += policy[:, j, a, None] * law[:, : game.D - e]
        law = added
    return law


def play_against(loss: Floats, learners: int, late: bool, rng: np.random.Generator) -> Floats:
    """Return the realised regret of Tsallis-INF learners [R] on losses [n, A] that are fixed ahead.

    Visit j has η = 2/√j as in the cited algorithm, or 2/√(j−1) as printed (`late`).
    """
    visits, A = loss.shape
    q_hat, suffered = np.zeros((learners, A)), np.zeros(learners)
    rows = np.arange(learners)
    for j in range(1, visits + 1):
        policy = tsallis_inf_of(q_hat, 2 / np.sqrt(max(j - late, 1)))
        suffered += (policy * loss[j - 1]).sum(axis=1)
        drawn = rng.random((learners, 1)) > policy.cumsum(axis=1)[:, :-1]
        action = drawn.sum(axis=1)
        q_hat[rows, action] += loss[j - 1, action] / policy[rows, action]
    return suffered - loss.sum(axis=0).min()


def tsallis_inf_of(q_hat: Floats, eta: float) -> Floats:
    """Return π(a) = 4(η(Q̂(a) − x))^-2 for many learners [R, A], by Newton's method from below."""
    gaps = 0.5 * eta * (q_hat - q_hat.min(axis=1, keepdims=True))
    y = np.ones((len(q_hat), 1))
    for _ in range(60):
        root = 1.0 / (y + gaps)
        step = 0.5 * ((root**2).sum(axis=1, keepdims=True) - 1.0)
        step /= (root**3).sum(axis=1, keepdims=True)
        y += step
        if step.max() <= 1e-14 * y.max():
            break
    policy = (y + gaps) ** -2
    return policy / policy.sum(axis=1, keepdims=True)


def coin_losses(visits: int, A: int, rng: np.random.Generator) -> Floats:
    """Return losses 0 or 1 with equal chance [n, A], drawn once before the learner begins."""
    return rng.integers(2, size=(visits, A)).astype(float)


def turning_losses(visits: int, A: int, turn: float = 1 / 3) -> Floats:
    """Return losses [n, A]: at first action 0 alone is good, later it alone is bad."""
    early = (np.arange(visits) < turn * visits)[:, None]
    first = (np.arange(A) == 0)[None, :]
    return np.where(early, ~first, first).astype(float)
