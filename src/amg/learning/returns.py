"""Returns of a run: one by one for the first episodes, then means over blocks of episodes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from amg.kernels.arrays import Floats, Ints
from amg.kernels.sums import two_sum

EPISODES = 1 << 4  # between two compensations of the sums; an episode adds a term at each step


class Returns(NamedTuple):
    """Entry j is the mean return over episodes edge[j] + 1 … edge[j + 1], in raw units."""

    used: Ints  # [1]
    edge: Ints  # [entries + 1]
    mean: Floats  # [entries, N]
    pending: Floats  # [2, N] recent sum and total (sums.py) since the last edge


def new_returns(n_agents: int, episodes: int, single: int, blocks: int = 1024) -> Returns:
    """Return room for `single` episodes one by one and at most `blocks` equal blocks after them."""
    single = min(single, episodes)
    length = max(-(-(episodes - single) // blocks), 1)
    edges = np.arange(single), np.arange(single, episodes, length), np.array([episodes])
    edge = np.concatenate(edges).astype(np.int64)
    mean, pending = np.zeros((len(edge) - 1, n_agents)), np.zeros((2, n_agents))
    return Returns(np.zeros(1, dtype=np.int64), edge, mean, pending)


@njit(cache=True)
def record_episode(returns: Returns, episode: int) -> None:
    """Take note that an episode has ended; write the entry that ends with it, if one does."""
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
