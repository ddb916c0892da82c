"""Lanes: the same computation for several runs at once, in loops that the processor vectorises.

A number that each run has is a *row* of LANES doubles, one for each run. All rows lie in one flat
array X at constant distances. So the compiler sees that a loop over lanes has no conflicts, and
takes several at a time. That needs four things, which are lost easily (`make bench` shows it):

* No branches: `choose` computes both sides and selects.
* Unsigned indices, because numba would check others for being negative.
* Constant sizes. They come as tuples: the length of a tuple is part of its type, so each size has
  its own machine code. A loop up to the length is unrolled.
* Helpers that are inlined (`forceinline`), without references to count.

A lane is at one of S states. Its values there are among those of all states, F rows apart: `read`
selects them, `add` adds 0 to those of other states, and `put` multiplies those by 1.
"""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from amg.kernels.sums import Floats

LANES = 32  # the most runs that go together; more are not faster
FAST: dict[str, Any] = {"error_model": "numpy", "forceinline": True}
Words = NDArray[np.uint64]
Sizes = tuple[int, ...]


@intrinsic
def _choose(typing: Any, condition: Any, yes: Any, no: Any) -> Any:
    """Return yes if the condition holds, else no, without a branch."""

    def select(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.select(*values)

    return types.float64(types.boolean, types.float64, types.float64), select


@intrinsic
def _as_float(typing: Any, bits: Any) -> Any:
    """Return the double that has these bits."""

    def cast(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.bitcast(values[0], context.get_value_type(types.float64))

    return types.float64(types.uint64), cast


choose: Callable[[Any, float, float], float] = cast(Any, _choose)
as_float: Callable[[np.uint64], float] = cast(Any, _as_float)


@njit(**FAST)
def at(row: int) -> np.uint64:
    """Return where a row begins."""
    return np.uint64(row * LANES)


@njit(**FAST)
def padded(lanes: int) -> np.uint64:
    """Return the lanes to compute: two vectors at a time, as the compiler takes them."""
    return np.uint64((lanes + 7) // 8) * np.uint64(8)


@njit(**FAST)
def read(X: Floats, i: np.uint64, row: int, state: float, states: Sizes, F: int) -> float:
    """Return the value at the state of this lane."""
    x = X[i + at(row)]
    for s in range(1, len(states)):
        x = choose(state == float(s), X[i + at(row + s * F)], x)
    return x


@njit(**FAST)
def add(X: Floats, i: np.uint64, row: int, x: float, state: float, states: Sizes, F: int) -> None:
    """Add x to the value at the state of this lane."""
    if len(states) == 1:
        X[i + at(row)] += x
        return
    for s in range(len(states)):
        X[i + at(row + s * F)] += choose(state == float(s), x, 0.0)


@njit(**FAST)
def put(X: Floats, i: np.uint64, row: int, x: float, state: float, states: Sizes, F: int) -> None:
    """Set the value at the state of this lane to x. Storing a choice would be slow on AMD."""
    if len(states) == 1:
        X[i + at(row)] = x
        return
    for s in range(len(states)):
        hit = choose(state == float(s), 1.0, 0.0)
        X[i + at(row + s * F)] = X[i + at(row + s * F)] * (1.0 - hit) + x * hit


@njit(**FAST)
def unit(word: np.uint64) -> float:
    """Return numpy's double in [0, 1): the upper 53 bits, converted in two exact halves."""
    x = word >> np.uint64(11)
    low = as_float((x & np.uint64(0xFFFFFFFF)) | np.uint64(0x4330000000000000))
    high = as_float((x >> np.uint64(32)) | np.uint64(0x4530000000000000))
    return ((high - 19342813118337666422669312.0) + low) * (1.0 / 9007199254740992.0)


@njit(**FAST)
def uniforms(Z: Words, X: Floats, o: np.uint64, count: Sizes, m: np.uint64) -> None:
    """Draw as many uniform numbers as `count` is long, into rows from place o on.

    Rows a, b, c, d of Z are the state of each lane's generator, numpy's SFC64.
    """
    n = np.uint64(LANES)
    for w in range(m):
        a, b, c, d = Z[w], Z[w + n], Z[w + np.uint64(2) * n], Z[w + np.uint64(3) * n]
        for j in range(len(count)):
            word = a + b + d
            a = b ^ (b >> np.uint64(11))
            b = c + (c << np.uint64(3))
            c = ((c << np.uint64(24)) | (c >> np.uint64(40))) + word
            d += np.uint64(1)
            X[o + w + at(j)] = unit(word)
        Z[w], Z[w + n], Z[w + np.uint64(2) * n], Z[w + np.uint64(3) * n] = a, b, c, d


@njit(**FAST)
def any_positive(X: Floats, o: np.uint64, m: np.uint64) -> bool:
    """Return whether the row at place o has a positive number."""
    most = 0.0
    for w in range(m):
        most = max(most, X[o + w])
    return most > 0.0
