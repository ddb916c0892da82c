"""The fluctuation coefficient λ of a stage, from the histogram of its aggregates.

Algorithm 2 (coefficient of variation) and Algorithm 3 (mean absolute deviation) read the whole list
D^t(s); only how often each value came matters, so the list is never kept.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

FIXED, CV, MAD = 0, 1, 2
KINDS = {"fixed": FIXED, "cv": CV, "mad": MAD}


@njit(cache=True)
def coefficient_of_variation(
    count: NDArray[np.int64], value: NDArray[np.float64], n: int, mean: float
) -> float:
    """σ / d̄ with σ² = Σ (d − d̄)² / (n − 1) (Algorithm 2, lines 8–9); 0 where nothing varies."""
    squares = 0.0
    for d in range(len(value)):
        squares += count[d] * (value[d] - mean) ** 2
    return math.sqrt(squares / (n - 1)) / mean if squares > 0.0 else 0.0


@njit(cache=True)
def mean_absolute_deviation(
    count: NDArray[np.int64], value: NDArray[np.float64], n: int, mean: float
) -> float:
    """Σ |d − d̄| / n (Algorithm 3, line 8)."""
    distance = 0.0
    for d in range(len(value)):
        distance += count[d] * abs(value[d] - mean)
    return distance / n


@njit(cache=True)
def fluctuation_coefficient(
    kind: int,
    count: NDArray[np.int64],
    value: NDArray[np.float64],
    n: int,
    lambda_min: float,
    limit: float,
    reverse: bool,
) -> float:
    """λ in [λ_min, 1]; `count[d]` of the stage's n aggregates equal `value[d]`.

    `limit` is CV_max or MAD_max. The formula gives λ_min where nothing fluctuates; `reverse` is
    what the algorithms' own comment says, λ = 1 there.
    """
    if kind == FIXED or n < 2:  # Algorithms 2 and 3, lines 3–6
        return 1.0
    mean = 0.0
    for d in range(len(value)):
        mean += count[d] * value[d]
    mean /= n  # line 7
    if kind == CV:
        fluctuation = coefficient_of_variation(count, value, n, mean)
    else:
        fluctuation = mean_absolute_deviation(count, value, n, mean)
    gamma = min(fluctuation / limit, 1.0)
    if reverse:
        gamma = 1.0 - gamma
    return lambda_min + (1.0 - lambda_min) * gamma
