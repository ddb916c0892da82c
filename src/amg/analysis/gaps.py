"""ε versus K: the chain exact gap ≤ informed gap ≤ own bound with intervals, and its slopes."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from amg.analysis.intervals import Bootstrap
from amg.game import Game
from amg.theory import rate

MEASURES = ("max_gap", "max_informed_gap", "max_own_bound", "mean_value", "mean_return")
FITTED = ("max_gap", "max_informed_gap", "max_own_bound")


def gap_table(evaluations: pd.DataFrame, bootstrap: Bootstrap) -> pd.DataFrame:
    """Mean and interval of every measure, for each game, learner and K."""
    rows = []
    keys = ["game", "learner", "episodes"]
    for key, group in evaluations.groupby(keys, sort=False):
        for measure in MEASURES:
            values = group[measure].to_numpy(dtype=float)
            if np.isnan(values).all():
                continue
            mean, low, high = bootstrap.mean(values)
            labels = dict(zip(keys, key, strict=True))
            rows.append({**labels, "measure": measure, "mean": mean, "low": low, "high": high,
                         "seeds": len(values), "level": bootstrap.level})  # fmt: skip
    return pd.DataFrame(rows)


def slope_table(evaluations: pd.DataFrame, bootstrap: Bootstrap, decades: float) -> pd.DataFrame:
    """Exponents of K fitted over the upper decades, with intervals over seeds.

    Least squares of log mean on log K; a resample draws seeds for each K on its own, for runs of
    different K have nothing in common.
    """
    rows = []
    for (game, learner), group in evaluations.groupby(["game", "learner"], sort=False):
        top = group["episodes"].max()
        upper = group[group["episodes"] >= top / 10**decades * (1 - 1e-9)]
        for measure in FITTED:
            fit = _fit(upper, measure, bootstrap)
            if fit is not None:
                rows.append({"game": game, "learner": learner, "measure": measure, **fit})
    columns = ["game", "learner", "measure", "slope", "low", "high", "from", "to", "level"]
    return pd.DataFrame(rows, columns=columns)


def _fit(upper: pd.DataFrame, measure: str, bootstrap: Bootstrap) -> dict[str, float] | None:
    episodes, means, resampled = [], [], []
    for shift, (K, group) in enumerate(upper.groupby("episodes")):
        values = group[measure].to_numpy(dtype=float)
        if np.isnan(values).any():
            return None
        episodes.append(K)
        means.append(values.mean())
        # the same draws serve every K; rolling them pairs unrelated resamples
        resampled.append(np.roll(bootstrap.means(values), shift))
    if len(episodes) < 2 or min(means) <= 0:
        return None
    x = np.log(np.array(episodes, dtype=float))
    valid = (np.stack(resampled) > 0).all(axis=0)
    slopes = slope(x, np.log(np.stack(resampled)[:, valid]))
    low, high = bootstrap.interval(slopes)
    fitted = float(slope(x, np.log(np.array(means))))
    return {"slope": fitted, "low": float(low), "high": float(high), "level": bootstrap.level,
            "from": int(min(episodes)), "to": int(max(episodes))}  # fmt: skip


def slope(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Least-squares slope of y [n, …] on x [n]."""
    centred = x - x.mean()
    return np.einsum("n,n...->...", centred, y) / (centred**2).sum()


def theory_table(games: dict[str, Game], gaps: pd.DataFrame, p: float) -> pd.DataFrame:
    """The theorem's √(S A_max T⁵ ι / K) in raw units, and the constant that the data would need.

    The paper gives no constant; `constant` is the least that makes the bound hold for the measure's
    mean at this K.
    """
    rows = []
    for row in gaps[gaps["measure"].isin(FITTED)].itertuples():
        game = games[row.game]
        bound = rate(game, int(row.episodes), p) * game.scale
        rows.append({"game": row.game, "learner": row.learner, "episodes": row.episodes,
                     "measure": row.measure, "rate": bound, "constant": row.mean / bound,
                     "p": p})  # fmt: skip
    return pd.DataFrame(rows)
