"""The full trace of a short run: enough to replay Algorithm 1 and to play Algorithms 5 and 6."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
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
