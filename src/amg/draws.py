"""Random choices inside kernels: one uniform number each, but none for a start that is certain."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.random import Generator
from numpy.typing import NDArray


@njit(cache=True)
def draw(rng: Generator, cdf: NDArray[np.float64]) -> int:
    """An index by cumulated probabilities; a certain first entry takes no random number."""
    if cdf[0] == 1.0:
        return 0
    u, j = rng.random(), 0
    while u >= cdf[j]:
        j += 1
    return j


@njit(cache=True)
def draw_action(rng: Generator, policy: NDArray[np.float64], t: int, s: int, i: int, n: int) -> int:
    """Agent i's action at (t, s), one of n, with probabilities policy[t, s, i]."""
    u, a = rng.random(), 0
    while a < n - 1:
        u -= policy[t, s, i, a]
        if u < 0.0:
            return a
        a += 1
    return a
