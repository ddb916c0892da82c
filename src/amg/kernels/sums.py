"""Numbers in kernels: names for types of arrays, and sums that keep their digits.

A billion equal terms, added one by one, drift by 1e-8 of their sum, because each rounding goes the
same way. So terms are added to a recent sum, which is added to a total now and then, without error:
the total takes what fits into a double, and the rest stays in the recent sum.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from amg.kernels import skip_blas

skip_blas()  # before anything is compiled

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

BLOCK = 1 << 10  # terms between two compensations, a power of two: they drift by about 1e-14


def times(a: Floats, b: Floats) -> Floats:
    """Return a @ b, added in a fixed order. BLAS has another on each kind of processor."""
    terms = a.T.reshape(len(b), -1, 1) * b.reshape(len(b), 1, -1)
    return np.add.reduce(terms).reshape(a.shape[:-1] + b.shape[1:])


@njit(cache=True, inline="always")
def two_sum(a: float, b: float) -> tuple[float, float]:
    """Return a + b as a double, and the rounding error: together exactly the same sum (Knuth)."""
    total = a + b
    added = total - a
    return total, (a - (total - added)) + (b - added)
