"""Laws of sums of efforts: what everyone but agent i adds up to.

With independent agents the law of a sum is a convolution: no table over joint actions is needed.
All N laws P_-i come from a binary tree whose leaves are the agents. On the way up a node gets the
law of the sum of its agents. On the way down it gets the law of all others: that of its parent's
others, convolved with its sibling's. All terms are positive, so nothing cancels. Laws are cut to
where they have mass, so that concentrated ones cost less.

Many visits go through the tree together, as *lanes*: entry d of a law is a row of numbers, one
for each visit. The order of additions is fixed, so results do not depend on the processor.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from amg.kernels.sums import Floats, Ints

TAIL = 1e-20  # ends of a law below it are dropped: N log N of them cannot change a double near 1
LANES, FEW = 16, 8  # visits that go through the tree together; FEW or less go one by one
ONE, TWO, THREE, FOUR = map(np.uint64, (1, 2, 3, 4))  # unsigned indices are never negative
Indices = NDArray[np.uint64]
FAST: dict[str, Any] = {"cache": True, "error_model": "numpy"}


class Tree(NamedTuple):
    """Working memory: laws in one long array, each with zeros before and after it.

    Node 1 is the root, 2k and 2k + 1 are the children of k, and N + i is the leaf of agent i.
    Law 2N + l is that of all others of the node at hand l steps below the root.
    """

    memory: Floats
    laws: Indices  # [2N + levels, 3] first place, number of entries, smallest sum


def new_tree(n_agents: int, width: int) -> Tree:
    """Return room for the laws of this many agents and points."""
    levels = (2 * n_agents - 1).bit_length()
    entries = 2 * levels * (width + 2) + 6 * n_agents
    laws = np.zeros((2 * n_agents + levels, 3), dtype=np.uint64)
    return Tree(np.zeros(entries * LANES), laws)


@njit(**FAST)
def add_laws(
    target: Floats, queue: Floats, used: int, effort: Ints, n_actions: Ints, tree: Tree
) -> None:
    """Add Σ_b π_i,b(a) P_-i,b(σ) to target[i, a, σ], over the visits b < used.

    π_i,b(a) is queue[i, a, b], and P_-i,b(σ) = P(Σ_{j≠i} e_j = σ) for independent agents.
    """
    if used > FEW:
        queue[:, :, used:] = 0.0
        _add_lanes(target, queue, 0, LANES, effort, n_actions, tree)
    else:
        for b in range(used):
            _add_lanes(target, queue, b, 1, effort, n_actions, tree)


@njit(forceinline=True, **FAST)  # so that the number of lanes is constant in each loop
def _add_lanes(
    target: Floats, queue: Floats, first: int, lanes: int, effort: Ints, n_actions: Ints, tree: Tree
) -> None:
    """Add the laws of visits first … first + lanes − 1."""
    memory, laws, n, (N, A, D) = tree.memory, tree.laws, np.uint64(lanes), target.shape
    flat, policy, room = target.reshape(-1), queue.reshape(-1), queue.shape[2]
    end = _add_leaves(memory, laws, policy, first, room, A, effort, n_actions, n)
    up, node, level = N - 1, 1, 2 * N
    while True:
        if up > 1:
            k, x, y, at = up, 2 * up, 2 * up + 1, end
        else:  # down, depth first
            if node < N:
                node, level = 2 * node, level + 1
            else:
                for a in range(n_actions[node - N]):
                    row = (node - N) * A + a
                    to, p = np.uint64(row * D), np.uint64(row * room + first)
                    _add_products(flat, to, policy, p, memory, laws, level, n)
                while node & 1:
                    node, level = node >> 1, level - 1
                if node == 0:
                    return
                node += 1
            k, x, y = level, level - 1, node ^ 1
            at = end + np.uint64((level - 2 * N - 1) * (D + 2)) * n
        _convolve(memory, laws, x, y, k, at, n)
        if up > 1:
            up, end = up - 1, _after(laws, up, n)


@njit(forceinline=True, **FAST)
def _add_leaves(
    memory: Floats, laws: Indices, policy: Floats, first: int, room: int, A: int, effort: Ints,
    n_actions: Ints, n: np.uint64,
) -> np.uint64:  # fmt: skip
    """Put the law of nobody's sum, and those of each agent's effort; return the next place."""
    N = len(effort)
    laws[2 * N, 0], laws[2 * N, 1], laws[2 * N, 2] = n, 1, 0
    _clear(memory, np.uint64(0), FOUR * n)
    for b in range(n, TWO * n):
        memory[b] = 1.0
    end = FOUR * n
    for i in range(N):
        low = high = effort[i, 0]
        for a in range(1, n_actions[i]):
            low, high = min(low, effort[i, a]), max(high, effort[i, a])
        laws[N + i, 0], laws[N + i, 1], laws[N + i, 2] = end, high - low + 1, low
        after = _after(laws, N + i, n)
        _clear(memory, end, after)
        for a in range(n_actions[i]):
            to, p = end + np.uint64(effort[i, a] - low) * n, np.uint64((i * A + a) * room + first)
            for b in range(n):
                memory[to + b] += policy[p + b]
        end = after
    return end


@njit(forceinline=True, **FAST)
def _clear(memory: Floats, start: np.uint64, end: np.uint64) -> None:
    for d in range(start, end):
        memory[d] = 0.0


@njit(forceinline=True, **FAST)
def _after(laws: Indices, k: int, n: np.uint64) -> np.uint64:
    """Return the place for the next law after law k, with room for the zeros between them."""
    return laws[k, 0] + (laws[k, 1] + TWO) * n


@njit(forceinline=True, **FAST)
def _convolve(
    memory: Floats, laws: Indices, x: int, y: int, k: int, at: np.uint64, n: np.uint64
) -> None:
    """Put the convolution of laws x and y, as law k, at a place.

    Two entries of the shorter law are taken at a time; the zeros around laws serve at their ends.
    """
    if laws[x, 1] < laws[y, 1]:
        x, y = y, x
    long, length, short = laws[x, 0], laws[x, 1] + ONE, laws[y, 0]
    laws[k, 0], laws[k, 1], laws[k, 2] = at, length + laws[y, 1] - TWO, laws[x, 2] + laws[y, 2]
    _clear(memory, at - n, at)
    _add_pair(memory, at, short, long, length, n, True)
    _clear(memory, at + length * n, at + (laws[k, 1] + ONE) * n)
    for j in range(TWO, laws[y, 1], TWO):
        _add_pair(memory, at + j * n, short + j * n, long, length, n, False)
    while _negligible(memory, laws[k, 0], n):
        laws[k, 0], laws[k, 1], laws[k, 2] = laws[k, 0] + n, laws[k, 1] - ONE, laws[k, 2] + ONE
    while _negligible(memory, laws[k, 0] + (laws[k, 1] - ONE) * n, n):
        laws[k, 1] -= ONE


@njit(forceinline=True, **FAST)
def _add_pair(
    memory: Floats, to: np.uint64, p: np.uint64, long: np.uint64, length: np.uint64, n: np.uint64,
    first: bool,
) -> None:  # fmt: skip
    """Add p_0 · long[d] + p_1 · long[d − 1] to entry d of the law at `to`, or set it if first."""
    if n == ONE:  # the loop over entries is the one to vectorise
        u, v = memory[p], memory[p + ONE]
        for d in range(length):
            term = u * memory[long + d] + v * memory[long + d - ONE]
            memory[to + d] = term if first else memory[to + d] + term
        return
    for d in range(np.uint64(0), length * n, n):
        for b in range(n):
            term = (
                memory[p + b] * memory[long + d + b] + memory[p + n + b] * memory[long + d - n + b]
            )
            memory[to + d + b] = term if first else memory[to + d + b] + term


@njit(forceinline=True, **FAST)
def _negligible(memory: Floats, at: np.uint64, n: np.uint64) -> bool:
    """Return whether an entry is negligible in all lanes."""
    most = memory[at]
    for b in range(at + ONE, at + n):
        most = max(most, memory[b])
    return most < TAIL


@njit(forceinline=True, **FAST)
def _add_products(
    target: Floats, to: np.uint64, policy: Floats, p: np.uint64, memory: Floats, laws: Indices,
    k: int, n: np.uint64,
) -> None:  # fmt: skip
    """Add Σ_b π_b P_b(σ) to target[to + σ], P being law k; in four partial sums."""
    at, to = laws[k, 0], to + laws[k, 2]
    if n == ONE:
        for d in range(laws[k, 1]):
            target[to + d] += policy[p] * memory[at + d]
        return
    for d in range(laws[k, 1]):
        x0 = x1 = x2 = x3 = 0.0
        for b in range(np.uint64(0), n, FOUR):
            x0 += policy[p + b] * memory[at + b]
            x1 += policy[p + b + ONE] * memory[at + b + ONE]
            x2 += policy[p + b + TWO] * memory[at + b + TWO]
            x3 += policy[p + b + THREE] * memory[at + b + THREE]
        target[to + d] += (x0 + x1) + (x2 + x3)
        at += n
