"""Random numbers: the generator of a run, and the draws inside the kernels."""

from __future__ import annotations

import hashlib
import json

import numpy as np
from numba import njit
from numpy.random import SFC64, Generator, SeedSequence

from amg.game.model import Game
from amg.kernels.arrays import Floats
from amg.learning.parameters import Parameters


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
