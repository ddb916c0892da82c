"""Random numbers of a run: seeded by what the run is, never by where or when it runs."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np
from numpy.random import SFC64, Generator, SeedSequence

from amg.game import Game
from amg.learning.parameters import Parameters


def identity(game: Game, parameters: Parameters, episodes: int, seed: int) -> dict[str, Any]:
    """What a run is."""
    return {
        "game": game.digest,
        "algorithm": parameters.algorithm,
        "parameters": parameters.as_dict(),
        "episodes": episodes,
        "seed": seed,
    }


def generator(game: Game, parameters: Parameters, episodes: int, seed: int) -> Generator:
    """SFC64, the fastest of numpy's, from the seed and a spawn key that digests the rest."""
    what = identity(game, parameters, episodes, seed)
    del what["seed"]
    digest = hashlib.sha256(json.dumps(what, sort_keys=True).encode()).digest()
    words = np.frombuffer(digest, dtype="<u4").tolist()
    return Generator(SFC64(SeedSequence(seed, spawn_key=tuple(words))))
