"""Laws of sums of efforts: what everyone but agent i adds up to.

With independent agents the law of a sum is a convolution: no table over joint actions is needed.
All N laws P_-i come from one divide-and-conquer pass. The law of all agents outside a block goes to
its two halves, and each half takes in the other. This is O(N log N · D · A) work without
cancellation. Laws are cut to where they have mass, so that concentrated ones cost less.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from amg.kernels.sums import Floats, Ints

TAIL = 1e-20  # ends of a law below it are dropped: N log N of them cannot change a double near 1


class LawScratch(NamedTuple):
    """Working memory of `laws_of_others`, for each level of halving a law and its successor."""

    law: Floats  # [levels + 1, 2, D]
    block: Ints  # [levels + 1, 5] first agent, one past the last, which law, its span


class Laws(NamedTuple):
    """P_-i(σ) = law[i, σ] for bottom[i] ≤ σ < top[i], and 0 elsewhere, where law is not set."""

    law: Floats  # [N, D]
    bottom: Ints  # [N]
    top: Ints  # [N]
    scratch: LawScratch


def new_laws(n_agents: int, width: int) -> Laws:
    """Return room for the laws of this many agents and points."""
    levels = max(n_agents - 1, 0).bit_length() + 1
    scratch = LawScratch(np.zeros((levels, 2, width)), np.zeros((levels, 5), dtype=np.int64))
    zeros = np.zeros(n_agents, dtype=np.int64)
    return Laws(np.zeros((n_agents, width)), zeros, zeros.copy(), scratch)


@njit(cache=True)
def laws_of_others(
    policy: Floats, effort: Ints, n_actions: Ints, t: int, s: int, out: Laws
) -> None:
    """Compute P_-i(σ) = P(Σ_{j≠i} e_j = σ) for independent agents with policy[t, s, j, a]."""
    law, block = out.scratch.law, out.scratch.block
    law[0, 0, 0] = 1.0
    block[0, 0], block[0, 1], block[0, 2], block[0, 3], block[0, 4] = 0, policy.shape[2], 0, 0, 1
    depth = 0
    while depth >= 0:
        first, last, side = block[depth, 0], block[depth, 1], block[depth, 2]
        bottom, top = block[depth, 3], block[depth, 4]
        if last - first == 1:  # a single agent: the law at hand is that of all the others
            for d in range(bottom, top):
                out.law[first, d] = law[depth, side, d]
            out.bottom[first], out.top[first] = bottom, top
            depth -= 1
            continue
        middle = (first + last) // 2
        for d in range(bottom, top):
            law[depth + 1, 0, d] = law[depth, side, d]
        # the upper half takes in the lower one, and the lower half, in place, the upper one
        span = _add(law, depth + 1, 0, bottom, top, policy, effort, n_actions, t, s, first, middle)
        block[depth + 1, 2], block[depth + 1, 3], block[depth + 1, 4] = span
        span = _add(law, depth, side, bottom, top, policy, effort, n_actions, t, s, middle, last)
        block[depth, 2], block[depth, 3], block[depth, 4] = span
        block[depth + 1, 0], block[depth + 1, 1] = middle, last
        block[depth, 1] = middle
        depth += 1


@njit(cache=True)
def _add(
    law: Floats, level: int, side: int, bottom: int, top: int,
    policy: Floats, effort: Ints, n_actions: Ints, t: int, s: int, first: int, last: int,
) -> tuple[int, int, int]:  # fmt: skip
    """Add the efforts of agents first … last − 1 to law[level]; return its new side and span."""
    now, after = law[level, side], law[level, 1 - side]
    for j in range(first, last):
        least, most = effort[t, s, j, 0], effort[t, s, j, 0]
        for a in range(1, n_actions[t, s, j]):
            least, most = min(least, effort[t, s, j, a]), max(most, effort[t, s, j, a])
        after[bottom + least : top + most] = 0.0
        for a in range(n_actions[t, s, j]):
            add_scaled(after, bottom + effort[t, s, j, a], policy[t, s, j, a], now, bottom, top)
        bottom, top, side = bottom + least, top + most, 1 - side
        while after[bottom] < TAIL:
            bottom += 1
        while after[top - 1] < TAIL:
            top -= 1
        now, after = after, now
    return side, bottom, top


@njit(cache=True, inline="always")
def add_scaled(target: Floats, start: int, p: float, source: Floats, bottom: int, top: int) -> None:
    """Add p · source[bottom + d] to target[start + d] for all d < top − bottom.

    With unsigned indices there is no check for negative ones, and the compiler vectorises the loop.
    """
    to, of = np.uint64(start), np.uint64(bottom)
    for d in range(np.uint64(top - bottom)):
        target[to + d] += p * source[of + d]
