"""The certificate: the part of a run from which the certified policy is known exactly.

The visits to (t, s) in which m_{t,s} and all m_{t+1,s'} are constant form one contiguous run, a
*cell*. For each cell of a completed stage the certificate holds the number of visits and the sum
of π_i(a_i) · P_-i(σ) over them. For each stage it holds its boundary, length, λ, V̄ and V̲. The
number of rows grows like log K while stages grow. Evaluation needs nothing else of the run.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from amg.base.errors import FileError
from amg.game.model import Game
from amg.kernels.sums import times

TOLERANCE = 1e-9  # relative, of the sum of a law


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
        _check_stages(self)
        _check_cells(self)

    @cached_property
    def completed(self) -> NDArray[np.int64]:
        """The number of stages completed at each (t, s), as [T, S]."""
        completed = np.zeros((self.game.T, self.game.S), dtype=np.int64)
        np.add.at(completed, (self.stage_key[:, 0], self.stage_key[:, 1]), 1)
        return completed

    @cached_property
    def first_stage(self) -> NDArray[np.int64]:
        """The row of the first stage of each (t, s), as [T, S]."""
        return offsets(self.completed)

    def history(self, t: int, s: int) -> slice:
        """Return the rows of the stages of (t, s)."""
        first = int(self.first_stage[t, s])
        return slice(first, first + int(self.completed[t, s]))

    def episodes_in_stage(self, s: int) -> NDArray[np.int64]:
        """Return, for each m, how many episodes k begin with m_{1,s}(k) = m."""
        boundary = self.stage_key[self.history(0, s), 2]
        return np.diff(np.concatenate([[0], boundary, [self.episodes]]))

    def own_bound(self) -> NDArray[np.float64]:
        """Return the gap that the agents can certify by themselves, per agent, in raw units.

        The largest (1/K) Σ_k (V̄_1^k(s) − V̲_1^k(s)) over initial states s, which the proof bounds.
        """
        game, bound = self.game, np.zeros(self.game.N)
        width = self.stage_v_bar - self.stage_v_low
        for s in np.flatnonzero(game.initial).tolist():
            widths = np.vstack([np.full((1, game.N), float(game.T)), width[self.history(0, s)]])
            own = times(self.episodes_in_stage(s).astype(float), widths) / self.episodes
            bound = np.maximum(bound, own)
        return bound * game.scale


def offsets(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many entries come before those of each (t, s), given their counts [T, S]."""
    return (np.cumsum(counts) - counts.ravel()).reshape(counts.shape)


def _check_stages(c: Certificate) -> None:
    """Refuse stages that are not those of a run of this game."""
    _check_places(c, "stage", c.stage_key)
    t, s, boundary, length = c.stage_key.T
    inside = (boundary >= 1) & (boundary <= c.episodes) & (length >= 1)
    _require(c, inside, "a stage ends outside the run or has no visits")
    same = np.diff(t * c.game.S + s) == 0
    _require(c, np.diff(boundary)[same] > 0, "stage boundaries do not ascend")


def _check_cells(c: Certificate) -> None:
    """Refuse cells that do not fit the stages, or laws that are not laws of this game."""
    game = c.game
    _check_places(c, "cell", c.cell_key)
    t, s, m = c.cell_key[:, :3].T
    inside = (m >= 0) & (m < c.completed[t, s]) & (c.cell_visits >= 1)
    _require(c, inside, "a cell belongs to no completed stage or has no visits")
    visits = np.zeros(len(c.stage_key), dtype=np.int64)
    np.add.at(visits, c.first_stage[t, s] + m, c.cell_visits)
    same = visits == c.stage_key[:, 3]
    _require(c, same, "the visits of a stage's cells do not add up to its length")
    after, last = c.cell_key[:, 3:], np.pad(c.completed, ((0, 1), (0, 0)))[t + 1]
    inside = (after >= 0) & (after <= last)
    _require(c, inside, "a cell leads to a stage that does not exist")
    possible = game.reachable[0][t, s][:, :, None, :] & (game.effort[t, s] >= 0)[..., None]
    allowed = np.where(possible, c.cell_law >= 0, c.cell_law == 0)
    _require(c, allowed, "a law has mass on actions or sums that are impossible")
    sums = c.cell_law.sum(axis=(2, 3)) / c.cell_visits[:, None]
    _require(c, abs(sums - 1) <= TOLERANCE, "a law does not add up to the visits of its cell")


def _check_places(c: Certificate, name: str, key: NDArray[np.int64]) -> None:
    """Refuse rows of no step and state, or in another order."""
    t, s = key[:, :2].T
    T, S = c.game.exists.shape
    problem = f"a {name} belongs to no step and state of the game"
    _require(c, (t >= 0) & (t < T) & (s >= 0) & (s < S), problem)
    _require(c, c.game.exists[t, s], problem)
    _require(c, np.diff(t * S + s) >= 0, f"{name} rows are not sorted by step and state")


def _require(c: Certificate, holds: NDArray[np.bool_], problem: str) -> None:
    if not holds.all():
        raise FileError(f"certificate of game {c.game.name!r}: {problem}; train the run again")
