"""Tables of evaluations against closed forms: gaps, slopes, growth, agents, coverage."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from amg.game.library import build
from amg.game.model import iota, rate
from amg.learning.parameters import IndependentQ, VLearning
from amg.learning.train import train_run
from amg.results.evaluate import growth, measures
from amg.tables.gaps import (
    agent_slopes_table,
    agents_table,
    coverage_table,
    exploration_table,
    gap_table,
    growth_table,
    local_slope_table,
    slope_table,
    theory_table,
)
from amg.tables.intervals import Intervals

INTERVALS = Intervals()


def test_fixed_stages_grow_and_the_printed_rule_stalls() -> None:
    game = build("fishermen")
    fixed = growth(train_run(game, VLearning(fluctuation="fixed"), 10_000, seed=1))
    assert fixed["not_grown"] == 0
    assert 1.4 < fixed["ratio"] <= 1.5
    calm = VLearning(cv_max=100.0)  # λ is hardly above λ_min: ⌊0.9 · 3⌋ = 2 for ever
    stalled = growth(train_run(game, calm, 1000, seed=1))
    assert stalled["ratio"] == 1
    assert stalled["not_grown"] == 1
    assert stalled["visits_stuck"] == pytest.approx(1, abs=0.01)
    assert stalled["stuck"] == 500  # stages of the starting state


def test_growth_has_intervals() -> None:
    game = build("fishermen")
    runs = [train_run(game, VLearning(), 500, seed=seed) for seed in (1, 2, 3, 4)]
    labels = {
        "series": "g/v",
        "experiment": "e",
        "game": "g",
        "learner": "v",
        "stage_rule": "floor",
    }
    table = growth_table(
        pd.DataFrame([{**labels, **measures(run)} for run in runs]), {"g": game}, INTERVALS
    )
    assert (table["low"] <= table["mean"]).all()
    assert table["mean"].iloc[0] == pytest.approx(np.mean([growth(run)["ratio"] for run in runs]))
    assert set(table["stage_rule"]) == {"floor"}
    assert (table[["horizon", "agents", "episodes", "seeds"]] == [2, 2, 500, 4]).all().all()


def test_slopes_in_the_number_of_agents() -> None:
    """Gaps of 0.1 reward ranges whatever N: no slope in these, the slope of the range in raw."""
    games = {f"f{n}": build("fishermen", {"agents": n}) for n in (2, 4, 8)}
    evaluations = pd.DataFrame(
        [{"game": name, "learner": "v", "episodes": 1000, "max_gap": 0.1 * game.scale}
         for name, game in games.items() for _ in range(3)]
    )  # fmt: skip
    table = agents_table(evaluations, games, INTERVALS)
    assert table[table["measure"] == "gap in reward ranges"]["mean"].tolist() == pytest.approx(
        [0.1] * 3
    )
    slopes = agent_slopes_table(evaluations, games, INTERVALS, p=0.05).set_index("measure")
    assert slopes.loc["gap in reward ranges", "slope"] == pytest.approx(0, abs=1e-12)
    ranges = np.log([game.scale for game in games.values()])
    assert slopes.loc["gap", "slope"] == pytest.approx(np.polyfit(np.log([2, 4, 8]), ranges, 1)[0])
    assert 0 < slopes.loc["gap", "theorem"] < 0.1


@pytest.mark.parametrize("unit", [1e-300, 1e12, 1e199])
def test_slopes_do_not_depend_on_the_unit_of_pay(unit: float) -> None:
    """Also where gaps are below 1e-300 and single gaps are 0."""
    games = {f"f{n}": build("fishermen", {"agents": n}) for n in (2, 4, 8)}
    gaps = np.random.default_rng(1).uniform(0, 0.1, (3, 4))
    gaps[:, 0] = 0.0
    low, high = [], []
    for scale in (1.0, unit):
        evaluations = pd.DataFrame(
            [{"game": name, "learner": "v", "episodes": 1000, "max_gap": scale * gap}
             for name, values in zip(games, gaps, strict=True) for gap in values]
        )  # fmt: skip
        slopes = agent_slopes_table(evaluations, games, INTERVALS, p=0.05).set_index("measure")
        low.append(slopes.loc["gap", "low"])
        high.append(slopes.loc["gap", "high"])
    assert low[1] == pytest.approx(low[0], rel=1e-9)
    assert high[1] == pytest.approx(high[0], rel=1e-9)
    assert high[0] - low[0] < 10


def test_no_experiment_is_an_empty_table() -> None:
    assert agents_table(pd.DataFrame(), {}, INTERVALS).empty
    assert agent_slopes_table(pd.DataFrame(), {}, INTERVALS, p=0.05).empty
    one = pd.DataFrame([{"game": "f", "learner": "v", "episodes": 9, "max_gap": 1.0}])
    assert agent_slopes_table(one, {"f": build("fishermen")}, INTERVALS, p=0.05).empty


def evaluations(exponent: float, noise: float, seeds: int = 20) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    rows = []
    for K in (1_000, 10_000, 100_000, 1_000_000):
        for seed in range(seeds):
            gap = 5 * K**exponent * (1 + noise * rng.normal())
            rows.append({"game": "fishermen", "learner": "v", "episodes": K, "seed": seed,
                         "max_gap": gap, "max_gap_low": gap, "max_informed_gap": 2 * gap,
                         "max_own_bound": np.nan,
                         "mean_value": 1.0, "mean_return": 1.0})  # fmt: skip
    return pd.DataFrame(rows)


def test_slopes_are_recovered() -> None:
    exact = slope_table(evaluations(-0.5, 0.0), Intervals(), decades=2)
    assert exact["slope"].tolist() == pytest.approx([-0.5, -0.5])
    assert set(exact["measure"]) == {"max_gap", "max_informed_gap"}  # own bound is not there
    assert exact[["from", "to"]].iloc[0].tolist() == [10_000, 1_000_000]
    noisy = slope_table(evaluations(-0.7, 0.2), Intervals(), decades=3).iloc[0]
    assert noisy["low"] < -0.7 < noisy["high"]
    assert noisy["high"] - noisy["low"] < 0.1


def test_local_slopes_and_the_fit_tell_a_power_law_from_a_bend() -> None:
    straight, bent = evaluations(-0.5, 0.2), evaluations(-0.5, 0.2)
    bent.loc[bent["episodes"] == 1_000_000, "max_gap"] *= 0.5
    for frame, last, fits in ((straight, -0.5, True), (bent, -0.5 + np.log10(0.5), False)):
        local = local_slope_table(frame, Intervals())
        local = local[local["measure"] == "max_gap"]
        assert local["from"].tolist() == [1_000, 10_000, 100_000]
        assert local["to"].tolist() == [10_000, 100_000, 1_000_000]
        assert local["slope"].iloc[0] == pytest.approx(-0.5, abs=0.1)
        assert local["low"].iloc[-1] < last < local["high"].iloc[-1]
        row = slope_table(frame, Intervals(), decades=3).iloc[0]
        assert row["freedom"] == 2
        assert (row["p_value"] > 0.01) == fits


def test_a_window_is_ten_times_as_large_up_to_rounding() -> None:
    frame = evaluations(-0.5, 0.1)
    frame["episodes"] = frame["episodes"].replace(
        {10_000: 3162, 100_000: 31_623, 1_000_000: 316_228}
    )
    local = local_slope_table(frame, Intervals())
    windows = local[local["measure"] == "max_gap"][["from", "to"]]
    assert windows.to_numpy().tolist() == [[1000, 31_623], [3162, 31_623], [31_623, 316_228]]


def test_a_gap_of_zero_has_no_slope() -> None:
    frame = evaluations(-0.5, 0.0)
    frame.loc[frame["episodes"] == 1_000_000, "max_gap"] = 0.0
    table = slope_table(frame, Intervals(), decades=2)
    assert "max_gap" not in set(table["measure"])


def test_gap_table_keeps_negative_means() -> None:
    frame = evaluations(-0.5, 0.0)
    frame["max_gap"] = -0.25
    table = gap_table(frame, Intervals())
    assert (table[table["measure"] == "max_gap"]["mean"] == -0.25).all()


def test_the_theorem_in_raw_units() -> None:
    game = build("fishermen")
    gaps = gap_table(evaluations(-0.5, 0.0), Intervals())
    row = theory_table({"fishermen": game}, gaps, p=0.05).iloc[0]
    by_hand = np.sqrt(2 * 2 * 2**5 * np.log(2 * 2 * 2 * 2 * 1000 * 2 / 0.05) / 1000)
    assert iota(game, 1000, 0.05) == pytest.approx(np.log(640_000))
    assert rate(game, 1000, 0.05) == pytest.approx(by_hand)
    assert row["rate"] == pytest.approx(16 * by_hand)
    assert row["constant"] == pytest.approx(5 * 1000**-0.5 / row["rate"])


def test_coverage_and_exploration_are_those_of_the_runs() -> None:
    game = build("fishermen")
    runs = [train_run(game, VLearning(), 5_000, seed) for seed in (1, 2, 3)]
    runs.append(train_run(game, IndependentQ(), 5_000, seed=1))
    labels = {"game": "fishermen", "learner": "v", "epsilon": 0.1}
    table = pd.DataFrame([{**labels, **measures(run)} for run in runs])
    (coverage,) = coverage_table(table).to_dict("records")
    assert coverage["runs"] == 3
    assert coverage["runs_tested"] == coverage["runs_holding"] == 0  # with the printed bonus
    assert np.isnan(coverage["upper"])
    explored = exploration_table(table, ["epsilon"], INTERVALS)
    gap = explored[explored["measure"] == "max_gap"].iloc[0]
    assert gap["mean"] == pytest.approx(table["max_gap"].mean())
