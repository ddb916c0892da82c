"""Bootstrap intervals over seeds, computed once and the same for everyone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Bootstrap:
    """Percentile bootstrap of means over seeds, from a fixed generator."""

    level: float = 0.95
    resamples: int = 10_000
    seed: int = 0

    def mean(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """[3, …] mean over the first axis, and the ends of its interval."""
        low, high = self.interval(self.means(values))
        return np.stack([values.mean(axis=0), low, high])

    def means(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """[resamples, …] the mean of each resample, as weights times values."""
        n = len(values)
        taken = _taken(self.resamples, self.seed, n)
        return np.einsum("rn,n...->r...", taken, values) / n  # not BLAS: the same bits on any cores

    def interval(self, resampled: NDArray[np.float64]) -> NDArray[np.float64]:
        """[2, …] the interval of a statistic from its values on the resamples."""
        tail = (1.0 - self.level) / 2.0
        # between a number and ∞ there is nothing in the middle: take one of the values
        method: Literal["linear", "inverted_cdf"] = (
            "linear" if np.isfinite(resampled).all() else "inverted_cdf"
        )
        return np.quantile(resampled, [tail, 1.0 - tail], axis=0, method=method)


@cache
def _taken(resamples: int, seed: int, n: int) -> NDArray[np.float64]:
    """[resamples, n] how often each resample takes each seed; a function of n alone."""
    draws = np.random.default_rng([seed, n]).integers(n, size=(resamples, n))
    taken = np.zeros((resamples, n))
    np.add.at(taken, (np.arange(resamples)[:, None], draws), 1.0)
    return taken
