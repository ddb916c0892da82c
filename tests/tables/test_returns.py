"""Tables of returns against sums by hand."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
from scipy import stats

from amg.game.library import build
from amg.learning.parameters import VLearning
from amg.learning.train import train_run
from amg.results.run import Run
from amg.tables.intervals import Intervals
from amg.tables.returns import (
    blocks,
    late_returns_table,
    restart_table,
    returns_table,
    single_run_table,
)

GAME = build("fishermen")


@pytest.fixture(scope="module")
def runs() -> list[Run]:
    return [train_run(GAME, VLearning(), 5_000, seed, record=5_000) for seed in (1, 2, 3, 4)]


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
    table = returns_table([({"game": "g", "learner": "v"}, runs)], Intervals())
    assert set(table["agent"]) == {"average", *GAME.agents}
    last = table[(table["agent"] == "average")].iloc[-1]
    first = table[(table["agent"] == "average")]["episode"].iloc[-2]
    by_hand = np.mean([run.returns[first:].mean() for run in runs])
    assert last["mean"] == pytest.approx(by_hand, rel=1e-12)
    assert last["low"] <= last["mean"] <= last["high"]


def test_the_end_is_the_last_tenth_of_the_episodes(runs: list[Run]) -> None:
    short = [train_run(GAME, VLearning(), 1_000, seed, record=1_000) for seed in (1, 2, 3, 4, 5)]
    labels = {"game": "g", "learner": "v"}
    table = late_returns_table([(labels, short), (labels, runs)], Intervals())
    assert table["episodes"].tolist() == [1_000] * 3 + [5_000] * 3
    assert table["seeds"].tolist() == [5] * 3 + [4] * 3
    for own, K in ((short, 1_000), (runs, 5_000)):
        late = np.array([run.returns[K - K // 10 :].mean(axis=0) for run in own])  # [seeds, N]
        rows = table[table["episodes"] == K].set_index("agent")
        assert rows.loc["average", "mean"] == pytest.approx(late.mean(), rel=1e-12)
        for i, agent in enumerate(GAME.agents):
            row = rows.loc[agent]
            assert row["mean"] == pytest.approx(late[:, i].mean(), rel=1e-12)
            assert row["low"] < row["mean"] < row["high"]
        by_hand = stats.t.interval(
            0.95, len(own) - 1, late[:, 0].mean(), late[:, 0].std(ddof=1) / np.sqrt(len(own))
        )
        assert tuple(rows.loc[GAME.agents[0], ["low", "high"]]) == pytest.approx(by_hand)


def test_returns_name_the_episodes_of_their_runs(runs: list[Run]) -> None:
    """So that runs of several K are told apart."""
    short = [train_run(GAME, VLearning(), 1_000, seed) for seed in (1, 2)]
    table = returns_table([({"game": "g", "learner": "v"}, own) for own in (short, runs)],
                          Intervals())  # fmt: skip
    last = table.groupby("episodes")["episode"].max()
    assert last.to_dict() == {1_000: 1_000, 5_000: 5_000}


def test_one_run_episode_by_episode(runs: list[Run]) -> None:
    single = single_run_table(runs)
    mine = single[single["agent"] == GAME.agents[1]]
    assert np.array_equal(mine["return"], runs[0].returns[:, 1])


def test_a_stage_begins_like_uniform_play_and_calms_down(runs: list[Run]) -> None:
    table = restart_table(runs, Intervals())
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
    usual, found = (restart_table(some, Intervals()) for some in (runs, scaled))
    np.testing.assert_allclose(found["mean"] / unit, usual["mean"], rtol=1e-9)
