"""The adaptive stage mechanism of one run: the aggregate signal, λ, boundaries and lengths."""

from __future__ import annotations

import numpy as np
import pandas as pd

from amg.analysis.labels import run_label
from amg.run import Run

COLUMNS = (
    "stage", "last_episode", "length", "coefficient", "mean", "deviation", "cv", "run",
)  # fmt: skip


def signal_table(run: Run) -> pd.DataFrame:
    """The aggregate at every visit to the starting state, and the stage of the visit."""
    assert run.trace is not None
    t, s = 0, int(np.argmax(run.game.initial))
    visits = np.flatnonzero(run.trace.state[:, t] == s)
    return pd.DataFrame(
        {
            "episode": visits + 1,
            "aggregate": run.trace.aggregate[visits, t],
            "stage": run.trace.stage[visits, t, s],
        }
    )


def mechanism_table(run: Run) -> pd.DataFrame:
    """Each completed stage of the starting state: its end, length, fluctuation and λ."""
    assert run.certificate is not None
    rows = run.certificate.history(0, int(np.argmax(run.game.initial)))
    signal = signal_table(run)
    stages = []
    for m, (episode, length, coefficient) in enumerate(
        zip(
            run.certificate.stage_key[rows, 2],
            run.certificate.stage_key[rows, 3],
            run.certificate.stage_coefficient[rows],
            strict=True,
        )
    ):
        inside = signal[signal["stage"] == m]["aggregate"]
        deviation = inside.std()  # not a number for a single visit
        stages.append({
            "stage": m, "last_episode": episode, "length": length, "coefficient": coefficient,
            "mean": inside.mean(), "deviation": deviation,
            # nothing fluctuates, also where all are idle: 0, as in Algorithm 2
            "cv": deviation / inside.mean() if deviation > 0 else deviation, "run": run_label(run),
        })  # fmt: skip
    return pd.DataFrame(stages, columns=list(COLUMNS))
