"""λ from histograms against Algorithms 2 and 3 on lists, and against the standard library."""

from __future__ import annotations

import math
import statistics
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from amg.learning.fluctuation import CV, FIXED, MAD, fluctuation_coefficient
from amg.learning.literal import fluctuation, fluctuation_cv, fluctuation_mad
from amg.learning.parameters import VLearning

LITERAL = {CV: fluctuation_cv, MAD: fluctuation_mad}
kinds = pytest.mark.parametrize("kind", [CV, MAD], ids=["cv", "mad"])
limits = st.floats(0.01, 10)
lambdas = st.floats(0.51, 1.0)


def from_histogram(
    kind: int, D: list[float], lambda_min: float, limit: float, reverse: bool = False
) -> float:
    """The kernel's λ: the list as counts of its values, among others that never came."""
    value = np.unique([*D, -1.0, 99.0])
    count = np.array([D.count(v) for v in value.tolist()], dtype=np.int64)
    return fluctuation_coefficient(kind, count, value, False, lambda_min, limit, reverse)


def lists(smallest: float) -> st.SearchStrategy[list[float]]:
    values = st.integers(0, 12).map(lambda j: smallest + j / 3)
    return st.lists(values, min_size=2, max_size=60)


@kinds
@settings(deadline=None)  # the first call compiles
@given(D=lists(1.0), lambda_min=lambdas, limit=limits, reverse=st.booleans())
def test_histogram_is_the_list(
    kind: int, D: list[float], lambda_min: float, limit: float, reverse: bool
) -> None:
    got = from_histogram(kind, D, lambda_min, limit, reverse)
    assert got == pytest.approx(LITERAL[kind](D, lambda_min, limit, reverse), rel=1e-13)
    assert lambda_min <= got <= 1.0


@settings(deadline=None)
@given(D=lists(1.0), lambda_min=lambdas, limit=limits)
def test_cv_is_the_standard_librarys(D: list[float], lambda_min: float, limit: float) -> None:
    gamma = min(statistics.stdev(D) / statistics.fmean(D) / limit, 1)
    expected = lambda_min + (1 - lambda_min) * gamma
    assert from_histogram(CV, D, lambda_min, limit) == pytest.approx(expected, rel=1e-12)
    assert fluctuation_cv(D, lambda_min, limit) == pytest.approx(expected, rel=1e-12)


@settings(deadline=None)
@given(D=lists(-2.0), lambda_min=lambdas, limit=limits)
def test_mad_is_the_mean_distance_from_the_mean(
    D: list[float], lambda_min: float, limit: float
) -> None:
    mean = statistics.fmean(D)  # may be zero or negative
    gamma = min(statistics.fmean(abs(d - mean) for d in D) / limit, 1)
    expected = lambda_min + (1 - lambda_min) * gamma
    assert from_histogram(MAD, D, lambda_min, limit) == pytest.approx(expected, rel=1e-12)
    assert fluctuation_mad(D, lambda_min, limit) == pytest.approx(expected, rel=1e-12)


def test_worked_examples() -> None:
    D = [6.0, 8.0, 8.0, 10.0]  # mean 8, Σ(d − 8)² = 8, Σ|d − 8| = 4
    assert from_histogram(CV, D, 0.9, 1.0) == pytest.approx(0.9 + 0.1 * math.sqrt(8 / 3) / 8)
    assert from_histogram(MAD, D, 0.9, 4.0) == pytest.approx(0.9 + 0.1 / 4)
    assert from_histogram(MAD, D, 0.9, 4.0, reverse=True) == pytest.approx(0.9 + 0.1 * 3 / 4)


@kinds
@settings(deadline=None)
@given(D=lists(1.0), lambda_min=lambdas, limit=limits)
def test_the_two_directions_mirror_each_other(
    kind: int, D: list[float], lambda_min: float, limit: float
) -> None:
    both = sum(from_histogram(kind, D, lambda_min, limit, reverse) for reverse in (False, True))
    assert both == pytest.approx(1 + lambda_min, rel=1e-14)


@kinds
@pytest.mark.parametrize("calm", [[2.0] * 5, [0.0] * 5, [1 / 3] * 7], ids=str)
def test_ends_of_the_range(kind: int, calm: list[float]) -> None:
    """Calm lists, of zeros too, have exactly λ_min and exactly 1; wild ones the reverse."""
    for f in (lambda *args: from_histogram(kind, *args), LITERAL[kind]):
        assert f(calm, 0.9, 0.2, False) == pytest.approx(0.9, abs=1e-15)
        assert f(calm, 0.9, 0.2, True) == pytest.approx(1.0, abs=1e-15)
        assert f([0.0, 9.0], 0.9, 0.2, False) == 1.0
        assert f([0.0, 9.0], 0.9, 0.2, True) == 0.9


@kinds
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("D", [[], [3.0]], ids=["none", "one"])
def test_fewer_than_two_say_nothing(kind: int, reverse: bool, D: list[float]) -> None:
    assert from_histogram(kind, D, 0.9, 0.2, reverse) == 1.0
    assert LITERAL[kind](D, 0.9, 0.2, reverse) == 1.0


def test_fixed_is_one_and_names_choose() -> None:
    D = [2.0, 2.0, 3.0, 3.0]
    assert from_histogram(FIXED, D, 0.9, 1.0) == 1.0
    assert fluctuation(VLearning(fluctuation="fixed"))(D) == 1.0
    for direction in ("formula", "comment"):
        reverse = direction == "comment"
        cv = fluctuation(VLearning(fluctuation="cv", cv_max=0.3, direction=direction))
        mad = fluctuation(VLearning(fluctuation="mad", mad_max=0.7, direction=direction))
        assert cv(D) == fluctuation_cv(D, 0.9, 0.3, reverse)
        assert mad(D) == fluctuation_mad(D, 0.9, 0.7, reverse)


@kinds
@settings(deadline=None)
@given(
    count=st.lists(st.integers(0, 10**9), min_size=1, max_size=40),
    unit=st.sampled_from([1.0, 0.1, 1e-140, 1e140]),
    origin=st.integers(0, 1000),
)
def test_a_billion_visits_of_each_aggregate(
    kind: int, count: list[int], unit: float, origin: int
) -> None:
    """Against fractions and fifty digits: long stages, and aggregates in any unit."""
    value = [unit * (origin + d) for d in range(len(count))]
    n = sum(count)
    assume(n >= 2)
    weighed = [(c, Fraction(v)) for c, v in zip(count, value, strict=True)]
    mean = sum(c * v for c, v in weighed) / n
    if kind == CV:
        limit = 100.0
        variance = sum(c * (v - mean) ** 2 for c, v in weighed) / (n - 1)
        spread = root(variance / mean**2) if mean else 0.0
    else:
        limit = 100.0 * unit
        spread = float(sum(c * abs(v - mean) for c, v in weighed) / n)
    found = fluctuation_coefficient(
        kind, np.array(count), np.array(value), False, 0.5, limit, reverse=False
    )
    assert found == pytest.approx(0.5 + 0.5 * min(spread / limit, 1), rel=1e-13)


def root(x: Fraction) -> float:
    with localcontext() as context:
        context.prec = 50
        return float((Decimal(x.numerator) / Decimal(x.denominator)).sqrt())
