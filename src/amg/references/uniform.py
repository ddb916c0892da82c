"""Uniform random play: the value of knowing nothing.

Every agent draws its action uniformly and independently at every step, so

    V_i^t(s) = 1/|A_i| Σ_{a_i} Σ_σ P_{-i}(σ) Q_i(a_i, σ),

with P_{-i} the law of the sum of the others' uniform efforts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amg.game import Game
from amg.references.stage import backward, stage_game, sums_of_others


def uniform_play(game: Game) -> NDArray[np.float64]:
    """Each agent's expected total reward [N] under uniform random play."""
    value = np.zeros((game.T + 1, game.S, game.N))
    for t, s in backward(game):
        effort = game.effort[t, s]
        policy = (effort >= 0) / game.n_actions[t, s][:, None]
        law = sums_of_others(effort, policy, game.D)
        Q = stage_game(game, t, s, value[t + 1])
        value[t, s] = np.einsum("ia,id,iad->i", policy, law, Q)
    return game.initial @ value[0]
