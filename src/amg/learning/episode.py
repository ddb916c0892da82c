"""What every learner needs in an episode: random numbers, and a record of returns.

Returns are recorded one by one for the first episodes, then as means over blocks of episodes.
"""

import hashlib
import json
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.random import SFC64, Generator, SeedSequence

from amg.game.model import Game
from amg.kernels.sums import Floats, Ints, two_sum
from amg.learning.parameters import Parameters

EPISODES = 1 << 4  # between two compensations of the sums; an episode adds a term at each step


def generator(game: Game, parameters: Parameters, episodes: int, seed: int) -> Generator:
    """Return the generator of a run, which depends on nothing but what the run is.

    SFC64 is the fastest generator of numpy. The spawn key digests everything but the seed.
    """
    what = {"game": game.digest, "episodes": episodes}
    what |= {"algorithm": parameters.algorithm, "parameters": parameters.as_dict()}
    digest = hashlib.sha256(json.dumps(what, sort_keys=True).encode()).digest()
    words = np.frombuffer(digest, dtype="<u4").tolist()
    return Generator(SFC64(SeedSequence(seed, spawn_key=tuple(words))))


@njit(cache=True)
def draw(rng: Generator, cdf: Floats) -> int:
    """Draw an index by cumulated probabilities; a certain first entry takes no random number."""
    if cdf[0] == 1.0:
        return 0
    u, j = rng.random(), 0
    while u >= cdf[j]:
        j += 1
    return j


@njit(cache=True)
def draw_action(rng: Generator, policy: Floats, t: int, s: int, i: int, n: int) -> int:
    """Draw one of agent i's n actions at (t, s) with probabilities policy[t, s, i]."""
    u, a = rng.random(), 0
    while a < n - 1:
        u -= policy[t, s, i, a]
        if u < 0.0:
            return a
        a += 1
    return a


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
