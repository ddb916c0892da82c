"""ε versus K: the chain exact gap ≤ informed gap ≤ own bound with intervals, and its slopes.

---
The equilibrium gap against the number of agents at fixed K: is there a curse of multiagents?

Rewards of the theorem lie in [0, 1], so there the gap counts in units of the game's reward range;
its bound √(S A_max T⁵ ι / K) knows N only through ι = log(2 N S A_max K T / p).

---
Independent Q-learning across its exploration: what it earns while learning, and its gap.

---
How the lengths of stages grow, over the seeds of each series.

The paper has them grow "at a near-geometric rate (1 + 1/T)", its proof by some ρ in (1, 1 + 1/T].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from amg.game.model import Game
from amg.game.theory import rate
from amg.results.summary import GROWTH
from amg.tables.intervals import Bootstrap

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
    return pd.DataFrame(rows)


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
    return {"slope": fitted, "low": float(low), "high": float(high), "from": int(min(episodes)),
            "to": int(max(episodes)), "level": bootstrap.level}  # fmt: skip


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


# ===== tables/agents

Gaps = Mapping[str, NDArray[np.float64]]  # by game, of each seed


def agents_table(
    evaluations: pd.DataFrame, games: Mapping[str, Game], bootstrap: Bootstrap
) -> pd.DataFrame:
    """The gap for each N and K, in raw units and in units of the reward range."""
    rows = []
    for keys, gaps in _groups(evaluations, games):
        for name, values in gaps.items():
            mean, low, high = bootstrap.mean(values)
            rows.append({**keys, "game": name, "agents": games[name].N, "range": games[name].scale,
                         "mean": mean, "low": low, "high": high, "seeds": len(values),
                         "level": bootstrap.level})  # fmt: skip
    return pd.DataFrame(rows)


def agent_slopes_table(
    evaluations: pd.DataFrame, games: Mapping[str, Game], bootstrap: Bootstrap, p: float
) -> pd.DataFrame:
    """d log gap / d log N at each K, and `theorem`, the same of the theorem's bound."""
    rows = []
    for keys, gaps in _groups(evaluations, games):
        N = np.array([games[name].N for name in gaps])
        if len(set(N.tolist())) < 2 or min(values.mean() for values in gaps.values()) <= 0:
            continue
        x = np.log(N)
        # the same draws serve every N; rolling them pairs unrelated resamples
        resampled = np.stack(
            [np.roll(bootstrap.means(v), shift) for shift, v in enumerate(gaps.values())]
        )
        valid = (resampled > 0).all(axis=0)
        low, high = bootstrap.interval(slope(x, np.log(resampled[:, valid])))
        bound = [rate(games[name], int(keys["episodes"]), p) for name in gaps]
        means = [values.mean() for values in gaps.values()]
        rows.append({**keys, "slope": float(slope(x, np.log(means))), "low": float(low),
                     "high": float(high), "theorem": float(slope(x, np.log(bound))),
                     "least": N.min(), "most": N.max(),
                     "seeds": min(len(values) for values in gaps.values()),
                     "level": bootstrap.level})  # fmt: skip
    return pd.DataFrame(rows)


def _groups(
    evaluations: pd.DataFrame, games: Mapping[str, Game]
) -> list[tuple[dict[str, int | str], Gaps]]:
    """The gaps of each learner and K by game, once raw and once in units of the reward range."""
    if evaluations.empty:
        return []
    groups: list[tuple[dict[str, int | str], Gaps]] = []
    for (learner, K), group in evaluations.groupby(["learner", "episodes"], sort=False):
        raw = {
            str(name): rows["max_gap"].to_numpy(dtype=float)
            for name, rows in group.groupby("game", sort=False)
        }
        keys: dict[str, int | str] = {"learner": learner, "episodes": K}
        groups.append(({**keys, "measure": "gap"}, raw))
        scaled = {name: values / games[name].scale for name, values in raw.items()}
        groups.append(({**keys, "measure": "gap in reward ranges"}, scaled))
    return groups


# ===== tables/exploration

EXPLORED = ("mean_return", "mean_value", "max_gap")


def exploration_table(
    evaluations: pd.DataFrame, varied: list[str], bootstrap: Bootstrap
) -> pd.DataFrame:
    """Mean and interval of each measure for every setting of the varied parameters."""
    rows = []
    keys = ["game", "learner", *varied]
    for key, group in evaluations.groupby(keys, sort=False):
        for measure in EXPLORED:
            mean, low, high = bootstrap.mean(group[measure].to_numpy(dtype=float))
            labels = dict(zip(keys, key, strict=True))
            rows.append({**labels, "measure": measure, "mean": mean, "low": low, "high": high,
                         "seeds": len(group), "level": bootstrap.level})  # fmt: skip
    return pd.DataFrame(rows)


# ===== tables/growth


def growth_table(
    stage_lengths: Sequence[tuple[Mapping[str, Any], pd.DataFrame]], bootstrap: Bootstrap
) -> pd.DataFrame:
    """Return each measure of growth with its interval; a series has labels and evaluations."""
    rows = []
    for labels, evaluations in stage_lengths:
        for measure in GROWTH:
            values = evaluations[measure].to_numpy(dtype=float)
            mean, low, high = bootstrap.mean(values)
            rows.append({**labels, "measure": measure, "mean": mean, "low": low, "high": high,
                         "seeds": len(values), "level": bootstrap.level})  # fmt: skip
    return pd.DataFrame(rows)


def coverage_table(evaluations: pd.DataFrame) -> pd.DataFrame:
    """Shares of nodes where each bound holds and of runs where both hold everywhere."""
    learned = evaluations[evaluations["max_own_bound"].notna()]
    groups = learned.groupby(["game", "learner", "episodes"], sort=False)
    return pd.DataFrame(
        [
            {
                **dict(zip(("game", "learner", "episodes"), key, strict=True)),
                "lower": group["lower_coverage"].mean(),
                "upper": group["upper_coverage"].mean(),
                "runs": len(group),
                "runs_holding": int(group["lemma_holds"].astype(bool).sum()),
                "stages": group["stages"].mean(),
            }
            for key, group in groups
        ]
    )
