"""What docs/proof.md measures in runs."""

from __future__ import annotations

import numpy as np
import pytest

from amg.game import proof
from amg.game.library import build
from amg.learning.episode import generator
from amg.learning.literal import run_literal
from amg.learning.parameters import VLearning
from amg.learning.train import train_run
from amg.report.proof import ROWS, P, least_useful, mean_width


def test_the_mean_width_against_a_sum_over_episodes() -> None:
    game, K = build("fishermen"), 400
    parameters = VLearning(stage_rule="real", bonus=0.02)
    trace, ends = run_literal(game, parameters, K, generator(game, parameters, K, 5))
    start = [end for end in ends if (end.t, end.s) == (0, 0)]
    total = np.zeros(game.N)
    for k in range(K):
        m = int(trace.stage[k, 0, 0])
        lower = start[m - 1].V_low if m else np.zeros(game.N)
        total += trace.vbar[k, 0, 0] - lower
    run = train_run(game, parameters, K, 5)
    assert mean_width(run) == pytest.approx(total.max() / K, abs=1e-6)


def test_the_mean_width_of_a_run_is_within_the_bound() -> None:
    game, K = build("fishermen"), 10**6
    rule = proof.growth(game.T, 1, "floor")
    assert rule is not None
    bound = proof.gap_bound(game, K, P, rule).total
    assert bound < game.T  # so that it could fail
    assert mean_width(train_run(game, VLearning(fluctuation="fixed"), K, 3)) <= bound


def test_the_least_useful_number_of_episodes() -> None:
    game = build("fishermen")
    rule = proof.growth(game.T, 1, "floor")
    assert rule is not None
    K = least_useful(game, rule)
    assert proof.gap_bound(game, K, P, rule).total < game.T
    assert proof.gap_bound(game, K * 99 // 100, P, rule).total >= game.T


def test_every_step_has_its_row() -> None:
    rows = [row() for row in ROWS]
    assert len({row.step for row in rows}) == 8
    assert all("|" not in "".join(row) for row in rows)  # it would end a cell
