"""Agent i's update reads its own action, reward and state, and the public aggregate: no more."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from amg.game.library import BUILDERS, build
from amg.game.model import Game
from amg.learning.parameters import VLearning
from amg.learning.train import train_traced
from amg.tables import locality
from amg.tables.locality import locality_table, others_paid_otherwise, perturb, replay

SMALL_BONUS = VLearning(stage_rule="real", bonus=0.01)


@pytest.mark.parametrize("name", BUILDERS)
def test_updates_are_local_in_every_game(name: str) -> None:
    game = build(name, {"agents": 4}) if name == "fishermen" else BUILDERS[name]()
    run = train_traced(game, SMALL_BONUS, 150, seed=3)
    assert run.trace is not None
    table = locality_table(run, name)
    assert table["game"].tolist() == [name] * game.N + ["of four"] * 4
    table = table[table["game"] == name]
    assert table["changed"].sum() == table["length_errors"].sum() == 0
    assert table[["policy_error", "v_bar_error"]].max().max() < 1e-12
    assert (table["perturbed"] == 150).all()
    assert len(np.unique(run.trace.vbar)) > 10  # otherwise V̄ was not put to the test
    if name == "fishermen":
        assert (table["regrouped"] > 30).all()


def test_the_perturbation_reaches_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seen from another agent the same perturbation changes everything: the test has power."""
    run = train_traced(build("fishermen", {"agents": 4}), SMALL_BONUS, 60, seed=3)
    same = locality._same
    monkeypatch.setattr(locality, "_same", lambda one, other, i: same(one, other, (i + 1) % 4))
    assert perturb(run, 0)["changed"] == 60


def test_a_change_of_the_own_reward_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    run = train_traced(build("fishermen"), SMALL_BONUS, 60, seed=3)

    def own_too(game: Game, i: int) -> Game:
        return others_paid_otherwise(game, 1 - i)

    monkeypatch.setattr(locality, "others_paid_otherwise", own_too)
    assert perturb(run, 0)["changed"] > 50


def test_a_replay_from_other_data_is_seen() -> None:
    run = train_traced(build("fishermen"), SMALL_BONUS, 100, seed=3)
    assert run.trace is not None
    spoiled = dataclasses.replace(run.trace, reward=run.trace.reward[:, :, ::-1])
    found = replay(dataclasses.replace(run, trace=spoiled), 0)
    assert found["policy_error"] > 1e-3


def test_a_replay_does_not_read_the_others() -> None:
    """The trace with everything else of the others changed gives the same numbers."""
    run = train_traced(build("fishermen", {"agents": 4}), SMALL_BONUS, 100, seed=3)
    assert run.trace is not None
    others = {}
    for name in ("action", "reward", "policy", "vbar"):
        array = getattr(run.trace, name).copy()
        axis = 3 if name == "vbar" else 2
        rolled = np.roll(array, 1, axis=axis)
        index = (slice(None),) * axis + (0,)
        rolled[index] = array[index]
        others[name] = rolled
    spoiled = dataclasses.replace(run, trace=dataclasses.replace(run.trace, **others))
    assert replay(spoiled, 0) == replay(run, 0)


def test_others_are_paid_otherwise() -> None:
    game = build("fishermen")
    other = others_paid_otherwise(game, 0)
    assert np.array_equal(other.reward[:, :, 0], game.reward[:, :, 0])
    assert not np.array_equal(other.reward[:, :, 1], game.reward[:, :, 1])
