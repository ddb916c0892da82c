"""Optimistic follow-the-regularised-leader with a known model (Zhang et al. 2022).

Nothing is sampled: in iteration k every agent learns at every (t, s) what each of its actions would
pay. From the last step to the first, with α_k = (T+1)/(T+k),

    Q_i(a) = E_π₋ᵢ[ r_i(a, σ) + Σ_s' p(s') V_i(t+1, s') ],    V_i ← (1 − α_k) V_i + α_k ⟨π_i, Q_i⟩.

The j-th of k iterations has the weight w_j ∝ α_k^j, in units of the last one as in incremental
V-learning. The next policy counts the last Q once more, as a guess of the one to come:

    L_i ← (w_{k−1}/w_k) L_i + Q_i,    π_i ∝ exp(η [ (w_k/w_{k+1}) L_i + Q_i ]),
    η = c / (4 T (N − 1)).

The policy that it puts out draws at (t, s) an iteration j ≤ k with weight α_k^j, plays as in it,
and goes on with j as k. So V is what it earns. It is a floor: how close to equilibrium one could
come with a known model.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from amg.game.model import Tables
from amg.kernels.sums import Floats, Ints
from amg.learning.averages import Averages, add_visit, online_certificate
from amg.learning.averaging import AveragingLearner
from amg.learning.episode import Returns, record_episode
from amg.learning.exponential import exponential_weights
from amg.learning.parameters import OptimisticFTRL


class Memory(NamedTuple):
    """What the agents remember; V is `Averages.value`."""

    episode: Ints  # [1] iterations done
    passes: Ints  # [1] times that all iterations were done before
    loss: Floats  # [T, S, N, A] −L
    guess: Floats  # [T, S, N, A] minus what the next policy is made from
    policy: Floats  # [T, S, N, A]
    path: Ints  # [T, 1 + N] nothing is played: zeros


@njit(cache=True)
def iterate(
    game: Tables, transition: Floats, eta: float, start: Floats, units: Floats, memory: Memory,
    averages: Averages, returns: Returns, until: int,
) -> None:  # fmt: skip
    """Do all iterations up to `until`."""
    T, N, policy = len(game.n_states), game.reward.shape[2], memory.policy
    for k in range(memory.episode[0] + 1, until + 1):
        for t in range(T - 1, -1, -1):
            for s in range(game.n_states[t]):
                add_visit(averages, game, transition, policy, t, s, (T + 1) / (T + k))
                for i in range(N):
                    n = game.n_actions[t, s, i]
                    for a in range(n):
                        q = pay(game, transition, averages, t, s, i, a)
                        loss = memory.loss[t, s, i, a] * (k - 1) / (T + k - 1) - q
                        memory.loss[t, s, i, a] = loss
                        memory.guess[t, s, i, a] = loss * k / (T + k) - q
                    exponential_weights(memory.guess, eta, policy, t, s, i, n)
        for s in range(len(start)):
            for i in range(N):
                returns.pending[0, i] += start[s] * (units[0] + units[1] * averages.value[0, s, i])
        memory.episode[0] = k
        record_episode(returns, k)


@njit(cache=True)
def pay(
    game: Tables, transition: Floats, averages: Averages, t: int, s: int, i: int, a: int
) -> float:
    """Return Q_i(a), with the others' law of the visit that was just taken into the averages."""
    e, total = game.effort[t, s, i, a], 0.0
    for d in range(averages.others.shape[1] - e):
        p = averages.others[i, d]
        if p > 0.0:
            outcome = game.reward[t, s, i, a, d]
            for after in range(game.n_states[t + 1] if t + 1 < len(game.n_states) else 0):
                outcome += transition[t, s, d + e, after] * averages.value[t + 1, after, i]
            total += p * outcome
    return total


class OptimisticFTRLLearner(AveragingLearner):
    """Optimistic FTRL: iterations count as episodes. Returns are those of its output so far."""

    parameters: OptimisticFTRL

    def new_memory(self) -> Memory:
        T, S, N, A = self.game.effort.shape
        return Memory(
            episode=np.zeros(1, dtype=np.int64),
            passes=np.zeros(1, dtype=np.int64),
            loss=np.zeros((T, S, N, A)),
            guess=np.zeros((T, S, N, A)),
            policy=self.game.uniform_policy(),
            path=np.zeros((T, 1 + N), dtype=np.int64),
        )

    def learn(self, until: int) -> None:
        game = self.game
        eta = self.parameters.rate / (4 * game.T * max(game.N - 1, 1))
        units = np.array([game.T * game.reward_range[0], game.scale])
        records = self.memory, self.averages, self.returns
        iterate(self.tables, game.transition, eta, game.initial, units, *records, until)

    def result(self) -> dict[str, Any]:
        return {"online": online_certificate(self.game, self.averages, 1)}
