"""What the jobs of a sweep cost: time and memory against the number of episodes."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd


def cost_table(timing: pd.DataFrame, episodes: Mapping[str, int]) -> pd.DataFrame:
    """For each kind of job and K: how many, their seconds, start-up among them, and peak memory."""
    known = timing[timing["job"].isin(list(episodes))]
    known = known.assign(episodes=known["job"].map(episodes))
    groups = known.groupby(["kind", "episodes"], sort=False)
    return groups.agg(
        jobs=("job", "size"),
        seconds=("seconds", "sum"),
        startup=("startup", "sum"),
        peak_mib=("peak_mib", "max"),
    ).reset_index()
