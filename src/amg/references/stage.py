"""What every backward induction here is made of: the stage game, sums of efforts, pure play.

With the values V_i(s') of the next step in place, the stage game at (t, s) pays agent i

    Q_i(a_i, σ) = r_i^t(s, a_i, σ) + Σ_{s'} p^t(s' | s, σ + e(a_i)) V_i(s'),

again a table over its own action and the sum σ of the others' efforts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amg.game import Game

STRICT = 1e-9
"""Differences below this share of the game's reward scale are rounding, not preference."""


def backward(game: Game) -> Iterator[tuple[int, int]]:
    """Every (t, s), last step first."""
    for t in reversed(range(game.T)):
        for s in range(len(game.states[t])):
            yield t, s


def stage_game(game: Game, t: int, s: int, following: NDArray[np.float64]) -> NDArray[np.float64]:
    """Q_i(a_i, σ) as [N, A, D], given V_i(s') as following [S, N].

    Only real actions and sums that can happen mean anything: the rest is never looked at.
    """
    promised = game.transition[t, s] @ following  # [D, N], by the total
    total = np.maximum(game.effort[t, s], 0)[:, :, None] + np.arange(game.D)
    agent = np.arange(game.N)[:, None, None]
    return game.reward[t, s] + promised[np.minimum(total, game.D - 1), agent]


def by_total(effort: NDArray[np.int64], table: NDArray[np.float64]) -> NDArray[np.float64]:
    """table_i(a_i, d − e(a_i)) as [N, A, D]: a table over the others' sum, read at the total d."""
    others = np.arange(table.shape[2]) - np.maximum(effort, 0)[:, :, None]
    shifted = np.take_along_axis(table, np.maximum(others, 0), axis=2)
    return np.where((others >= 0) & (effort >= 0)[:, :, None], shifted, -np.inf)


def sums_of_others(effort: NDArray[np.int64], weight: NDArray[Any], D: int) -> NDArray[Any]:
    """Σ_{a_-i: Σ_{j≠i} e(a_j) = σ} Π_{j≠i} weight_j(a_j) as [N, D]: convolutions, no joint actions.

    With probabilities for weights this is the law of the others' sum. numpy adds and multiplies
    booleans as "or" and "and", so with a mask of actions it is which sums those can add up to.
    """
    N = len(effort)
    menu = np.zeros((N, D), dtype=weight.dtype)
    np.add.at(menu, (np.arange(N)[:, None], np.maximum(effort, 0)), weight)

    nobody = np.zeros(D, dtype=weight.dtype)
    nobody[0] = 1
    before, after = [nobody], [nobody]  # the first i agents, the last i agents
    for i in range(N - 1):
        before.append(np.convolve(before[-1], menu[i])[:D])
        after.append(np.convolve(after[-1], menu[N - 1 - i])[:D])
    return np.array([np.convolve(before[i], after[N - 1 - i])[:D] for i in range(N)])


def play(game: Game, actions: NDArray[np.int64]) -> NDArray[np.float64]:
    """V_i^t(s) as [T+1, S, N] when everyone plays the pure Markov policy actions [T, S, N]."""
    value = np.zeros((game.T + 1, game.S, game.N))
    agent = np.arange(game.N)
    for t, s in backward(game):
        effort = game.effort[t, s, agent, actions[t, s]]
        Q = stage_game(game, t, s, value[t + 1])
        value[t, s] = Q[agent, actions[t, s], effort.sum() - effort]
    return value
