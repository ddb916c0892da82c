"""Returns of a run: of each episode up to a stated number, block means beyond it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from amg.sums import fold

EPISODES = 1 << 4  # between two foldings of the sums; an episode adds a term at each step


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
            pending[1, i], pending[0, i] = fold(pending[1, i], pending[0, i])
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
