"""The summary of a run: its sums, and its text."""

from __future__ import annotations

import dataclasses

import numpy as np

from amg.game.library import build
from amg.learning.parameters import IndependentQ, VLearning
from amg.learning.train import train_run
from amg.results.evaluate import describe, deviator, summarise


def test_the_mean_return_keeps_its_digits() -> None:
    """A loss of 10^16 that an equal gain makes up for, between returns of 1; by hand 3/5."""
    run = train_run(build("fishermen"), VLearning(), 5, seed=1, record=5)
    returns = np.array([[1.0, 3.0], [1e16, 0.0], [1.0, 0.0], [-1e16, 0.0], [1.0, 0.0]])
    run = dataclasses.replace(run, returns=returns)
    assert summarise(run)["mean_return"] == [0.6, 0.6]


def test_the_summary_is_the_evaluation_of_the_run() -> None:
    run = train_run(build("fishermen"), VLearning(), 1000, seed=1)
    summary, found = summarise(run), run.evaluate()
    for name in ("value", "best_response", "gap", "gap_low", "informed_gap", "mean_gap", "exact",
                 "histories"):  # fmt: skip
        assert summary[name] == getattr(found, name).tolist()
    assert summary["max_gap"] == found.gap.max()


def test_the_text_has_a_row_for_each_agent() -> None:
    game = build("fishermen", {"agents": 3})
    lines = describe(summarise(train_run(game, VLearning(), 200, seed=1))).splitlines()
    header = "mean return  certified value  best response  gap  informed gap  own bound"
    assert [word.strip() for word in lines[2].split("  ") if word.strip()] == [
        "agent",
        *header.split("  "),
    ]
    assert [line.split("  ")[0] for line in lines[3:6]] == list(game.agents)
    assert lines[7].startswith("equilibrium gap (exact; the deviator sees its own actions, the ")
    assert " the sum of the others' efforts), maximum over agents: " in " ".join(lines[7:9])
    assert lines[9].startswith("informed gap (an upper bound for a deviator who sees joint actions")
    assert lines[10].startswith("confidence lemma: ")
    assert all(len(line) < 100 for line in lines[7:])


def test_the_deviator_is_named_by_what_sums_tell() -> None:
    """A sum of one effort is the other's action, if no two of its actions have the same effort."""
    assert deviator(build("fishermen")) == "history"
    assert deviator(build("fishermen", {"agents": 3})) == "sums"
    game = build("fishermen")
    effort = game.effort.copy()
    effort[1, 0, 1] = effort[1, 0, 1, 0]
    assert deviator(dataclasses.replace(game, effort=effort)) == "sums"


def test_gaps_from_initial_states_keep_their_digits_in_any_unit() -> None:
    """Probabilities stand beside them, and decide nothing of their format."""
    summary = summarise(train_run(build("demand_response"), VLearning(), 200, seed=1))
    tiny = {
        state: {agent: 1e-300 * gap for agent, gap in gaps.items()}
        for state, gaps in summary["gap_by_initial_state"].items()
    }
    means = [1e-300 * gap for gap in summary["mean_gap"]]
    text = describe(summary | {"gap_by_initial_state": tiny, "mean_gap": means})
    for gap in (*tiny["hot"].values(), *means):
        assert f"{gap:.6g}" in text
    assert "hot                    0.4 " in text


def test_a_run_without_a_certificate_has_no_bound_of_its_own() -> None:
    text = describe(summarise(train_run(build("fishermen"), IndependentQ(), 200, seed=1), budget=1))
    assert "greedy value" in text
    assert "own bound" not in text
    assert "confidence lemma" not in text
    assert "equilibrium gap (upper bound; the deviator sees the history)" in text
    assert "the tree of histories exceeds the budget" in text
