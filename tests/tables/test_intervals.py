"""Student's t intervals: against scipy, and how often they cover the truth on known laws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from amg.tables.intervals import (
    Intervals,
    LogMean,
    chi_squared_tail,
    combined,
    log_mean,
    power_law_fit,
    quantile,
    slope,
)

REPETITIONS = 4000  # so that a share of 0.95 has a standard error of 0.0034
SIZES = (5, 10, 20)


@pytest.mark.parametrize("freedom", [3, 3.3, 4, 9, 19, 57.3, 1000])
@pytest.mark.parametrize("level", [0.1, 0.5, 0.9, 0.95, 0.99])
def test_quantiles_of_student(level: float, freedom: float) -> None:
    assert quantile(level, freedom) == pytest.approx(
        stats.t.ppf((1 + level) / 2, freedom), rel=1e-10
    )


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 7])
def test_tails_of_chi_squared(freedom: int) -> None:
    for x in (0.0, 0.1, 1.0, 5.0, 73.0, 148.0):
        assert chi_squared_tail(x, freedom) == pytest.approx(stats.chi2.sf(x, freedom), rel=1e-10)


def test_the_interval_of_a_mean_is_that_of_student() -> None:
    values = np.random.default_rng(1).normal(size=(12, 4))
    mean, low, high = Intervals(0.9).mean(values)
    expected = stats.t.interval(0.9, 11, values.mean(axis=0), stats.sem(values))
    assert mean == pytest.approx(values.mean(axis=0))
    assert low == pytest.approx(expected[0])
    assert high == pytest.approx(expected[1])
    assert Intervals(0.9).mean(values[:, 2]).tolist() == [mean[2], low[2], high[2]]


@pytest.mark.parametrize("unit", [1e-300, 1.0, 1e300])
def test_intervals_do_not_depend_on_the_unit(unit: float) -> None:
    values = np.array([1.0, 2.0, 4.0, 5.0])
    assert Intervals().mean(unit * values) / unit == pytest.approx(Intervals().mean(values))


def test_the_interval_of_equal_values_is_the_point() -> None:
    assert Intervals().mean(np.full(20, 32.0)).tolist() == [32.0, 32.0, 32.0]
    mean, low, high = Intervals().mean(np.full(20, 0.1))  # whose mean has a rounding error
    assert low == mean == high


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_seeds_have_no_interval(n: int) -> None:
    mean, low, high = Intervals().mean(np.arange(n) + 1.0)
    assert mean == (n + 1) / 2
    assert math.isnan(low)
    assert math.isnan(high)
    fit = Intervals().exponent([1, 10], [log_mean(np.arange(n) + 1.0)] * 2)
    assert fit is not None
    assert fit["slope"] == 0.0
    assert math.isnan(fit["low"])


def edgeworth(skewness: float, excess: float, n: int) -> float:
    """Coverage of the 95 % t interval of a mean, to first order in 1/n (Hall 1988)."""
    x = 1.959964
    q = x * (excess * (x**2 - 3) / 12 - skewness**2 * (x**4 + 2 * x**2 - 3) / 18)
    return 0.95 + 2 * stats.norm.pdf(x) * q / n


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize(("law", "skewness", "excess"), [
    ("normal", 0.0, 0.0), ("gamma", 1.0, 1.5), ("exponential", 2.0, 6.0),
])  # fmt: skip
def test_intervals_of_means_cover(law: str, skewness: float, excess: float, n: int) -> None:
    """Fixed from theory: exact for the normal law, first order in 1/n for skewed ones."""
    rng, size = np.random.default_rng([1, n]), (n, REPETITIONS)
    values, truth = {
        "normal": (rng.normal(size=size), 0.0),
        "gamma": (rng.gamma(4.0, size=size), 4.0),
        "exponential": (rng.exponential(size=size), 1.0),
    }[law]
    _, low, high = Intervals().mean(values)
    share = np.mean((low <= truth) & (truth <= high))
    print(f"{law}, {n} seeds: {share:.3f}")
    assert edgeworth(skewness, excess, n) - 0.015 <= share <= 0.97
    assert share >= {"normal": 0.93, "gamma": 0.90}.get(law, 0.0)


@pytest.mark.parametrize("n", SIZES)
def test_intervals_of_exponents_cover(n: int) -> None:
    """Gaps that follow K^−1/2 with skewed noise, whose spread is another one at each K."""
    K, shape = np.array([1e5, 3e5, 1e6, 3e6, 1e7]), np.array([8.0, 12.0, 16.0, 20.0, 24.0])
    rng = np.random.default_rng([2, n])
    gaps = K**-0.5 * rng.gamma(shape, 1 / shape, (REPETITIONS // 2, n, len(K)))
    fits = [Intervals().exponent(K, [log_mean(x) for x in runs.T]) for runs in gaps]
    covered = [fit is not None and fit["low"] <= -0.5 <= fit["high"] for fit in fits]
    print(f"exponent, {n} seeds: {np.mean(covered):.3f}")
    assert 0.92 <= np.mean(covered) <= 0.98


def test_errors_add_up_as_welch_and_satterthwaite_say() -> None:
    parts = [LogMean(1.0, 0.3, 4), LogMean(1.0, 0.4, 9)]
    error, freedom = combined([1.0, -1.0], parts)
    assert error == pytest.approx(0.5)
    assert freedom == pytest.approx(0.25**2 / (0.09**2 / 4 + 0.16**2 / 9))
    assert combined([1.0], [LogMean(1.0, 0.0, 4)])[0] == 0.0


def test_the_fit_of_a_power_law_is_weighted_least_squares() -> None:
    x, errors = np.array([1.0, 10.0, 100.0, 1000.0]), np.array([0.1, 0.2, 0.3, 0.1])
    y = np.array([1.0, 0.5, -0.4, -0.6])
    means = [LogMean(math.exp(m), e, 9) for m, e in zip(y, errors, strict=True)]
    line = np.polyfit(np.log(x), y, 1, w=1 / errors)
    expected = (((y - np.polyval(line, np.log(x))) / errors) ** 2).sum()
    fit = power_law_fit(x, means)
    assert fit.chi2 == pytest.approx(expected)
    assert fit.freedom == 2
    assert fit.p_value == pytest.approx(stats.chi2.sf(expected, 2))
    assert math.isnan(power_law_fit(x[:2], means[:2]).chi2)


def test_least_squares() -> None:
    x = np.array([0.0, 1.0, 2.0])
    assert slope(x, np.array([1.0, 3.0, 5.0])) == pytest.approx(2.0)
    both = slope(x, np.array([[1.0, 0.0], [3.0, 0.0], [5.0, 3.0]]))
    assert both == pytest.approx([2.0, 1.5])


def test_intervals_of_shares_stay_in_their_range() -> None:
    values = np.array([1.0, 1.0, 1.0, 0.0])
    assert Intervals().mean(values)[2] > 1
    assert Intervals().mean(values, share=True).tolist()[::2] == [0.75, 1.0]
    assert Intervals().mean(1 - values, share=True)[1] == 0.0
