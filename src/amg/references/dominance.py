"""Equilibrium by dominance: backward induction over stage games that iterated elimination solves.

In the stage game Q at (t, s), action a of agent i goes if some action b of its own that is left is
better against every sum the others' remaining actions can add up to:

    Q_i(b, σ) > Q_i(a, σ)  for all such σ.

Aggregation makes this cheap: sums to go through, not joint actions. If one action per agent is
left, it is the stage's only Nash and only correlated equilibrium, and its pay is V_i^t(s).

Whether it is the only *coarse* correlated equilibrium is another matter, see `uniqueness`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from amg.game import Game
from amg.references.stage import STRICT, backward, stage_game, sums_of_others
from amg.references.uniqueness import only_coarse_equilibrium


@dataclass(frozen=True)
class DominanceEquilibrium:
    """The pure Markov perfect equilibrium that iterated strict dominance leaves."""

    per_agent: NDArray[np.float64]  # [N] expected total reward from the start
    actions: NDArray[np.int64]  # [T, S, N], −1 in padded states
    rounds: NDArray[np.int64]  # [T, S] rounds of elimination that it took
    unique_cce: bool  # proved: every CCE plays this, so every CCE pays this

    @property
    def average(self) -> float:
        """Per agent."""
        return float(self.per_agent.mean())

    @property
    def dominant(self) -> bool:
        """Whether one round was always enough: everyone has a strictly dominant action."""
        return bool(self.rounds.max() <= 1)


def dominance_equilibrium(game: Game) -> DominanceEquilibrium | None:
    """The equilibrium, or None where iterated strict dominance does not solve some stage game.

    Dominance is by pure actions, and strict by more than STRICT times the reward scale.
    """
    value = np.zeros((game.T + 1, game.S, game.N))
    actions = np.full((game.T, game.S, game.N), -1, dtype=np.int64)
    rounds = np.zeros((game.T, game.S), dtype=np.int64)
    agent = np.arange(game.N)
    for t, s in backward(game):
        effort = game.effort[t, s]
        Q = stage_game(game, t, s, value[t + 1])
        left, rounds[t, s] = eliminate(Q, effort, STRICT * game.scale)
        if (left.sum(axis=1) > 1).any():
            return None
        actions[t, s] = left.argmax(axis=1)
        chosen = effort[agent, actions[t, s]]
        value[t, s] = Q[agent, actions[t, s], chosen.sum() - chosen]
    return DominanceEquilibrium(
        per_agent=game.initial @ value[0],
        actions=actions,
        rounds=rounds,
        unique_cce=only_coarse_equilibrium(game, actions),
    )


def eliminate(
    Q: NDArray[np.float64], effort: NDArray[np.int64], margin: float
) -> tuple[NDArray[np.bool_], int]:
    """The actions [N, A] that survive iterated strict dominance, and the rounds it took.

    The order of elimination does not matter for strict dominance: each round takes all it can.
    """
    left = effort >= 0
    rounds = 0
    while True:
        possible = sums_of_others(effort, left, Q.shape[2])
        dominated = np.zeros_like(left)
        for i, b in np.argwhere(left):
            lead = Q[i, b, possible[i]] - Q[i][:, possible[i]]  # [a, σ] of b over a
            dominated[i] |= left[i] & (lead.min(axis=1) > margin)
        if not dominated.any():
            return left, rounds
        left = left & ~dominated
        rounds += 1
