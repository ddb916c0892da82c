"""Student's t intervals over seeds: of means, and of the exponents of power laws.

Exponents and other functions of several means have intervals by the delta method: the error of a
mean's logarithm is its relative error, a linear function adds up squares, and the degrees of
freedom are those of Welch and Satterthwaite. Nothing here is random. Functions of probability are
written out, because an import of scipy costs every job half a second.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amg.base.text import FEWEST_SEEDS
from amg.kernels.sums import times

Floats = NDArray[np.float64]


class LogMean(NamedTuple):
    """A mean, the standard error of its logarithm, and the degrees of freedom of that error."""

    mean: float
    error: float  # NaN if there are too few seeds to tell
    freedom: float


class Fit(NamedTuple):
    """How well one power law describes several means."""

    chi2: float
    freedom: int
    p_value: float


@dataclass(frozen=True)
class Intervals:
    """Intervals over seeds with this confidence. Too few seeds give ends that are NaN."""

    level: float = 0.95

    def summary(self, values: Floats, share: bool = False) -> dict[str, Any]:
        """Return the columns of a table that describe values over seeds, the first axis."""
        mean, low, high = self.mean(values, share)
        return {"mean": mean, "low": low, "high": high, "seeds": len(values), "level": self.level}

    def mean(self, values: Floats, share: bool = False) -> Floats:
        """Return [3, …]: the mean over the first axis, and the ends of its interval.

        Those of a share are cut to [0, 1].
        """
        mean, error = values.mean(axis=0), standard_error(values)
        reach = quantile(self.level, len(values) - 1) * error if len(values) > 1 else error
        found = np.stack([mean, mean - reach, mean + reach])
        return np.clip(found, 0.0, 1.0) if share else found

    def around(self, one: LogMean) -> Floats:
        """Return a positive mean and the ends of its interval, which is one of its logarithm."""
        factor = math.exp(min(self._reach(one.error, one.freedom), 700.0))
        return np.array([one.mean, one.mean / factor, one.mean * factor])

    def exponent(self, x: ArrayLike, means: Sequence[LogMean]) -> dict[str, float] | None:
        """Return slope, low and high of log mean against log x; None if it cannot be fitted.

        Runs of different x must be independent.
        """
        log_x, y = logs(x), np.array([one.mean for one in means], dtype=float)
        if len(np.unique(log_x)) < 2 or not y.min() > 0:  # a measure that is missing is NaN
            return None
        centred = log_x - log_x.mean()
        reach = self._reach(*combined(centred / (centred**2).sum(), means))
        fitted = float(slope(log_x, logs(y)))
        return {"slope": fitted, "low": fitted - reach, "high": fitted + reach}

    def _reach(self, error: float, freedom: float) -> float:
        """Return half the width of an interval."""
        return quantile(self.level, freedom) * error if error > 0 else error


def standard_error(values: Floats) -> Floats:
    """Return the standard error of the mean over the first axis; exactly 0 for equal values."""
    n = len(values)
    if n < FEWEST_SEEDS:
        return np.full(values.shape[1:], math.nan)
    deviations = values - values.mean(axis=0)
    largest = np.abs(deviations).max(axis=0)
    unit = np.where(largest > 0, largest, 1.0)  # squares may be too large or small for a double
    error = unit * np.sqrt(((deviations / unit) ** 2).sum(axis=0) / (n * (n - 1)))
    return np.where((values == values[0]).all(axis=0), 0.0, error)


def log_mean(values: Floats) -> LogMean:
    """Return the mean of a sample with the error of its logarithm."""
    mean, error = float(values.mean()), float(standard_error(values))
    return LogMean(mean, error / mean if mean > 0 else math.nan, len(values) - 1)


def combined(weights: Iterable[float], means: Sequence[LogMean]) -> tuple[float, float]:
    """Return error and degrees of freedom of a weighted sum of logarithms of independent means."""
    parts = [(float(w) * one.error) ** 2 for w, one in zip(weights, means, strict=True)]
    variance = math.fsum(parts)
    if not variance > 0:
        return variance, math.nan
    shares = [(part / variance) ** 2 / one.freedom
              for part, one in zip(parts, means, strict=True) if part]  # fmt: skip
    return math.sqrt(variance), 1.0 / math.fsum(shares)


def power_law_fit(x: ArrayLike, means: Sequence[LogMean]) -> Fit:
    """Return χ² of log means around the line that fits them best, each with its own error.

    The errors are estimates, so that χ² is a little too large where seeds are few. It is NaN if an
    error is 0 or unknown, or if there are only two means.
    """
    freedom, errors = len(means) - 2, np.array([one.error for one in means])
    if freedom < 1 or not (errors > 0).all():
        return Fit(math.nan, max(freedom, 0), math.nan)
    log_x, y = logs(x), logs([one.mean for one in means])
    weights = (errors.min() / errors) ** 2
    centred = log_x - (weights * log_x).sum() / weights.sum()
    rest = y - (weights * y).sum() / weights.sum()
    rest -= centred * (weights * centred * rest).sum() / (weights * centred**2).sum()
    chi2 = float(((rest / errors) ** 2).sum())
    return Fit(chi2, freedom, chi_squared_tail(chi2, freedom))


def slope(x: Floats, y: Floats) -> Floats:
    """Return the least-squares slope of y [n, …] on x [n]."""
    centred = x - x.mean()
    return times(centred, y) / (centred**2).sum()


def logs(values: ArrayLike) -> Floats:
    """Return logarithms from the C library; those of numpy differ between processors."""
    array = np.asarray(values, dtype=float)
    flat = [math.log(x) if x > 0 else -math.inf for x in array.ravel().tolist()]
    return np.array(flat).reshape(array.shape)


@cache
def quantile(level: float, freedom: float) -> float:
    """Return the t for which Student's law has the probability `level` in [−t, t].

    For at least 3 degrees of freedom and levels up to 0.9999; its series is slow far beyond.
    """
    t = 0.0
    while True:  # the probability is concave in t: Newton's method rises to the root from 0
        probability, density = _student(t, freedom)
        step = (level - probability) / (2.0 * density)
        if not step > 1e-14 * t:
            return t
        t += step


def _student(t: float, freedom: float) -> tuple[float, float]:
    """Return the probability that Student's law has in [−t, t], and its density at t."""
    constant = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)
    log_kernel = -(freedom + 1) / 2 * math.log1p(t * t / freedom)
    density = math.exp(constant + log_kernel) / math.sqrt(math.pi * freedom)
    # 2 t · density · ₂F₁(1, (ν + 1)/2; 3/2; y), whose terms are all positive
    y, k, term, total = t * t / (freedom + t * t), 0, 1.0, 1.0
    while term > 1e-17 * total:
        term *= y * ((freedom + 1) / 2 + k) / (1.5 + k)
        total += term
        k += 1
    return 2.0 * t * density * total, density


def chi_squared_tail(x: float, freedom: int) -> float:
    """Return the probability that χ² with so many degrees of freedom is above x."""
    half = x / 2.0
    if not half > 0:
        return 1.0
    a, tail = (0.5, math.erfc(math.sqrt(half))) if freedom % 2 else (1.0, math.exp(-half))
    while a < freedom / 2.0:  # Q(a + 1, x) = Q(a, x) + xᵃ e⁻ˣ / Γ(a + 1)
        tail += math.exp(a * math.log(half) - half - math.lgamma(a + 1.0))
        a += 1.0
    return min(tail, 1.0)
