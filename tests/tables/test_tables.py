"""Tables of runs against sums by hand."""

from __future__ import annotations

import dataclasses
import io
import itertools
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from amg.base.errors import FileError
from amg.game.library import build
from amg.game.tabulation import tabulate
from amg.learning.parameters import IndependentQ, VLearning
from amg.learning.tracing import train_traced
from amg.learning.train import train_run
from amg.results.run import Run
from amg.study.account import timing_page, timing_table, work_seconds
from amg.tables.games import reference_table
from amg.tables.gaps import exploration_table
from amg.tables.intervals import Bootstrap
from amg.tables.runs import (
    blocks,
    confidence_table,
    coverage_table,
    mechanism_table,
    restart_table,
    returns_table,
    signal_table,
    single_run_table,
    stage_table,
)
from amg.tables.tidy import evaluate_groups, read_table, write_table

GAME = build("fishermen")


@pytest.fixture(scope="module")
def runs() -> list[Run]:
    return [train_run(GAME, VLearning(), 5_000, seed, record=5_000) for seed in (1, 2, 3)]


def test_blocks_are_means_of_episodes(runs: list[Run]) -> None:
    episode, means = blocks(runs[0], 7)
    assert episode[-1] == 5_000
    edges = [0, *episode.tolist()]
    by_hand = [runs[0].returns[a:b].mean(axis=0) for a, b in itertools.pairwise(edges)]
    assert np.allclose(means, by_hand, rtol=1e-12)


def test_blocks_of_a_run_that_kept_only_blocks() -> None:
    coarse = train_run(GAME, VLearning(), 5_000, 1, record=100)
    episode, means = blocks(coarse, 10)
    assert set(episode) <= set(coarse.returns_edge)
    fine = train_run(GAME, VLearning(), 5_000, 1, record=5_000)
    edges = [0, *episode.tolist()]
    by_hand = [fine.returns[a:b].mean(axis=0) for a, b in itertools.pairwise(edges)]
    assert np.allclose(means, by_hand, rtol=1e-12)


def test_blocks_keep_their_digits_whatever_came_before(runs: list[Run]) -> None:
    """Early returns of 10^12 and later ones of 0.1; and a hundred thousand that are the same."""
    K = 100_000
    for early, close in ((1e12, 1e-13), (0.1, 1e-13)):
        returns = np.full((K, 2), 0.1)
        returns[:1000] = early
        run = dataclasses.replace(runs[0], episodes=K, returns=returns, certificate=None,
                                  policy=GAME.uniform_policy(), algorithm="independent_q",
                                  returns_edge=np.arange(K + 1))  # fmt: skip
        episode, means = blocks(run, 200)
        assert episode.tolist() == list(range(500, K + 1, 500))
        assert means[:2] == pytest.approx(early, rel=close)
        assert means[2:] == pytest.approx(0.1, rel=close)


def test_returns_over_seeds(runs: list[Run]) -> None:
    table = returns_table([({"game": "g", "learner": "v"}, runs)], Bootstrap(resamples=200))
    assert set(table["agent"]) == {"average", *GAME.agents}
    last = table[(table["agent"] == "average")].iloc[-1]
    first = table[(table["agent"] == "average")]["episode"].iloc[-2]
    by_hand = np.mean([run.returns[first:].mean() for run in runs])
    assert last["mean"] == pytest.approx(by_hand, rel=1e-12)
    assert last["low"] <= last["mean"] <= last["high"]


def test_one_run_and_its_stages(runs: list[Run]) -> None:
    single = single_run_table(runs[0])
    mine = single[single["agent"] == GAME.agents[1]]
    assert np.array_equal(mine["return"], runs[0].returns[:, 1])
    stages = stage_table(runs[0])
    for _, group in stages.groupby(["step", "state"]):
        assert group["episode"].is_monotonic_increasing
    start = stages[(stages["step"] == 1) & (stages["state"] == "high")]
    assert start["length"].sum() == start["episode"].iloc[-1]  # every episode visits the start


def test_a_stage_begins_like_uniform_play_and_calms_down(runs: list[Run]) -> None:
    table = restart_table(runs, Bootstrap(resamples=200))
    for measure, group in table.groupby("measure"):
        assert group["mean"].iloc[0] > group["mean"].iloc[-5:].mean(), measure


@pytest.mark.parametrize("unit", [1e-300, 1e198])
def test_the_spread_within_a_stage_in_any_unit(unit: float, runs: list[Run]) -> None:
    """Squares of such pay would leave the doubles."""
    low, high = GAME.reward_range
    game = dataclasses.replace(
        GAME, reward=unit * GAME.reward, reward_range=(unit * low, unit * high)
    )
    scaled = [dataclasses.replace(run, game=game, returns=unit * run.returns) for run in runs]
    usual, found = (restart_table(some, Bootstrap(resamples=200)) for some in (runs, scaled))
    np.testing.assert_allclose(found["mean"] / unit, usual["mean"], rtol=1e-9)


