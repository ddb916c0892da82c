"""Tables of stages against the trace and the lemma."""

from __future__ import annotations

import warnings

import pytest

from amg.game.library import build
from amg.game.tabulation import tabulate
from amg.learning.parameters import VLearning
from amg.learning.train import train_run, train_traced
from amg.tables.stages import confidence_table, mechanism_table, signal_table, stage_table

GAME = build("fishermen")


def test_every_stage_of_a_run() -> None:
    stages = stage_table([train_run(GAME, VLearning(), 5_000, seed=1)])
    for _, group in stages.groupby(["step", "state"]):
        assert group["episode"].is_monotonic_increasing
    start = stages[(stages["step"] == 1) & (stages["state"] == "high")]
    assert start["length"].sum() == start["episode"].iloc[-1]  # every episode visits the start


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
    table = confidence_table([train_run(GAME, VLearning(), 300_000, seed=1)])
    wide = table.pivot_table(index=["agent", "episode"], columns="bound", values="value")
    assert (wide["lower"] <= wide["value"] + 1e-9).all()
    assert (wide["value"] <= wide["informed"] + 1e-9).all()
    assert (wide["informed"] <= wide["upper"] + 1e-9).all()
    assert wide["upper"].max() == 36  # two steps of 18
