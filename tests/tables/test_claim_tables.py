"""The small tables that claims are judged from: growth, agents, payoffs."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from amg.game.library import build
from amg.learning.parameters import VLearning
from amg.learning.train import train_run
from amg.tables.games import payoff_table
from amg.tables.gaps import agent_slopes_table, agents_table, growth, growth_table
from amg.tables.intervals import Bootstrap

BOOTSTRAP = Bootstrap(resamples=200)


def test_payoffs_are_the_papers() -> None:
    table = payoff_table({"two": build("fishermen"), "three": build("fishermen", {"agents": 3})})
    assert set(table["game"]) == {"two"}
    pays = table[table["step"] == 1].set_index(["state", "action 1", "action 2"])
    assert pays.loc[("high", "intensive", "mild"), ["pay 1", "pay 2"]].tolist() == [18, 3]
    assert pays.loc[("low", "mild", "intensive"), ["pay 1", "pay 2"]].tolist() == [2, 17]


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
    runs = [train_run(build("fishermen"), VLearning(), 500, seed=seed) for seed in (1, 2, 3)]
    labels = {"experiment": "e", "game": "g", "learner": "v"}
    table = growth_table([(labels, runs)], BOOTSTRAP)
    assert (table["low"] <= table["mean"]).all()
    assert set(table["stage_rule"]) == {"floor"}
    assert growth_table([], BOOTSTRAP).empty


def test_slopes_in_the_number_of_agents() -> None:
    """Gaps of 0.1 reward ranges whatever N: no slope in these, the slope of the range in raw."""
    games = {f"f{n}": build("fishermen", {"agents": n}) for n in (2, 4, 8)}
    evaluations = pd.DataFrame(
        [{"game": name, "learner": "v", "episodes": 1000, "max_gap": 0.1 * game.scale}
         for name, game in games.items() for _ in range(3)]
    )  # fmt: skip
    table = agents_table(evaluations, games, BOOTSTRAP)
    assert table[table["measure"] == "gap in reward ranges"]["mean"].tolist() == pytest.approx(
        [0.1] * 3
    )
    slopes = agent_slopes_table(evaluations, games, BOOTSTRAP, p=0.05).set_index("measure")
    assert slopes.loc["gap in reward ranges", "slope"] == pytest.approx(0, abs=1e-12)
    ranges = np.log([game.scale for game in games.values()])
    assert slopes.loc["gap", "slope"] == pytest.approx(np.polyfit(np.log([2, 4, 8]), ranges, 1)[0])
    assert 0 < slopes.loc["gap", "theorem"] < 0.1


@pytest.mark.parametrize("unit", [1e-300, 1e12, 1e199])
def test_slopes_do_not_depend_on_the_unit_of_pay(unit: float) -> None:
    """Also where gaps are below 1e-300, and resamples with a gap of 0 have no slope."""
    games = {f"f{n}": build("fishermen", {"agents": n}) for n in (2, 4, 8)}
    gaps = np.random.default_rng(1).uniform(0, 0.1, (3, 4))
    gaps[:, 0] = 0.0
    low, high = [], []
    for scale in (1.0, unit):
        evaluations = pd.DataFrame(
            [{"game": name, "learner": "v", "episodes": 1000, "max_gap": scale * gap}
             for name, values in zip(games, gaps, strict=True) for gap in values]
        )  # fmt: skip
        slopes = agent_slopes_table(evaluations, games, BOOTSTRAP, p=0.05).set_index("measure")
        low.append(slopes.loc["gap", "low"])
        high.append(slopes.loc["gap", "high"])
    assert low[1] == pytest.approx(low[0], rel=1e-9)
    assert high[1] == pytest.approx(high[0], rel=1e-9)
    assert high[0] - low[0] < 10


def test_no_experiment_is_an_empty_table() -> None:
    assert agents_table(pd.DataFrame(), {}, BOOTSTRAP).empty
    assert agent_slopes_table(pd.DataFrame(), {}, BOOTSTRAP, p=0.05).empty
    one = pd.DataFrame([{"game": "f", "learner": "v", "episodes": 9, "max_gap": 1.0}])
    assert agent_slopes_table(one, {"f": build("fishermen")}, BOOTSTRAP, p=0.05).empty
