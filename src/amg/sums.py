"""Sums that keep their digits, however many terms they have.

Added one by one, a billion equal terms drift by 1e-8 of their sum, for the rounding goes the same
way every time. So terms are added to a short sum, which is folded into a long one every now and
then; what rounding would take from the long one stays in the short one and is folded next time.
"""

from __future__ import annotations

from numba import njit

BLOCK = 1 << 10  # terms between two foldings, a power of two: they drift by 1e-14 or so


@njit(cache=True, inline="always")
def fold(long: float, short: float) -> tuple[float, float]:
    """long + short as one double and the rest that does not fit: exactly the same sum (Knuth)."""
    total = long + short
    added = total - long
    return total, (long - (total - added)) + (short - added)
