"""The full trace of a short run, for replaying Algorithm 1 with other code (design §6)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Trace:
    """Everything that happened, episode by episode; padded with 0."""

    state: NDArray[np.int64]  # [K, T]
    action: NDArray[np.int64]  # [K, T, N]
    aggregate: NDArray[np.float64]  # [K, T] total effort, as the game's aggregator reports it
    reward: NDArray[np.float64]  # [K, T, N] raw units
    policy: NDArray[np.float64]  # [K, T, N, A] in force at the visited state, before the update
    stage: NDArray[np.int64]  # [K, T, S] m at the episode's beginning
    stage_length: NDArray[np.int64]  # [K, T, S] length of the stage under way then
    vbar: NDArray[np.float64]  # [K, T, S, N] normalised, at the episode's beginning
