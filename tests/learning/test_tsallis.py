"""Newton and the closed form against bracketing and fifty digits, as far as doubles go."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import brentq

from amg.learning.literal import tsallis_inf
from amg.learning.tsallis import centre, newton, two_actions

SOLVERS = ("newton", "closed", "bisection")


def solve(solver: str, q_hat: NDArray[np.float64], eta: float) -> NDArray[np.float64]:
    if solver == "bisection":
        return np.array(tsallis_inf(q_hat.tolist(), eta))
    if solver == "closed":
        worse = two_actions(abs(q_hat[1] - q_hat[0]), eta)
        return np.array([1 - worse, worse] if q_hat[1] >= q_hat[0] else [worse, 1 - worse])
    policy = np.full((1, 1, 1, len(q_hat)), np.nan)
    newton(q_hat.reshape(policy.shape), eta, policy, 0, 0, 0, len(q_hat))
    return policy.ravel()


def losses(n: int, widest: float, cases: int, seed: int) -> Iterator[tuple[np.ndarray, float]]:
    """Estimates Q̂ that spread over up to `widest`, many of them close or equal, and rates η."""
    rng = np.random.default_rng(seed)
    for _ in range(cases):
        spread = np.exp(rng.uniform(math.log(1e-9), math.log(widest)))
        q_hat = spread * rng.random(n) ** rng.integers(1, 9)
        q_hat[rng.random(n) < 0.2] = q_hat[0]
        yield q_hat, 2 / math.sqrt(math.exp(rng.uniform(0, math.log(1e9))))


@pytest.mark.parametrize(("solver", "n", "cases"), [
    ("newton", 1, 100), ("newton", 2, 2000), ("newton", 3, 2000), ("newton", 17, 500),
    ("newton", 1000, 20), ("closed", 2, 4000),
])  # fmt: skip
def test_solvers_agree_with_bisection(solver: str, n: int, cases: int) -> None:
    for q_hat, eta in losses(n, 1e7, cases, seed=n):
        policy = solve(solver, q_hat, eta)
        assert abs(math.fsum(policy) - 1) <= 1e-12
        np.testing.assert_allclose(policy, solve("bisection", q_hat, eta), rtol=2e-12, atol=0)


@pytest.mark.parametrize("n", [2, 5])
def test_bisection_solves_the_printed_equation(n: int) -> None:
    """x by another method, from π(a) = 4 (η (Q̂(a) − x))^-2 and Σ π = 1 without any shift."""
    for q_hat, eta in losses(n, 1e3, 300, seed=n):
        ends = q_hat.min() - 2 / eta * math.sqrt(n) * 1.01, q_hat.min() - 2 / eta * 0.99
        x = brentq(lambda x: (4 * (eta * (q_hat - x)) ** -2.0).sum() - 1, *ends, xtol=1e-14)  # noqa: B023
        expected = 4 * (eta * (q_hat - x)) ** -2.0
        np.testing.assert_allclose(solve("bisection", q_hat, eta), expected, rtol=1e-10)


@pytest.mark.parametrize(("solver", "n", "cases"), [
    ("newton", 2, 1000), ("newton", 5, 1000), ("newton", 1000, 20), ("closed", 2, 2000),
])  # fmt: skip
def test_extreme_gaps_leave_a_policy(solver: str, n: int, cases: int) -> None:
    for q_hat, eta in losses(n, 1e160, cases, seed=n):
        policy = solve(solver, q_hat, eta)
        assert np.isfinite(policy).all()
        assert (policy > 0).all()
        assert abs(math.fsum(policy) - 1) <= 1e-12
        assert (1 / policy < 1e301).all()  # what line 10 divides by


@pytest.mark.parametrize("solver", ["newton", "closed"])
@pytest.mark.parametrize("gap", [0.0, 5e-324, 1e-300, 1e-9, 1.0, 1e8, 1e150, 1e160])
@pytest.mark.parametrize("eta", [2.0, 1e-6])
def test_two_actions_at_the_ends(solver: str, gap: float, eta: float) -> None:
    policy = solve(solver, np.array([gap, 0.0]), eta)
    mirrored = solve(solver, np.array([0.0, gap]), eta)[::-1]
    np.testing.assert_allclose(policy, mirrored, rtol=1e-15, atol=0)
    u = min(eta * gap / 2, 1e150)
    if u < 1e-8:  # the first order around 1/2
        assert policy[0] == pytest.approx(0.5 - u / 2**1.5, abs=1e-15)
    if u > 1e8:  # y = 1: π of the worse is u^-2, up to 2/u
        assert policy[0] == pytest.approx(u**-2.0, rel=3e-8)
    assert 0 < policy[0] <= 0.5 + 1e-15
    assert policy[0] + policy[1] == pytest.approx(1, abs=1e-15)


@pytest.mark.parametrize("solver", ["newton", "closed"])
def test_a_wider_gap_never_raises_the_worse_action(solver: str) -> None:
    gaps = np.concatenate([[0.0], np.geomspace(1e-12, 1e12, 4001)])
    worse = np.array([solve(solver, np.array([0.0, gap]), 0.7)[1] for gap in gaps])
    assert (np.diff(worse) <= 1e-16).all()
    assert (np.diff(worse[gaps > 1e-6]) < 0).all()
    assert worse[0] == pytest.approx(0.5, abs=1e-15)


@pytest.mark.parametrize("solver", SOLVERS)
def test_better_estimates_get_more(solver: str) -> None:
    for q_hat, eta in losses(2 if solver == "closed" else 6, 1e3, 300, seed=4):
        policy = solve(solver, q_hat, eta)
        assert (np.diff(policy[np.argsort(q_hat)]) <= 1e-15).all()


@pytest.mark.parametrize("solver", SOLVERS)
def test_only_differences_of_estimates_count(solver: str) -> None:
    q_hat = np.array([0.25, 1.5])
    np.testing.assert_array_equal(solve(solver, q_hat, 0.5), solve(solver, q_hat + 1024, 0.5))
    np.testing.assert_allclose(solve(solver, q_hat, 0.5), solve(solver, q_hat * 8, 1 / 16), 1e-15)


def test_newton_leaves_other_places_alone() -> None:
    rng = np.random.default_rng(0)
    q_hat, policy = rng.random((2, 3, 2, 4)), np.full((2, 3, 2, 4), -1.0)
    newton(q_hat, 1.0, policy, 1, 2, 0, 3)
    assert (policy >= 0).sum() == 3
    np.testing.assert_allclose(policy[1, 2, 0, :3], tsallis_inf(q_hat[1, 2, 0, :3], 1.0), 1e-13)


# --- against fifty digits -------------------------------------------------------------------------


def with_fifty_digits(q_hat: Sequence[float], eta: float) -> list[Decimal]:
    """π(a) = 4 (η (Q̂(a) − x))^-2 with Σ π = 1: Newton's method from below, in decimals."""
    with localcontext() as context:
        context.prec = 50
        best = Decimal(min(q_hat))
        u = [Decimal(eta) * (Decimal(q) - best) / 2 for q in q_hat]
        y, step = Decimal(1), Decimal(1)
        while abs(step) > y * Decimal("1e-40"):
            roots = [1 / (y + gap) for gap in u]
            step = (sum(r * r for r in roots) - 1) / sum(2 * r * r * r for r in roots)
            y += step
        return [1 / (y + gap) ** 2 for gap in u]


