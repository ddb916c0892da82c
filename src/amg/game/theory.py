"""Constants of the paper's analysis (Theorem III.1 and its proof)."""

from __future__ import annotations

import math

from amg.game.model import Game


def iota(game: Game, episodes: int, p: float) -> float:
    """ι = log(2 N S A_max K T / p), the theorem's (the lemma prints 4 in place of 2)."""
    return math.log(2 * game.N * game.S * game.A_max * episodes * game.T) - math.log(p)


def bonus(game: Game, agent: int, episodes: int, p: float, multiplier: float) -> float:
    """b_c̃ · √c̃ = multiplier · √(T² A_i ι) (Algorithm 1, line 14, with multiplier 4)."""
    return multiplier * math.sqrt(game.T**2 * int(game.A[agent]) * iota(game, episodes, p))


def rate(game: Game, episodes: int, p: float) -> float:
    """√(S A_max T⁵ ι / K): the theorem's bound on ε up to its unstated constant, normalised."""
    S, A, T = game.S, game.A_max, game.T
    return math.sqrt(S * A * T**5 * iota(game, episodes, p) / episodes)
