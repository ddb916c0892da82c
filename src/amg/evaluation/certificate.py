"""The certificate: the part of a run from which the certified policy is known exactly.

The visits to (t, s) in which m_{t,s} and all m_{t+1,s'} are constant form one contiguous run, a
*cell*. For each cell of a completed stage the certificate holds the number of visits and the sums
of π_i(a_i) · P_-i(σ). For each stage it holds its boundary, length, λ, V̄ and V̲. The number of rows
grows like log K while stages grow. Nothing else of the run is needed.

---
The full trace of a short run, for replaying Algorithm 1 with other code.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from amg.base.errors import FileError
from amg.game.model import Game

SUM_TOLERANCE = 1e-9  # relative, of sums of laws


@dataclass(frozen=True, eq=False)
class Certificate:
    """Tables of cells and stages, sorted by step, state and time; the constructor checks them."""

    game: Game
    episodes: int  # K
    cell_key: NDArray[np.int64]  # [cells, 3 + S] t, s, m, and m' of each next state
    cell_visits: NDArray[np.int64]  # [cells]
    cell_law: NDArray[np.float64]  # [cells, N, A, D]
    stage_key: NDArray[np.int64]  # [stages, 4] t, s, episode of the boundary (from 1), length
    stage_coefficient: NDArray[np.float64]  # [stages] λ
    stage_v_bar: NDArray[np.float64]  # [stages, N] V̄ as set by this stage, normalised
    stage_v_low: NDArray[np.float64]  # [stages, N] V̲

    def __post_init__(self) -> None:
        problem = _problem(self)
        if problem:
            raise FileError(f"certificate of game {self.game.name!r}: {problem}")

    @cached_property
    def completed(self) -> NDArray[np.int64]:
        """The number of stages completed at each (t, s), as [T, S]."""
        completed = np.zeros((self.game.T, self.game.S), dtype=np.int64)
        np.add.at(completed, (self.stage_key[:, 0], self.stage_key[:, 1]), 1)
        return completed

    def stage_row(
        self, t: NDArray[np.int64], s: NDArray[np.int64], m: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the row of stage m (from 0) of (t, s)."""
        return (np.cumsum(self.completed) - self.completed.ravel()).reshape(self.completed.shape)[
            t, s
        ] + m

    def history(self, t: int, s: int) -> slice:
        """Return the rows of the stages of (t, s)."""
        first = int(self.stage_row(np.array(t), np.array(s), np.array(0)))
        return slice(first, first + int(self.completed[t, s]))

    def episodes_in_stage(self, s: int) -> NDArray[np.int64]:
        """Return, for each m, how many episodes k begin with m_{1,s}(k) = m."""
        boundary = self.stage_key[self.history(0, s), 2]
        return np.diff(np.concatenate([[0], boundary, [self.episodes]]))

    def own_bound(self) -> NDArray[np.float64]:
        """Return the gap that the agents can certify by themselves, per agent, in raw units.

        (1/K) Σ_k Σ_s ρ(s) (V̄_1^k(s) − V̲_1^k(s)), which the proof of the theorem bounds.
        """
        game = self.game
        bound = np.zeros(game.N)
        for s in np.flatnonzero(game.initial):
            rows = self.history(0, int(s))
            width = np.vstack(
                [np.full((1, game.N), float(game.T)), (self.stage_v_bar - self.stage_v_low)[rows]]
            )
            bound += game.initial[s] * self.episodes_in_stage(int(s)) @ width / self.episodes
        return bound * game.scale


def _problem(c: Certificate) -> str | None:
    """Return why the tables are not a certificate of this game, or None."""
    game = c.game
    t, s, m = c.cell_key[:, 0], c.cell_key[:, 1], c.cell_key[:, 2]
    T, S, N, A, D = game.reward.shape
    for name, step, state in (("cell", t, s), ("stage", c.stage_key[:, 0], c.stage_key[:, 1])):
        inside = (step >= 0) & (step < T) & (state >= 0) & (state < S)
        if not inside.all() or not game.exists[step, state].all():
            return f"a {name} belongs to no step and state of the game"
        if (np.diff(step * S + state) < 0).any():
            return f"{name} rows are not sorted by step and state"
    boundary, length = c.stage_key[:, 2], c.stage_key[:, 3]
    same = np.diff(c.stage_key[:, 0] * S + c.stage_key[:, 1]) == 0
    if (boundary < 1).any() or (boundary > c.episodes).any() or (length < 1).any():
        return "a stage ends outside the run or has no visits"
    if (np.diff(boundary)[same] <= 0).any():
        return "stage boundaries do not ascend"
    if (np.diff(boundary)[same] < length[1:][same]).any() or (boundary < length).any():
        return "a stage has more visits than episodes"
    most = (T - c.stage_key[:, 0])[:, None]
    inside = (c.stage_v_low >= 0) & (c.stage_v_bar <= most) & (c.stage_v_low <= most)
    if not inside.all() or (c.stage_v_bar < 0).any():
        return "V̄ or V̲ of a stage leaves [0, T − t + 1]"
    if (c.stage_coefficient <= 0).any() or (c.stage_coefficient > 1).any():
        return "the fluctuation coefficient of a stage leaves (0, 1]"
    if (m < 0).any() or (m >= c.completed[t, s]).any() or (c.cell_visits < 1).any():
        return "a cell belongs to no completed stage or has no visits"
    visits = np.zeros(len(length), dtype=np.int64)
    np.add.at(visits, c.stage_row(t, s, m), c.cell_visits)
    if (visits != length).any():
        return "the visits of a stage's cells do not add up to its length"
    after = c.cell_key[:, 3:]
    limit = np.vstack([c.completed, np.zeros((1, S), dtype=np.int64)])[t + 1]
    if (after < 0).any() or (after > limit).any():
        return "a cell leads to a stage that does not exist"
    possible = game.reachable[0][t, s][:, :, None, :] & (game.effort[t, s] >= 0)[..., None]
    if (c.cell_law < 0).any() or c.cell_law[~possible].any():
        return "a law has mass on actions or sums that are impossible"
    sums = c.cell_law.sum(axis=(2, 3))
    if not np.allclose(sums, c.cell_visits[:, None], rtol=SUM_TOLERANCE, atol=0):
        return "a law does not add up to the visits of its cell"
    total = _laws_of_total(game, t, s, c.cell_law)
    if not (abs(total - total[:, :1]) <= SUM_TOLERANCE * c.cell_visits[:, None, None]).all():
        return "the agents' laws disagree on the total effort"
    return None


def _laws_of_total(
    game: Game, t: NDArray[np.int64], s: NDArray[np.int64], law: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the law of the total effort, [cells, N, D], once from each agent's own law."""
    cells, N, A, D = law.shape
    total = np.zeros((cells, N, D))
    row, agent = np.arange(cells)[:, None, None], np.arange(N)[None, :, None]
    for a in range(A):
        index = np.maximum(game.effort[t, s, :, a], 0)[..., None] + np.arange(D)
        np.add.at(total, (row, agent, np.minimum(index, D - 1)), law[:, :, a])
    return total


# ===== evaluation/trace


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
