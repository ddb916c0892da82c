"""Laws of sums of efforts: what everyone but agent i adds up to.

With independent agents the law of a sum is a convolution, so no table over joint actions is ever
built. All N laws P_-i come from one divide-and-conquer pass: the law of everyone outside a block of
agents is handed down to its two halves, each taking in the other; O(N log N · D · A) work and, being
sums of products of probabilities, no cancellation.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray


class LawScratch(NamedTuple):
    """Working memory of `laws_of_others`, one row for each level of halving and one spare."""

    law: NDArray[np.float64]  # [levels + 2, D]
    block: NDArray[np.int64]  # [levels + 2, 3] first agent, one past the last, largest sum


def law_scratch(n_agents: int, width: int) -> LawScratch:
    rows = max(n_agents - 1, 0).bit_length() + 2
    return LawScratch(np.zeros((rows, width)), np.zeros((rows, 3), dtype=np.int64))


@njit(cache=True)
def laws_of_others(
    policy: NDArray[np.float64],
    effort: NDArray[np.int64],
    n_actions: NDArray[np.int64],
    t: int,
    s: int,
    out: NDArray[np.float64],
    scratch: LawScratch,
) -> None:
    """out[i, d] = P(Σ_{j≠i} e_j = d) for independent agents with policy[t, s, j, a]."""
    law, block = scratch.law, scratch.block
    law[0, 0] = 1.0
    block[0, 0], block[0, 1], block[0, 2] = 0, policy.shape[2], 0
    depth = 0
    while depth >= 0:
        first, last, top = block[depth, 0], block[depth, 1], block[depth, 2]
        if last - first == 1:  # a single agent: the law at hand is that of all the others
            for d in range(out.shape[1]):
                out[first, d] = law[depth, d] if d <= top else 0.0
            depth -= 1
            continue
        middle = (first + last) // 2
        upper = top
        for d in range(top + 1):
            law[depth + 1, d] = law[depth, d]
        for j in range(first, middle):  # the upper half takes in the lower one ...
            upper = _add_agent(law, depth + 1, upper, policy, effort, n_actions, t, s, j)
        for j in range(middle, last):  # ... and the lower half, in place, the upper one
            top = _add_agent(law, depth, top, policy, effort, n_actions, t, s, j)
        block[depth, 1], block[depth, 2] = middle, top
        depth += 1
        block[depth, 0], block[depth, 1], block[depth, 2] = middle, last, upper


@njit(cache=True)
def _add_agent(
    law: NDArray[np.float64],
    row: int,
    top: int,
    policy: NDArray[np.float64],
    effort: NDArray[np.int64],
    n_actions: NDArray[np.int64],
    t: int,
    s: int,
    j: int,
) -> int:
    """law[row] takes in agent j's effort; sums were 0 … top, the new largest is returned."""
    spare, reach = len(law) - 1, 0
    for a in range(n_actions[t, s, j]):
        reach = max(reach, effort[t, s, j, a])
    for d in range(top + reach + 1):
        law[spare, d] = 0.0
    for a in range(n_actions[t, s, j]):
        e, p = effort[t, s, j, a], policy[t, s, j, a]
        for d in range(top + 1):
            law[spare, d + e] += p * law[row, d]
    for d in range(top + reach + 1):
        law[row, d] = law[spare, d]
    return top + reach
