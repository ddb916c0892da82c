"""Bootstrap intervals and slopes against closed forms and plain resampling."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from amg.game.library import build
from amg.game.theory import iota, rate
from amg.tables.gaps import gap_table, slope, slope_table, theory_table
from amg.tables.intervals import Bootstrap


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


def evaluations(exponent: float, noise: float, seeds: int = 20) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    rows = []
    for K in (1_000, 10_000, 100_000, 1_000_000):
        for seed in range(seeds):
            gap = 5 * K**exponent * (1 + noise * rng.normal())
            rows.append({"game": "fishermen", "learner": "v", "episodes": K, "seed": seed,
                         "max_gap": gap, "max_informed_gap": 2 * gap, "max_own_bound": np.nan,
                         "mean_value": 1.0, "mean_return": 1.0})  # fmt: skip
    return pd.DataFrame(rows)


def test_slopes_are_recovered() -> None:
    exact = slope_table(evaluations(-0.5, 0.0), Bootstrap(), decades=2)
    assert exact["slope"].tolist() == pytest.approx([-0.5, -0.5])
    assert set(exact["measure"]) == {"max_gap", "max_informed_gap"}  # own bound is not there
    assert exact[["from", "to"]].iloc[0].tolist() == [10_000, 1_000_000]
    noisy = slope_table(evaluations(-0.7, 0.2), Bootstrap(), decades=3).iloc[0]
    assert noisy["low"] < -0.7 < noisy["high"]
    assert noisy["high"] - noisy["low"] < 0.1


def test_a_gap_of_zero_has_no_slope() -> None:
    frame = evaluations(-0.5, 0.0)
    frame.loc[frame["episodes"] == 1_000_000, "max_gap"] = 0.0
    table = slope_table(frame, Bootstrap(), decades=2)
    assert "max_gap" not in set(table["measure"])


def test_least_squares() -> None:
    x = np.array([0.0, 1.0, 2.0])
    assert slope(x, np.array([1.0, 3.0, 5.0])) == pytest.approx(2.0)
    both = slope(x, np.array([[1.0, 0.0], [3.0, 0.0], [5.0, 3.0]]))
    assert both == pytest.approx([2.0, 1.5])


def test_gap_table_keeps_negative_means() -> None:
    frame = evaluations(-0.5, 0.0)
    frame["max_gap"] = -0.25
    table = gap_table(frame, Bootstrap())
    assert (table[table["measure"] == "max_gap"]["mean"] == -0.25).all()


def test_the_theorem_in_raw_units() -> None:
    game = build("fishermen")
    gaps = gap_table(evaluations(-0.5, 0.0), Bootstrap())
    row = theory_table({"fishermen": game}, gaps, p=0.05).iloc[0]
    by_hand = np.sqrt(2 * 2 * 2**5 * np.log(2 * 2 * 2 * 2 * 1000 * 2 / 0.05) / 1000)
    assert iota(game, 1000, 0.05) == pytest.approx(np.log(640_000))
    assert rate(game, 1000, 0.05) == pytest.approx(by_hand)
    assert row["rate"] == pytest.approx(16 * by_hand)
    assert row["constant"] == pytest.approx(5 * 1000**-0.5 / row["rate"])


def test_an_interval_may_end_at_infinity() -> None:
    resampled = np.array([1.0] * 50 + [2.0] * 40 + [np.inf] * 10)
    assert Bootstrap(level=0.9).interval(resampled).tolist() == [1.0, np.inf]
    assert Bootstrap(level=0.5).interval(resampled).tolist() == [1.0, 2.0]
