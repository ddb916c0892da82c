"""Tables of evaluations: equilibrium gaps and other measures, with intervals over seeds.

Rewards of the theorem lie in [0, 1], so it counts gaps in units of the game's reward range. Its
bound √(S A_max T⁵ ι / K) depends on the number of agents only through ι = log(2 N S A_max K T / p).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from amg.game.model import Game, rate
from amg.game.proof import gap_bound, growth
from amg.results.evaluate import GROWTH
from amg.tables.intervals import Intervals, LogMean, log_mean, logs, power_law_fit, slope

# Each bounds the one before it; the last, a mean over first states, if the start is certain.
FITTED = ("max_gap", "max_informed_gap", "max_own_bound")
MEASURES = ("max_gap_low", *FITTED, "mean_value", "mean_return")  # first a lower bound
WINDOW = 10  # least factor of K over which a local slope is taken
SHARES = ("not_grown", "visits_stuck")  # lie in [0, 1]
EXPLORED = ("mean_return", "mean_value", "max_gap")


def gap_table(evaluations: pd.DataFrame, intervals: Intervals) -> pd.DataFrame:
    """Return each measure for each game, learner and K."""
    return _means(evaluations, ("game", "learner", "episodes"), MEASURES, intervals)


def exploration_table(
    evaluations: pd.DataFrame, varied: Sequence[str], intervals: Intervals
) -> pd.DataFrame:
    """Return the return, value and gap of each learner for each setting of varied parameters."""
    return _means(evaluations, ("game", "learner", *varied), EXPLORED, intervals)


def growth_table(
    v_learners: pd.DataFrame, games: Mapping[str, Game], intervals: Intervals
) -> pd.DataFrame:
    """Return how the lengths of stages grow, for each series of a V-learner at its largest K.

    The paper has them grow "at a near-geometric rate (1 + 1/T)", its proof by some ρ in
    (1, 1 + 1/T].
    """
    evaluations = v_learners.assign(
        horizon=[games[name].T for name in v_learners["game"]],
        agents=[games[name].N for name in v_learners["game"]],
    )
    keys = ("experiment", "game", "learner", "stage_rule", "horizon", "agents", "episodes")
    return _means(evaluations, ("series", *keys), GROWTH, intervals).drop(columns="series")


def _groups(evaluations: pd.DataFrame, *keys: str) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """Yield the rows that share these keys, in the order in which they first appear."""
    if not evaluations.empty:
        for key, rows in evaluations.groupby(list(keys), sort=False):
            yield dict(zip(keys, key, strict=True)), rows


def _means(
    evaluations: pd.DataFrame, keys: Sequence[str], measures: Sequence[str], intervals: Intervals
) -> pd.DataFrame:
    """Return mean and interval of each measure in each group, without those that no run has."""
    return pd.DataFrame(
        [
            {
                **labels,
                "measure": measure,
                **intervals.summary(rows[measure].to_numpy(float), measure in SHARES),
            }
            for labels, rows in _groups(evaluations, *keys)
            for measure in measures
            if rows[measure].notna().any()
        ]
    )


def coverage_table(evaluations: pd.DataFrame) -> pd.DataFrame:
    """Return where the bounds of the confidence lemma hold, of those that say something.

    `lower` and `upper` are shares of nodes, `tested` is the share of bounds that say something.
    In `runs_tested` runs at least one does; in `runs_holding` of them all bounds hold.
    """
    learned = evaluations[evaluations["max_own_bound"].notna()]
    table = []
    for labels, rows in _groups(learned, "game", "learner", "episodes"):
        tested = rows[rows["bounds_tested"] > 0]
        table.append(
            {
                **labels,
                "lower": tested["lower_coverage"].astype(float).mean(),
                "upper": tested["upper_coverage"].astype(float).mean(),
                "tested": rows["bounds_tested"].mean(),
                "runs": len(rows),
                "runs_tested": len(tested),
                "runs_holding": int(tested["lemma_holds"].astype(bool).sum()),
                "stages": rows["stages"].mean(),
            }
        )
    return pd.DataFrame(table)


def slope_table(evaluations: pd.DataFrame, intervals: Intervals, decades: float) -> pd.DataFrame:
    """Return the exponents of K, fitted over the upper decades of K, and how well they fit."""
    rows = []
    for labels, by_K in _series(evaluations):
        least = max(by_K) / 10**decades * (1 - 1e-9)
        upper = {K: mean for K, mean in by_K.items() if least <= K}
        means = list(upper.values())
        fit = intervals.exponent(list(upper), means)
        if fit is not None:
            chi2, freedom, p_value = power_law_fit(list(upper), means)
            rows.append({
                **labels, **fit, "from": min(upper), "to": max(upper), "chi2": chi2,
                "freedom": freedom, "p_value": p_value, "level": intervals.level,
            })  # fmt: skip
    return pd.DataFrame(rows)


def local_slope_table(evaluations: pd.DataFrame, intervals: Intervals) -> pd.DataFrame:
    """Return the exponent of K in each window: from each K to the first that is ten times as large.

    One exponent over all K hides where the gap falls faster and where more slowly.
    """
    rows = []
    for labels, by_K in _series(evaluations):
        for first in sorted(by_K):
            # K are rounded: 316,228 counts as ten times 31,623
            last = min((K for K in by_K if 0.99 * WINDOW * first <= K), default=0)
            window = {K: mean for K, mean in by_K.items() if first <= K <= last}
            if last and (fit := intervals.exponent(list(window), list(window.values()))):
                ends = {"from": first, "to": last, "level": intervals.level}
                rows.append({**labels, **fit, **ends})
    return pd.DataFrame(rows)


def _series(evaluations: pd.DataFrame) -> Iterator[tuple[dict[str, Any], dict[int, LogMean]]]:
    """Yield the fitted measures of each game and learner, by K."""
    for labels, series in _groups(evaluations, "game", "learner"):
        runs = dict(list(series.groupby("episodes")))
        for measure in FITTED:
            by_K = {K: log_mean(rows[measure].to_numpy(float)) for K, rows in runs.items()}
            yield {**labels, "measure": measure}, by_K


def theory_table(games: Mapping[str, Game], gaps: pd.DataFrame, p: float) -> pd.DataFrame:
    """Return the theorem's √(S A_max T⁵ ι / K) in raw units, and the constant it would need.

    The paper gives no constant. `constant` is the least that makes the bound hold for the mean of
    the measure at this K. `bound` is what the proof gives with all its constants if λ = 1, and
    `range` the range of returns: above it the bound says nothing.
    """
    fitted = gaps[gaps["measure"].isin(FITTED)]
    rates, bounds, ranges = [], [], []
    for row in fitted.itertuples():
        game, K = games[row.game], int(row.episodes)
        rule = growth(game.T, 1.0, "floor")
        assert rule is not None
        rates.append(rate(game, K, p) * game.scale)
        bounds.append(gap_bound(game, K, p, rule).total * game.scale)
        ranges.append(game.T * game.scale)
    labels = fitted[["game", "learner", "episodes", "measure"]]
    return labels.assign(
        rate=rates, constant=fitted["mean"] / rates, p=p, mean=fitted["mean"], bound=bounds,
        range=ranges,
    )  # fmt: skip


def agents_table(
    evaluations: pd.DataFrame, games: Mapping[str, Game], intervals: Intervals
) -> pd.DataFrame:
    """Return the gap for each number of agents and K, raw and in units of the reward range."""
    return pd.DataFrame(
        [
            {**labels, "game": name, "agents": games[name].N, "range": games[name].scale,
             **intervals.summary(values)}
            for labels, gaps in _gaps_by_game(evaluations, games)
            for name, values in gaps.items()
        ]
    )  # fmt: skip


def agent_slopes_table(
    evaluations: pd.DataFrame, games: Mapping[str, Game], intervals: Intervals, p: float
) -> pd.DataFrame:
    """Return d log gap / d log N at each K, and `theorem`, the same of the theorem's bound."""
    rows = []
    for labels, gaps in _gaps_by_game(evaluations, games):
        N = np.array([games[name].N for name in gaps])
        fit = intervals.exponent(N, [log_mean(values) for values in gaps.values()])
        if fit is not None:
            bounds = [rate(games[name], int(labels["episodes"]), p) for name in gaps]
            rows.append({
                **labels, **fit, "theorem": float(slope(logs(N), logs(bounds))),
                "least": N.min(), "most": N.max(), "seeds": min(map(len, gaps.values())),
                "level": intervals.level,
            })  # fmt: skip
    return pd.DataFrame(rows)


def _gaps_by_game(
    evaluations: pd.DataFrame, games: Mapping[str, Game]
) -> Iterator[tuple[dict[str, Any], dict[str, NDArray[np.float64]]]]:
    """Yield the gaps of each learner and K by game, raw and in units of the reward range."""
    for labels, group in _groups(evaluations, "learner", "episodes"):
        raw = {name: rows["max_gap"].to_numpy(float)
               for name, rows in group.groupby("game", sort=False)}  # fmt: skip
        yield {**labels, "measure": "gap"}, raw
        scaled = {name: values / games[name].scale for name, values in raw.items()}
        yield {**labels, "measure": "gap in reward ranges"}, scaled
