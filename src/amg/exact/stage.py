"""Backward induction: the stage game, sums of efforts, and the value of fixed play.

Given the values V_i(s') of the next step, the stage game at (t, s) pays agent i

    Q_i(a_i, σ) = r_i^t(s, a_i, σ) + Σ_{s'} p^t(s' | s, σ + e(a_i)) V_i(s'),

again a table over its own action and the sum σ of the others' efforts. A pure Markov policy a*
earns V_i^t(s) = Q_i(a*_i, Σ_{j≠i} e(a*_j)). Uniform random play, the untrained policy, earns

    V_i^t(s) = 1/|A_i| Σ_{a_i} Σ_σ P_{-i}(σ) Q_i(a_i, σ),

with P_{-i} the law of the sum of the others' uniform efforts.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amg.game.model import Game
from amg.kernels.sums import times

STRICT = 1e-9  # differences below this share of the game's reward scale count as rounding


def backward(game: Game) -> Iterator[tuple[int, int]]:
    """Yield every (t, s), last step first."""
    for t in reversed(range(game.T)):
        for s in range(len(game.states[t])):
            yield t, s


def stage_game(game: Game, t: int, s: int, following: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Q_i(a_i, σ) as [N, A, D], given V_i(s') as following [S, N].

    Only entries of real actions and possible sums have a meaning.
    """
    promised = times(game.transition[t, s], following)  # [D, N], by the total
    total = np.maximum(game.effort[t, s], 0)[:, :, None] + np.arange(game.D)
    agent = np.arange(game.N)[:, None, None]
    return game.reward[t, s] + promised[np.minimum(total, game.D - 1), agent]


def by_total(effort: NDArray[np.int64], table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return table_i(a_i, d − e(a_i)) as [N, A, D]: by the total d, not by the others' sum."""
    others = np.arange(table.shape[2]) - np.maximum(effort, 0)[:, :, None]
    shifted = np.take_along_axis(table, np.maximum(others, 0), axis=2)
    return np.where((others >= 0) & (effort >= 0)[:, :, None], shifted, -np.inf)


def sums_of_others(effort: NDArray[np.int64], weight: NDArray[Any], D: int) -> NDArray[Any]:
    """Return Σ_{a_-i: Σ_{j≠i} e(a_j) = σ} Π_{j≠i} weight_j(a_j) as [N, D], by convolutions.

    If weights are probabilities, this is the law of the others' sum. If they are a mask of actions,
    it is the mask of possible sums, because numpy adds and multiplies booleans as "or" and "and".
    """
    N = len(effort)
    menu = np.zeros((N, D), dtype=weight.dtype)
    np.add.at(menu, (np.arange(N)[:, None], np.maximum(effort, 0)), weight)
    nobody = np.zeros(D, dtype=weight.dtype)
    nobody[0] = 1
    before, after = [nobody], [nobody]  # the first i agents, the last i agents
    for i in range(N - 1):
        before.append(_convolve(before[-1], menu[i]))
        after.append(_convolve(after[-1], menu[N - 1 - i]))
    return np.array([_convolve(before[i], after[N - 1 - i]) for i in range(N)])


def _convolve(law: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
    """Return the convolution of two laws, as far as they reach. numpy's would use BLAS."""
    total = np.zeros_like(law)
    for e in np.flatnonzero(other):
        total[e:] += law[: len(law) - e] * other[e]
    return total


def play(game: Game, actions: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return V_i^t(s) as [T+1, S, N] of the pure Markov policy actions [T, S, N]."""
    value = np.zeros((game.T + 1, game.S, game.N))
    agent = np.arange(game.N)
    for t, s in backward(game):
        effort = game.effort[t, s, agent, actions[t, s]]
        Q = stage_game(game, t, s, value[t + 1])
        value[t, s] = Q[agent, actions[t, s], effort.sum() - effort]
    return value


def uniform_play(game: Game) -> NDArray[np.float64]:
    """Return each agent's expected total reward [N] under uniform random play."""
    value = np.zeros((game.T + 1, game.S, game.N))
    for t, s in backward(game):
        effort = game.effort[t, s]
        policy = (effort >= 0) / game.n_actions[t, s][:, None]
        law = sums_of_others(effort, policy, game.D)
        Q = stage_game(game, t, s, value[t + 1])
        value[t, s] = (policy[:, :, None] * law[:, None] * Q).sum(axis=(1, 2))
    return times(game.initial, value[0])
