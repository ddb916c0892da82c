"""Bootstrap intervals over seeds: of means, and of the exponents of power laws."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amg.kernels.sums import times


@dataclass(frozen=True)
class Bootstrap:
    """Percentile bootstrap of means over seeds, from a fixed generator."""

    level: float = 0.95
    resamples: int = 10_000
    seed: int = 0

    def summary(self, values: NDArray[np.float64]) -> dict[str, Any]:
        """Return the columns of a table that describe values over seeds, the first axis."""
        mean, low, high = self.mean(values)
        return {"mean": mean, "low": low, "high": high, "seeds": len(values), "level": self.level}

    def mean(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return [3, …]: the mean over the first axis, and the ends of its interval."""
        low, high = self.interval(self.means(values))
        return np.stack([values.mean(axis=0), low, high])

    def means(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return [resamples, …]: the mean of each resample, as weights times values."""
        n = len(values)
        counts = _counts(self.resamples, self.seed, n)
        sums = [times(column, counts) for column in values.reshape(n, -1).T]
        return np.stack(sums, axis=1).reshape(self.resamples, *values.shape[1:]) / n

    def interval(self, resampled: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return [2, …]: the interval of a statistic from its values on the resamples."""
        tail = (1.0 - self.level) / 2.0
        # there is no value halfway between a number and ∞: take one of the two
        method: Literal["linear", "inverted_cdf"] = (
            "linear" if np.isfinite(resampled).all() else "inverted_cdf"
        )
        return np.quantile(resampled, [tail, 1.0 - tail], axis=0, method=method)

    def exponent(
        self, x: ArrayLike, samples: Sequence[NDArray[np.float64]]
    ) -> dict[str, float] | None:
        """Return slope, low and high of log mean against log x; None if it cannot be fitted.

        Each x has a sample, its values over seeds. A resample draws seeds for each x on its own,
        because runs of different x are independent.
        """
        log_x, means = logs(x), np.array([sample.mean() for sample in samples])
        if len(np.unique(log_x)) < 2 or not means.min() > 0:  # a measure that is missing is NaN
            return None
        # all x use the same draws; rolling them pairs unrelated resamples
        resampled = np.stack([np.roll(self.means(v), shift) for shift, v in enumerate(samples)])
        valid = (resampled > 0).all(axis=0)
        low, high = self.interval(slope(log_x, logs(resampled[:, valid])))
        fitted = slope(log_x, logs(means))
        return {"slope": float(fitted), "low": float(low), "high": float(high)}


def slope(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the least-squares slope of y [n, …] on x [n]."""
    centred = x - x.mean()
    return times(centred, y) / (centred**2).sum()


def logs(values: ArrayLike) -> NDArray[np.float64]:
    """Return logarithms from the C library; those of numpy differ between processors."""
    array = np.asarray(values, dtype=float)
    flat = [math.log(x) if x > 0 else -math.inf for x in array.ravel().tolist()]
    return np.array(flat).reshape(array.shape)


@cache
def _counts(resamples: int, seed: int, n: int) -> NDArray[np.float64]:
    """Return [n, resamples]: how often each resample draws each of n seeds."""
    draws = np.random.default_rng([seed, n]).integers(n, size=(resamples, n))
    counts = np.zeros((n, resamples))
    np.add.at(counts, (draws, np.arange(resamples)[:, None]), 1.0)
    return counts