def test_the_mechanism_is_that_of_the_trace() -> None:
    run = train_traced(GAME, VLearning(), 400, seed=1)
    signal, stages = signal_table(run), mechanism_table(run)
    assert len(signal) == 400  # every episode starts in the same state
    counted = signal.groupby("stage").size()
    for row in stages.itertuples():
        assert counted[row.stage] == row.length
        inside = signal[signal["stage"] == row.stage]["aggregate"]
        cv = inside.std() / inside.mean()
        assert row.coefficient == pytest.approx(0.9 + 0.1 * min(cv / 0.2, 1.0))


def test_idle_agents_do_not_fluctuate() -> None:
    """Aggregates of 0: a CV of 0, not 0/0; and a run too short for a stage has an empty table."""
    idle = tabulate(
        name="idle",
        agents=["one"],
        states=[["only"]],
        efforts=lambda t, s, i: {"rest": 0},
        reward=lambda t, s, i, action, others: 1,
        transition=lambda t, s, total: {},
        initial={"only": 1},
        reward_range=(0, 1),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = mechanism_table(train_traced(idle, VLearning(), 20, seed=1))
    assert table["cv"].isna().tolist() == [True] + [False] * (len(table) - 1)  # one visit
    assert (table["cv"][1:] == 0).all()
    none = mechanism_table(train_traced(GAME, VLearning(), 1, seed=1))
    assert none.empty
    assert none.columns.tolist() == table.columns.tolist()


def test_confidence_bounds_enclose_the_values() -> None:
    table = confidence_table(train_run(GAME, VLearning(), 300_000, seed=1))
    wide = table.pivot_table(index=["agent", "episode"], columns="bound", values="value")
    assert (wide["lower"] <= wide["value"] + 1e-9).all()
    assert (wide["value"] <= wide["informed"] + 1e-9).all()
    assert (wide["informed"] <= wide["upper"] + 1e-9).all()
    assert wide["upper"].max() == 36  # two steps of 18


def test_evaluations_and_what_is_made_of_them(runs: list[Run], tmp_path: Path) -> None:
    greedy = train_run(GAME, IndependentQ(), 5_000, seed=1)
    paths = []
    for j, run in enumerate([*runs, greedy]):
        paths.append(tmp_path / f"{j}.npz")
        run.save(paths[-1])
    labels = {"experiment": "e", "game": "fishermen", "learner": "v", "epsilon": 0.1}
    table = evaluate_groups([(labels, 3), (labels, 1)], paths, io.StringIO())
    assert table["seed"].tolist() == [1, 2, 3, 1]
    assert table["max_gap"].iloc[-1] == 0.0  # everyone plays the dominant action, to the last bit
    assert table["max_own_bound"].isna().tolist() == [False, False, False, True]
    coverage = coverage_table(table)
    assert coverage["runs"].tolist() == [3]
    assert 0 <= coverage["upper"].iloc[0] <= 1
    explored = exploration_table(table, ["epsilon"], Bootstrap(resamples=200))
    gap = explored[explored["measure"] == "max_gap"].iloc[0]
    assert gap["mean"] == pytest.approx(table["max_gap"].mean())


def test_references_hold_the_designs_values() -> None:
    table = reference_table({"fishermen": GAME})
    average = table[table["agent"] == "average"].set_index("reference")["value"]
    assert average["uniform play"] == pytest.approx(19 + 19 / 30, abs=1e-12)
    assert average["team optimum"] == pytest.approx(62 / 3, abs=1e-12)
    assert average["every CCE"] == pytest.approx(19.2, abs=1e-9)


def test_tables_read_back_to_the_same_bits(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": np.random.default_rng(1).random(1000), "name": ["ε"] * 1000})
    write_table(frame, tmp_path / "t.csv")
    assert read_table(tmp_path / "t.csv", ["x"]).equals(frame)
    with pytest.raises(FileError, match="lacks the columns y"):
        read_table(tmp_path / "t.csv", ["y"])
    with pytest.raises(FileError, match=r"missing\.csv"):
        read_table(tmp_path / "missing.csv")


def test_timing_adds_up(tmp_path: Path) -> None:
    for name, seconds, work in (("train/a/b", 5.0, 4.0), ("figure/c", 2.0, 0.5)):
        for suffix, text in (
            ("tsv", f"s\th:m:s\tmax_rss\tcpu_time\n{seconds}\t0:00:05\t100.5\t4.0\n"),
            ("log", f"something\nwork: {work:.3f} s\n"),
        ):
            path = tmp_path / f"{name}.{suffix}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    table = timing_table(["train/a/b", "figure/c", "figure/absent"], tmp_path, tmp_path)
    assert table["kind"].tolist() == ["train", "figure"]
    assert table["startup"].tolist() == pytest.approx([1.0, 1.5])
    assert "7.0" in timing_page(table)
    (tmp_path / "old.log").write_text("of an older version\n")
    with pytest.raises(ValueError, match="of an older version"):
        work_seconds(tmp_path / "old.log")
