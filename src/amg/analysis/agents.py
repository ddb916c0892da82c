"""The equilibrium gap against the number of agents at fixed K: is there a curse of multiagents?

Rewards of the theorem lie in [0, 1], so there the gap counts in units of the game's reward range;
its bound √(S A_max T⁵ ι / K) knows N only through ι = log(2 N S A_max K T / p).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from amg.analysis.gaps import slope
from amg.analysis.intervals import Bootstrap
from amg.game import Game
from amg.theory import rate

KEYS = ("learner", "episodes", "measure")
COLUMNS = (*KEYS, "game", "agents", "range", "mean", "low", "high", "seeds", "level")
SLOPE_COLUMNS = (*KEYS, "slope", "low", "high", "theorem", "least", "most", "seeds", "level")
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
    return pd.DataFrame(rows, columns=list(COLUMNS))


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
    return pd.DataFrame(rows, columns=list(SLOPE_COLUMNS))


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
