"""The fluctuation coefficient λ of a stage, from the histogram of its aggregates.

Algorithm 2 (coefficient of variation) and Algorithm 3 (mean absolute deviation) read the whole list
D^t(s). Only how often each value came matters, so the list is never stored.
"""

import math

from numba import njit

from amg.kernels.sums import Floats, Ints

FIXED, CV, MAD = 0, 1, 2
KINDS = {"fixed": FIXED, "cv": CV, "mad": MAD}


@njit(cache=True)
def fluctuation_coefficient(
    kind: int, count: Ints, value: Floats, distinct: bool, lambda_min: float, limit: float,
    reverse: bool,
) -> float:  # fmt: skip
    """Return λ in [λ_min, 1]; `count[d]` of the stage's aggregates equal `value[d]`.

    If D is a set, each counts once (`distinct`). `limit` is CV_max or MAD_max. By the formula
    λ = λ_min where nothing fluctuates; by the comment in the paper's algorithms, which `reverse`
    follows, λ = 1 there.
    """
    n = 0
    for d in range(len(value)):
        if distinct:
            count[d] = min(count[d], 1)
        n += count[d]
    if kind == FIXED or n < 2:  # Algorithms 2 and 3, lines 3–6
        return 1.0
    mean = 0.0
    for d in range(len(value)):
        mean += count[d] * value[d]
    mean /= n  # line 7
    total = 0.0
    if kind == CV:  # Algorithm 2, lines 8–9; 0 where nothing varies
        for d in range(len(value)):
            total += count[d] * (value[d] - mean) ** 2
        fluctuation = math.sqrt(total / (n - 1)) / mean if total > 0.0 else 0.0
    else:  # Algorithm 3, line 8
        for d in range(len(value)):
            total += count[d] * abs(value[d] - mean)
        fluctuation = total / n
    gamma = min(fluctuation / limit, 1.0)
    if reverse:
        gamma = 1.0 - gamma
    return lambda_min + (1.0 - lambda_min) * gamma
