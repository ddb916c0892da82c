"""How long training takes, roughly: to cut a sweep into jobs and to say beforehand.

A function of what a run is, never of a clock, so that the same sweep gives the same jobs anywhere.
The constants were fitted to one core of the machine that made the shipped figures.
"""

from __future__ import annotations

import math

from amg.game import Game
from amg.learning.parameters import Parameters

PAIR = 45e-9  # seconds for a step of two agents with two actions each, certificate included
ACTION = 0.08e-6  # more agents: for each action of each agent
POINT = 0.15e-9  # and for each operation of the laws, N log N · D · A of them
Q_AGENT = 30e-9  # of Q-learning, for each agent
FIXED = 5e-3  # a run's beginning, end and file


def training_seconds(game: Game, parameters: Parameters, episodes: int) -> float:
    """One run on one core."""
    N, A, D = game.N, game.A_max, game.reward.shape[4]
    if parameters.algorithm != "v_learning":
        visit = Q_AGENT * N
    elif N == 2 and A == 2:
        visit = PAIR
    else:
        visit = ACTION * N * A + POINT * N * math.log2(N) * D * A if N > 1 else ACTION * A
    return FIXED + episodes * game.T * visit


def spoken(seconds: float) -> str:
    """A duration for people."""
    if seconds < 90:
        return f"{max(seconds, 1):.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} minutes"
    return f"{seconds / 3600:.1f} hours"
