"""The policy of Tsallis-INF from its loss estimates (Algorithm 1, line 11, and Algorithm 4).

    π(a) = 4 (η (Q̂(a) − x))^-2   with x < min Q̂ such that Σ_a π(a) = 1

Both solvers use the scaled gaps u(a) = η (Q̂(a) − min Q̂) / 2 ≥ 0 and the scaled distance of the
root y = η (min Q̂ − x) / 2. Then π(a) = (y + u(a))^-2, and the scale of Q̂ and η does not matter.
"""

import math

from numba import njit

from amg.kernels.sums import Floats

WIDEST_GAP = 1e150  # beyond it π(a) = u^-2 would fall below the smallest double


@njit(cache=True)
def two_actions(gap: float, eta: float) -> float:
    """Return π of the worse of two actions, in closed form; the better one has the rest.

    y^-2 + (y + u)^-2 = 1 is a quadratic in y (y + u) = p: p = 1 + √(1 + u²). With z = √(p + u²/4)
    the roots are y = z − u/2 and y + u = z + u/2, of which the second has no cancellation.
    """
    u = min(0.5 * eta * gap, WIDEST_GAP)
    p = 1.0 + math.sqrt(1.0 + u * u)
    far = math.sqrt(p + 0.25 * u * u) + 0.5 * u
    return 1.0 / (far * far)


@njit(cache=True)
def newton(q_hat: Floats, eta: float, policy: Floats, t: int, s: int, i: int, n: int) -> None:
    """Set π of agent i's n actions at (t, s) by Newton's method on F(y) = Σ_a (y + u(a))^-2 − 1.

    The paper's Algorithm 4 has Q̂ where π belongs (line 4). F is convex and decreasing and F(1) ≥ 0,
    so the iteration rises from y = 1 to the root. Started above the root, for example from x of an
    earlier stage, it could leave the domain.
    """
    best = q_hat[t, s, i, 0]
    for a in range(1, n):
        best = min(best, q_hat[t, s, i, a])
    y, total = 1.0, 1.0
    for _ in range(100):  # a dozen suffice for a thousand actions
        total, slope = 0.0, 0.0
        for a in range(n):
            u = min(0.5 * eta * (q_hat[t, s, i, a] - best), WIDEST_GAP)
            root = 1.0 / (y + u)  # √π
            policy[t, s, i, a] = root * root
            total += root * root
            slope += root * root * root
        step = 0.5 * (total - 1.0) / slope
        if step <= 4e-16 * y:
            break
        y += step
    for a in range(n):
        policy[t, s, i, a] /= total


@njit(cache=True)
def centre(q_hat: Floats, t: int, s: int, i: int, n: int) -> None:
    """Subtract min Q̂ from Q̂ of agent i's n actions at (t, s): π needs only the differences.

    The estimate of an action that is played most of the time has a term for almost every visit. If
    it grew, new terms would be rounded off; near 0 it keeps their digits.
    """
    best = q_hat[t, s, i, 0]
    for a in range(1, n):
        best = min(best, q_hat[t, s, i, a])
    for a in range(n):
        q_hat[t, s, i, a] -= best
