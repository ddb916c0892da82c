"""How the lengths of stages grow: L̃_{m+1} / L̃_m, and the time spent where they do not.

The paper has them grow "at a near-geometric rate (1 + 1/T)", its proof by some ρ in (1, 1 + 1/T].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from amg.analysis.intervals import Bootstrap
from amg.run import Run

LABELS = ("experiment", "game", "learner", "stage_rule", "horizon", "agents", "episodes")
COLUMNS = (*LABELS, "measure", "mean", "low", "high", "seeds", "level")


def growth_table(
    groups: Sequence[tuple[Mapping[str, Any], Sequence[Run]]], bootstrap: Bootstrap
) -> pd.DataFrame:
    """Each measure of `growth` with its interval; a group is a series' labels and its runs."""
    rows = []
    for labels, runs in groups:
        first = runs[0]
        named = {
            **{name: labels[name] for name in LABELS[:3]},
            "stage_rule": first.parameters["stage_rule"],
            "horizon": first.game.T,
            "agents": first.game.N,
            "episodes": first.episodes,
        }
        measured = pd.DataFrame([growth(run) for run in runs])
        for measure in measured:
            mean, low, high = bootstrap.mean(measured[measure].to_numpy(dtype=float))
            rows.append({**named, "measure": measure, "mean": mean, "low": low, "high": high,
                         "seeds": len(runs), "level": bootstrap.level})  # fmt: skip
    return pd.DataFrame(rows, columns=list(COLUMNS))


def growth(run: Run) -> dict[str, float]:
    """Of one run, over all its steps and states.

    `ratio` is the geometric mean of L̃_{m+1} / L̃_m, `not_grown` the share of these that are not
    above 1, `visits_stuck` the share of visits in stages as short as the first, L̃ = T, `stuck` the
    most of these that one step and state went through.
    """
    assert run.certificate is not None
    key, T = run.certificate.stage_key, run.game.T
    place, length = key[:, :2], key[:, 3]
    follows = (place[1:] == place[:-1]).all(axis=1)
    ratio = (length[1:] / length[:-1])[follows]
    first = place[length == T]
    stuck = np.unique(first, axis=0, return_counts=True)[1]
    return {
        "ratio": float(np.exp(np.log(ratio).mean())) if len(ratio) else float("nan"),
        "not_grown": float((ratio <= 1).mean()) if len(ratio) else float("nan"),
        "visits_stuck": len(first) / run.episodes,  # T visits each, of K T in all
        "stuck": float(stuck.max(initial=0)),
    }
