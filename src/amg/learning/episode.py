"""Random choices inside kernels: one uniform number each, but none for a start that is certain.

---
Returns of a run: of each episode up to a stated number, block means beyond it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.random import Generator
from numpy.typing import NDArray

from amg.kernels.sums import two_sum


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


# ===== learning/returns

EPISODES = 1 << 4  # between two compensations of the sums; an episode adds a term at each step


class Returns(NamedTuple):
    """Entry j is the mean return over episodes edge[j]+1 … edge[j+1], in raw units."""

    used: NDArray[np.int64]  # [1]
    edge: NDArray[np.int64]  # [entries + 1]
    mean: NDArray[np.float64]  # [entries, N]
    pending: NDArray[np.float64]  # [2, N] sums since the last edge: short and long (sums.py)


@njit(cache=True)
def record_episode(returns: Returns, episode: int) -> None:
    """At the end of an episode: close the entry that ends here."""
    j, pending = returns.used[0], returns.pending
    last = returns.edge[j + 1]
    if episode == last or episode & (EPISODES - 1) == 0:
        for i in range(pending.shape[1]):
            pending[1, i], pending[0, i] = two_sum(pending[1, i], pending[0, i])
    if episode == last:
        for i in range(pending.shape[1]):
            returns.mean[j, i] = pending[1, i] / (last - returns.edge[j])
            pending[0, i] = pending[1, i] = 0.0
        returns.used[0] = j + 1


def new_returns(n_agents: int, episodes: int, single: int, blocks: int = 1024) -> Returns:
    """The first `single` episodes one by one, the rest in at most `blocks` equal blocks."""
    single = min(single, episodes)
    length = max(-(-(episodes - single) // blocks), 1)
    edge = np.concatenate(
        [np.arange(single), np.arange(single, episodes, length), [episodes]]
    ).astype(np.int64)
    return Returns(
        used=np.zeros(1, dtype=np.int64),
        edge=edge,
        mean=np.zeros((len(edge) - 1, n_agents)),
        pending=np.zeros((2, n_agents)),
    )
