"""What was found, in sentences: every number is computed from the study's tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd

Tables = Mapping[str, pd.DataFrame]
TABLES = ("references", "returns", "gaps", "slopes", "theory", "coverage", "exploration")


class Roles(NamedTuple):
    """Which learner of the study plays which part; None where nobody does."""

    adaptive: str  # V-learning with adaptive stages
    fixed: str | None  # V-learning without
    independent: str | None  # independent Q


def findings(tables: Tables, roles: Roles) -> str:
    """A list of findings in Markdown."""
    games = list(tables["gaps"]["game"].unique())
    sentences = [_rewards(tables), _reward_is_no_measure(tables)]
    sentences += [_gap(tables, game, roles.adaptive) for game in games]
    if roles.independent is not None:
        sentences += [
            _independent(tables, game, roles.adaptive, roles.independent) for game in games
        ]
    if roles.fixed is not None:
        sentences += [_adaptive(tables, game, roles.adaptive, roles.fixed) for game in games]
    sentences += [_own_bound(tables, games, roles.adaptive), _coverage(tables)]
    return "\n".join(f"- {sentence}" for sentence in sentences if sentence) + "\n"


def interval(row: pd.Series, digits: int = 3) -> str:
    """mean [low, high] with so many significant digits."""
    return f"{row['mean']:.{digits}g} [{row['low']:.{digits}g}, {row['high']:.{digits}g}]"


def _value(tables: Tables, game: str, reference: str) -> float | None:
    table = tables["references"]
    chosen = table[
        (table["game"] == game) & (table["reference"] == reference) & (table["agent"] == "average")
    ]
    return None if chosen.empty else float(chosen["value"].iloc[0])


def _at_most(tables: Tables, game: str, learner: str, measure: str) -> pd.Series:
    """The row of the largest K."""
    table = tables["gaps"]
    chosen = table[
        (table["game"] == game) & (table["learner"] == learner) & (table["measure"] == measure)
    ]
    return chosen.loc[chosen["episodes"].idxmax()]


def _last_reward(tables: Tables, learner: str) -> pd.Series:
    """Mean reward over the last block of episodes."""
    table = tables["returns"]
    chosen = table[(table["learner"] == learner) & (table["agent"] == "average")]
    return chosen.loc[chosen["episode"].idxmax()]


def _rewards(tables: Tables) -> str:
    table = tables["returns"]
    said = ", ".join(
        f"{name} {interval(_last_reward(tables, name), 4)}" for name in table["learner"].unique()
    )
    K = int(table["episode"].max())
    return f"**Rewards after {K:,} episodes** (per agent and episode, last block): {said}."


def _reward_is_no_measure(tables: Tables) -> str:
    """Only where it is so: where random play earns more than every equilibrium."""
    game = tables["returns"]["game"].iloc[0]
    equilibrium = _value(tables, game, "every CCE")
    uniform, team = _value(tables, game, "uniform play"), _value(tables, game, "team optimum")
    if equilibrium is None or uniform is None or team is None or uniform <= equilibrium:
        return ""
    return (
        f"**Reward does not measure learning here.** Every equilibrium (CCE) of `{game}` pays "
        f"{equilibrium:.4g}, uniformly random play {uniform:.4g} and the team optimum {team:.4g}: "
        f"exploring earns more than the equilibrium. The equilibrium gap is the measure."
    )


def _gap(tables: Tables, game: str, learner: str) -> str:
    row = _at_most(tables, game, learner, "max_gap")
    informed = _at_most(tables, game, learner, "max_informed_gap")
    slopes = tables["slopes"]
    slope = slopes[
        (slopes["game"] == game) & (slopes["learner"] == learner) & (slopes["measure"] == "max_gap")
    ]
    falls = [
        f" and falls like K^{row.slope:.2f} [{row.low:.2f}, {row.high:.2f}] over the upper "
        f"decades; the theorem's rate is K^-0.50"
        for row in slope.itertuples()
    ]
    return (
        f"**ε on `{game}`**: the exact gap of the certified policy is {interval(row)} at "
        f"K = {int(row['episodes']):,} (informed deviator {interval(informed)}){''.join(falls)}."
    )


def _independent(tables: Tables, game: str, adaptive: str, independent: str) -> str:
    row, ours = (_at_most(tables, game, name, "max_gap") for name in (independent, adaptive))
    verdict = "not clearly apart from"
    if row["high"] < ours["low"] or row["low"] > ours["high"]:
        verdict = "below" if row["mean"] < ours["mean"] else "above"
    return (
        f"**Independent Q on `{game}`**: its greedy policy has a gap of {interval(row)} at "
        f"K = {int(row['episodes']):,}, {verdict} that of V-learning ({interval(ours)})."
    )


def _adaptive(tables: Tables, game: str, adaptive: str, without: str) -> str:
    ours, fixed = (_at_most(tables, game, name, "max_gap") for name in (adaptive, without))
    apart = ours["high"] < fixed["low"] or ours["low"] > fixed["high"]
    change = f", {ours['mean'] / fixed['mean'] - 1:+.0%}" if fixed["mean"] > 0 else ""
    return (
        f"**Adaptive against fixed stages on `{game}`**: gap {interval(ours)} against "
        f"{interval(fixed)} at K = {int(ours['episodes']):,}{change}; the intervals "
        f"{'do not overlap' if apart else 'overlap'}."
    )


def _own_bound(tables: Tables, games: list[str], learner: str) -> str:
    parts = []
    for game in games:
        own, exact = (
            _at_most(tables, game, learner, name) for name in ("max_own_bound", "max_gap")
        )
        parts.append(f"{_beside(own['mean'], exact['mean'])} on `{game}`")
    theory = tables["theory"]
    own = theory[(theory["measure"] == "max_own_bound") & (theory["learner"] == learner)]
    return (
        f"**What agents can certify by themselves**, (1/K) Σ (V̄ − V̲), is {' and '.join(parts)} at "
        f"the largest K. The theorem gives no constant; to cover it at every K of the study one of "
        f"{own['constant'].max():.2g} would do."
    )


def _beside(own: float, exact: float) -> str:
    """A bound as a multiple of the gap, where there is a gap."""
    if exact > 0:
        return f"{own / exact:,.0f} times the exact gap"
    return f"{own:.3g} beside an exact gap of {exact:.3g}"


def _coverage(tables: Tables) -> str:
    table = tables["coverage"]
    holding, runs = int(table["runs_holding"].sum()), int(table["runs"].sum())
    return (
        f"**The confidence lemma** holds at every node in {holding:,} of {runs:,} runs "
        f"(least share of nodes: lower bound {table['lower'].min():.2%}, upper bound "
        f"{table['upper'].min():.2%})."
    )