def assert_right(solver: str, q_hat: Sequence[float], eta: float) -> None:
    policy = solve(solver, np.array(q_hat), eta)
    assert np.isfinite(policy).all()
    assert (policy > 0).all()
    assert abs(math.fsum(policy) - 1) <= 1e-12
    for got, exact in zip(policy.tolist(), with_fifty_digits(q_hat, eta), strict=True):
        assert abs(Decimal(got) / exact - 1) < Decimal("1e-12")


estimates = st.floats(0, 1e12)
rates = st.floats(0, 10).map(lambda decades: 2 / math.sqrt(10**decades))  # up to 10^10 visits


@settings(max_examples=200, deadline=None)
@given(q_hat=st.lists(estimates, min_size=1, max_size=8), eta=rates)
def test_few_actions_are_right_to_the_digit(q_hat: list[float], eta: float) -> None:
    for solver in ("newton", "closed") if len(q_hat) == 2 else ("newton",):
        assert_right(solver, q_hat, eta)


@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(1, 1000),
    seed=st.integers(0, 2**32 - 1),
    least=st.floats(-12, 12),
    equal=st.floats(0, 1),
    eta=rates,
)
def test_up_to_a_thousand_actions_are_right_to_the_digit(
    n: int, seed: int, least: float, equal: float, eta: float
) -> None:
    """Estimates of all sizes between 10^least and 10^12, a share of them equal."""
    rng = np.random.default_rng(seed)
    q_hat = 10 ** rng.uniform(least, 12, n)
    q_hat[rng.random(n) < equal] = q_hat[0]
    assert_right("newton", q_hat.tolist(), eta)


@given(q_hat=st.lists(estimates, min_size=1, max_size=8), eta=rates)
def test_centring_leaves_the_policy(q_hat: list[float], eta: float) -> None:
    """Up to the rounding of differences, of which the largest lose most."""
    n = len(q_hat)
    table = np.full((2, 2, 2, n + 1), -1.0)
    table[1, 0, 1, :n] = q_hat
    centre(table, 1, 0, 1, n)
    centred = table[1, 0, 1, :n]
    assert centred.min() == 0
    assert (np.delete(table.reshape(8, -1), 5, axis=0) == -1).all()
    assert table[1, 0, 1, n] == -1
    before, after = (solve("newton", np.array(q), eta) for q in (q_hat, centred))
    np.testing.assert_allclose(after, before, rtol=1e-14, atol=0)
