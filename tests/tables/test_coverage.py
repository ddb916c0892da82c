"""The table of the confidence lemma: which bounds are counted, and in which runs they hold."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from amg.game.library import build
from amg.learning.parameters import VLearning
from amg.learning.train import train_run
from amg.results.evaluate import controller_of, measures
from amg.results.run import Run
from amg.tables.gaps import coverage_table


def by_hand(run: Run) -> dict[str, list[bool]]:
    """Whether each bound that says something holds, stage by stage and agent by agent."""
    assert run.certificate is not None
    c, controller, found = run.certificate, controller_of(run), run.evaluate()
    holds: dict[str, list[bool]] = {"lower": [], "upper": []}
    stage: dict[tuple[int, int], int] = {}
    for (t, s), low, high in zip(
        c.stage_key[:, :2].tolist(), c.stage_v_low, c.stage_v_bar, strict=True
    ):
        stage[t, s] = stage.get((t, s), 0) + 1
        node = controller.base[t, s] + stage[t, s]
        for i in range(run.game.N):
            if low[i] > 0:
                holds["lower"].append(bool(low[i] <= found.node_value[node, i] + 1e-12))
            if high[i] < run.game.T - t:
                holds["upper"].append(bool(found.node_informed[node, i] <= high[i] + 1e-12))
    return holds


@pytest.mark.parametrize("bonus", [0, 0.05, 0.3])
def test_only_bounds_that_say_something_are_counted(bonus: float) -> None:
    run = train_run(build("fishermen"), VLearning(bonus=bonus), 5_000, 1)
    (row,) = coverage_table(pd.DataFrame([{"game": "g", "learner": "v", **measures(run)}])).to_dict(
        "records"
    )
    holds = by_hand(run)
    bounds = 2 * len(run.certificate.stage_key) * run.game.N  # type: ignore[union-attr]
    assert row["tested"] == pytest.approx(sum(map(len, holds.values())) / bounds)
    for name, values in holds.items():
        assert row[name] == pytest.approx(np.mean(values) if values else np.nan, nan_ok=True)
    assert row["runs_tested"] == int(any(holds.values()))
    assert row["runs_holding"] == int(any(holds.values()) and all(map(all, holds.values())))
