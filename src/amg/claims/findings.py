"""The findings: sentences in Markdown whose numbers all come from the study's tables."""

from collections.abc import Callable
from contextlib import suppress

import pandas as pd

from amg.base.text import change, fixed_estimate, join_words, number
from amg.base.text import fixed as decimals
from amg.claims.evidence import Evidence, NotTestable, Tables, above, estimate, interval


def findings(tables: Tables, adaptive: str, fixed: str | None, independent: str | None) -> str:
    """Return a list of findings in Markdown; a finding whose numbers are missing is left out.

    The learners are V-learning with adaptive and with fixed stages, and independent Q-learning.
    """
    evidence, games = Evidence(tables), list(tables["gaps"]["game"].unique())
    sentences = [
        _try(_rewards, evidence),
        _try(_reward_is_no_measure, evidence),
        *(_try(_gap, evidence, game, adaptive) for game in games),
        *(_try(_independent, evidence, game, adaptive, independent) for game in games),
        *(_try(_adaptive, evidence, game, adaptive, fixed) for game in games),
        _try(_own_bound, evidence, games, adaptive),
        _try(_coverage, evidence),
    ]
    return "".join(f"- {sentence}\n" for sentence in sentences if sentence)


def _try(finding: Callable[..., str], *arguments: object) -> str:
    """Return the finding, or nothing if the tables lack its numbers."""
    with suppress(NotTestable):
        return finding(*arguments)
    return ""


def _rewards(evidence: Evidence) -> str:
    game = evidence.rows("returns")["game"].iloc[0]
    table = evidence.rows("returns", game=game)
    rewards = ", ".join(
        f"{name} {estimate(evidence.reward(game, name), 4)}" for name in table["learner"].unique()
    )
    return (
        f"**Rewards after {number(table['episode'].max())} episodes** (per agent and episode, last "
        f"block): {rewards}."
    )


def _reward_is_no_measure(evidence: Evidence) -> str:
    game = evidence.rows("returns")["game"].iloc[0]
    uniform, equilibrium = evidence.random_play_pays(game)
    team = evidence.reference(game, "team optimum")
    return (
        f"**Reward does not measure learning here.** Every equilibrium (CCE) of `{game}` pays "
        f"{number(equilibrium, 4)}, uniformly random play {number(uniform, 4)} and the team "
        f"optimum {number(team, 4)}: exploring earns more than the equilibrium. The equilibrium "
        f"gap is the measure."
    )


def _gap(evidence: Evidence, game: str, learner: str) -> str:
    exact = evidence.gap(game, learner)
    informed = evidence.gap(game, learner, "max_informed_gap")
    return (
        f"**ε on `{game}`**: the exact gap of the certified policy is {estimate(exact)} at "
        f"K = {number(exact['episodes'])} (informed deviator {estimate(informed)})"
        f"{_try(_rate, evidence, game, learner)}."
    )


def _rate(evidence: Evidence, game: str, learner: str) -> str:
    fit = evidence.slopes([game], learner, "max_gap").iloc[0]
    windows = evidence.local_slopes(game, learner, "max_gap", fit["from"])
    steep, flat = (decimals(slope) for slope in (windows["slope"].min(), windows["slope"].max()))
    return (
        f" and falls like K^{fixed_estimate(fit['slope'], fit['low'], fit['high'])} over the upper "
        f"decades, by decade between K^{flat} and K^{steep}; the theorem's rate is K^−0.50"
    )


def _order(ours: pd.Series, theirs: pd.Series) -> str:
    """Return "below", "above", or nothing if the intervals overlap or are not there."""
    with suppress(NotTestable):
        return "below" if above(theirs, ours) else "above" if above(ours, theirs) else ""
    return ""


def _independent(evidence: Evidence, game: str, adaptive: str, independent: str) -> str:
    ours, theirs = (evidence.gap(game, name) for name in (adaptive, independent))
    place = _order(theirs, ours) or "not clearly apart from"
    return (
        f"**Independent Q on `{game}`**: its greedy policy has a gap of {estimate(theirs)} at "
        f"K = {number(theirs['episodes'])}, {place} that of V-learning ({estimate(ours)})."
    )


def _adaptive(evidence: Evidence, game: str, adaptive: str, fixed: str) -> str:
    ours, theirs = (evidence.gap(game, name) for name in (adaptive, fixed))
    known = all(interval(row) for row in (ours, theirs))
    overlap = "do not overlap" if _order(ours, theirs) else "overlap"
    intervals = f"; the intervals {overlap}" if known else ""
    relative = f", {change(ours['mean'] / theirs['mean'])}" if theirs["mean"] > 0 else ""
    return (
        f"**Adaptive against fixed stages on `{game}`**: gap {estimate(ours)} against "
        f"{estimate(theirs)} at K = {number(ours['episodes'])}{relative}{intervals}."
    )


def _own_bound(evidence: Evidence, games: list[str], learner: str) -> str:
    bounds = []
    for game in games:
        own, exact = (evidence.gap(game, learner, m)["mean"] for m in ("max_own_bound", "max_gap"))
        if exact > 0:
            bounds.append(f"{number(own / exact)} times the exact gap on `{game}`")
        else:
            bounds.append(f"{number(own)} beside an exact gap of {number(exact)} on `{game}`")
    constant = evidence.least_constant([learner], "max_own_bound")
    return (
        f"**What agents can certify by themselves**, (1/K) Σ (V̄ − V̲), is {join_words(bounds)} at "
        f"the largest K. The theorem gives no constant; to cover it at every K of the study a "
        f"constant of {number(constant, 2)} suffices."
    )


def _coverage(evidence: Evidence) -> str:
    *_, runs = evidence.coverage()
    all_runs = number(evidence.rows("coverage")["runs"].sum())
    sentence = (
        f"**The confidence lemma** holds at every node in {runs} in which a bound says something, "
        f"of {all_runs} in all; in the others every bound is trivial and cannot fail."
    )
    with suppress(NotTestable):
        sentence += (
            f" Without the bonus, as a control, it holds in {evidence.coverage('control')[2]}."
        )
    return sentence
