"""Newton and the closed form against bracketing, as far as doubles go."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import brentq

from amg.learning.literal import tsallis_inf
from amg.learning.tsallis import newton, two_actions

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
