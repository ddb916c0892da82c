"""The summary of a run: its sums, and its text."""

from __future__ import annotations

import dataclasses
import re

import numpy as np
import pytest

from amg.game.library import build
from amg.learning.parameters import IndependentQ, VLearning
from amg.learning.train import train_run
from amg.results.describe import WIDTH, describe
from amg.results.evaluate import deviator, summarise, summarise_policy


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
    text = describe(summarise(train_run(game, VLearning(), 200, seed=1)))
    lines, flat = text.splitlines(), " ".join(text.split())
    titles = [re.split("  +", line) for line in lines if line.startswith("agent")]
    assert titles == [
        ["agent", "mean return", "value", "best response", "informed gap", "own bound"],
        ["agent", "gap", "of the range"],
    ]
    first = [re.split("  +", line)[0] for line in lines]
    assert [name for name in first if name in game.agents] == [*game.agents] * 2
    assert flat.startswith("fishermen: certified policy of v_learning, K = 200, seed 1 (")
    total = f"{game.T * game.scale:.6g}"
    assert f"the gap, and its share of the range of an episode's return ({total}): agent" in flat
    assert (
        "equilibrium gap (exact; the deviator sees its own actions, the states and the sum of the "
        "others' efforts), maximum over agents: "
    ) in flat
    assert "informed gap (an upper bound for a deviator who sees joint actions" in flat
    assert "confidence lemma: " in flat


@pytest.mark.parametrize("name", ["fishermen", "inspection", "congestion", "demand_response"])
@pytest.mark.parametrize("learner", [VLearning(), IndependentQ()])
def test_lines_fit_a_terminal_of_80_columns(name: str, learner: VLearning | IndependentQ) -> None:
    for parameters in ({}, {"agents": 4}) if name in ("fishermen", "congestion") else ({},):
        game = build(name, parameters)
        texts = [
            describe(summarise(train_run(game, learner, 200, seed=1), budget=10)),
            describe(summarise_policy(game, {"policy": game.uniform_policy()})),
        ]
        assert max(len(line) for text in texts for line in text.splitlines()) <= WIDTH == 80


def test_the_gap_is_also_a_share_of_the_range_of_a_return() -> None:
    """Uniform play of the fishermen: 7.8 of 2 · (18 − 2)."""
    game = build("fishermen")
    summary = summarise_policy(game, {"policy": game.uniform_policy()})
    assert summary["return_range"] == 32
    assert summary["gap_share"] == pytest.approx([7.8 / 32] * 2, abs=1e-12)
    assert summary["max_gap_share"] == max(summary["gap_share"])
    of_state = dict(zip(game.agents, summary["gap_share"], strict=True))
    assert summary["gap_share_by_initial_state"] == {"high": of_state}
    text = describe(summary)
    assert text.startswith("fishermen: a policy of independent agents\n")
    assert re.search(r"^fisher 1  7\.800000 +24\.3750%$", text, re.M)
    assert "7.8, 24.3750% of the range of an episode's return" in " ".join(text.split())


def test_a_markov_policy_has_nothing_that_more_knowledge_would_help_with() -> None:
    """With three agents, too; a mixture tells those who see joint actions more than their sum."""
    game = build("fishermen", {"agents": 3})
    uniform = game.uniform_policy()
    joint = np.full((game.T, game.S, 2, 2, 2), 1 / 8)
    for given in ({"policy": uniform}, {"policy": joint, "joint": True}):
        summary = summarise_policy(game, given, budget=0)
        assert (summary["deviator"], summary["exact"]) == ("history", [True] * 3)
        assert summary["informed_gap"] == pytest.approx(summary["gap"], abs=1e-12)
    assert summarise_policy(game, {"policy": [uniform] * 2})["deviator"] == "sums"


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
    assert re.search(r"^car +hot +0\.4 ", text, re.M)


def test_a_run_without_a_certificate_has_no_bound_of_its_own() -> None:
    text = describe(summarise(train_run(build("fishermen"), IndependentQ(), 200, seed=1), budget=1))
    assert "greedy policy of independent_q" in text
    assert "own bound" not in text
    assert "confidence lemma" not in text
    assert "equilibrium gap (exact; the deviator sees the history)" in text


def test_a_tree_that_is_cut_gives_an_upper_bound() -> None:
    text = describe(summarise(train_run(build("fishermen"), VLearning(), 2000, seed=1), budget=1))
    assert "the gap, an upper bound, and its share" in text
    assert "equilibrium gap (upper bound; the deviator sees the history)" in text
    assert "the tree of histories exceeds the budget" in text
