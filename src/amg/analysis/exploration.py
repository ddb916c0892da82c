"""Independent Q-learning across its exploration: what it earns while learning, and its gap."""

from __future__ import annotations

import pandas as pd

from amg.analysis.intervals import Bootstrap

MEASURES = ("mean_return", "mean_value", "max_gap")


def exploration_table(
    evaluations: pd.DataFrame, varied: list[str], bootstrap: Bootstrap
) -> pd.DataFrame:
    """Mean and interval of each measure for every setting of the varied parameters."""
    rows = []
    keys = ["game", "learner", *varied]
    for key, group in evaluations.groupby(keys, sort=False):
        for measure in MEASURES:
            mean, low, high = bootstrap.mean(group[measure].to_numpy(dtype=float))
            labels = dict(zip(keys, key, strict=True))
            rows.append({**labels, "measure": measure, "mean": mean, "low": low, "high": high,
                         "seeds": len(group), "level": bootstrap.level})  # fmt: skip
    return pd.DataFrame(rows)
