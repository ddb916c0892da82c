"""Bootstrap intervals and slopes against plain resampling and least squares."""

from __future__ import annotations

import numpy as np
import pytest

from amg.tables.intervals import Bootstrap, slope


def test_the_interval_of_a_constant_is_the_constant() -> None:
    assert Bootstrap().mean(np.full(20, 32.0)).tolist() == [32.0, 32.0, 32.0]


def test_the_interval_is_that_of_resampled_means() -> None:
    values = np.random.default_rng(1).normal(size=30)
    mean, low, high = Bootstrap(resamples=20_000).mean(values)
    plain = np.random.default_rng(2).choice(values, size=(20_000, 30)).mean(axis=1)
    assert mean == pytest.approx(values.mean())
    assert [low, high] == pytest.approx(np.quantile(plain, [0.025, 0.975]), abs=0.02)


def test_intervals_are_the_same_every_time_and_widen_with_the_level() -> None:
    values = np.random.default_rng(3).normal(size=(12, 4))
    one, again = Bootstrap(seed=7).mean(values), Bootstrap(seed=7).mean(values)
    assert (one == again).all()
    wide = Bootstrap(seed=7, level=0.99).mean(values)
    assert (wide[1] < one[1]).all()
    assert (wide[2] > one[2]).all()
    alone = Bootstrap(seed=7).mean(values[:, 2])
    assert np.array_equal(alone, one[:, 2])


def test_least_squares() -> None:
    x = np.array([0.0, 1.0, 2.0])
    assert slope(x, np.array([1.0, 3.0, 5.0])) == pytest.approx(2.0)
    both = slope(x, np.array([[1.0, 0.0], [3.0, 0.0], [5.0, 3.0]]))
    assert both == pytest.approx([2.0, 1.5])


def test_an_interval_may_end_at_infinity() -> None:
    resampled = np.array([1.0] * 50 + [2.0] * 40 + [np.inf] * 10)
    assert Bootstrap(level=0.9).interval(resampled).tolist() == [1.0, np.inf]
    assert Bootstrap(level=0.5).interval(resampled).tolist() == [1.0, 2.0]
