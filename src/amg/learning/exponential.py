"""Exponential weights for a bandit, with implicit exploration (Neu 2015).

L̂(a) ← L̂(a) + ℓ / (π(a) + γ) for the action taken,    π(a) ∝ exp(−η L̂(a)),    γ = η.
"""

import math

from numba import njit

from amg.kernels.sums import Floats


@njit(cache=True, forceinline=True)
def exponential_rate(n: int, visits: float) -> float:
    """Return η = √(log A / (A c)) of A = n actions after c visits."""
    return math.sqrt(math.log(n) / (n * visits))


@njit(cache=True, forceinline=True)
def exponential_bandit(
    q_hat: Floats, loss: float, eta: float, policy: Floats, t: int, s: int, i: int, a: int, n: int
) -> None:
    """Add the loss of action a to L̂ of agent i at (t, s), and set π of its n actions."""
    q_hat[t, s, i, a] += loss / (policy[t, s, i, a] + eta)
    exponential_weights(q_hat, eta, policy, t, s, i, n)


@njit(cache=True, forceinline=True)
def exponential_weights(
    q_hat: Floats, eta: float, policy: Floats, t: int, s: int, i: int, n: int
) -> None:
    """Set π of agent i's n actions at (t, s)."""
    best, total = q_hat[t, s, i, 0], 0.0
    for a in range(1, n):
        best = min(best, q_hat[t, s, i, a])
    for a in range(n):
        weight = math.exp(eta * (best - q_hat[t, s, i, a]))
        policy[t, s, i, a] = weight
        total += weight
    for a in range(n):
        policy[t, s, i, a] /= total
