"""The findings: sentences in Markdown whose numbers all come from the study's tables."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from amg.base.text import change, fixed, fixed_estimate, join_words, number, percent
from amg.claims.evidence import Evidence, NotTestable, Tables, above, estimate

TABLES = ("references", "returns", "gaps", "slopes", "theory", "coverage")


class Roles(NamedTuple):
    """Which learner of the study has which role; None if there is no such learner."""

    adaptive: str  # V-learning with adaptive stages
    fixed: str | None  # V-learning with fixed stages
    independent: str | None  # independent Q-learning


def findings(tables: Tables, roles: Roles) -> str:
    """Return a list of findings in Markdown.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        The tables of the study named in `TABLES`. A finding whose numbers are missing is left out.
    roles : Roles
        The learners to compare.
    """
    evidence, games = Evidence(tables), list(tables["gaps"]["game"].unique())
    sentences = [_try(_rewards, evidence), _try(_reward_is_no_measure, evidence)]
    sentences += [_try(_gap, evidence, game, roles.adaptive) for game in games]
    if roles.independent is not None:
        sentences += [_try(_independent, evidence, game, *roles[::2]) for game in games]
    if roles.fixed is not None:
        sentences += [_try(_adaptive, evidence, game, *roles[:2]) for game in games]
    sentences += [_try(_own_bound, evidence, games, roles.adaptive), _try(_coverage, evidence)]
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
    pays, team = evidence.random_play_pays(game), evidence.reference(game, "team optimum")
    if pays is None or team is None:
        return ""
    uniform, equilibrium = pays
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
    fit = evidence.slope(game, learner)
    return (
        f" and falls like K^{fixed_estimate(fit['slope'], fit['low'], fit['high'])} over the upper "
        f"decades; the theorem's rate is K^{fixed(-0.5)}"
    )


def _independent(evidence: Evidence, game: str, adaptive: str, independent: str) -> str:
    ours, theirs = (evidence.gap(game, name) for name in (adaptive, independent))
    place = "not clearly apart from"
    if above(ours, theirs) or above(theirs, ours):
        place = "below" if above(ours, theirs) else "above"
    return (
        f"**Independent Q on `{game}`**: its greedy policy has a gap of {estimate(theirs)} at "
        f"K = {number(theirs['episodes'])}, {place} that of V-learning ({estimate(ours)})."
    )


def _adaptive(evidence: Evidence, game: str, adaptive: str, without: str) -> str:
    ours, theirs = (evidence.gap(game, name) for name in (adaptive, without))
    apart = above(ours, theirs) or above(theirs, ours)
    relative = f", {change(ours['mean'] / theirs['mean'])}" if theirs["mean"] > 0 else ""
    return (
        f"**Adaptive against fixed stages on `{game}`**: gap {estimate(ours)} against "
        f"{estimate(theirs)} at K = {number(ours['episodes'])}{relative}; the intervals "
        f"{'do not overlap' if apart else 'overlap'}."
    )


def _own_bound(evidence: Evidence, games: list[str], learner: str) -> str:
    own = join_words(_own_bound_in(evidence, game, learner) for game in games)
    constant = evidence.least_constant([learner], "max_own_bound")
    return (
        f"**What agents can certify by themselves**, (1/K) Σ (V̄ − V̲), is {own} at the largest K. "
        f"The theorem gives no constant; to cover it at every K of the study a constant of "
        f"{number(constant, 2)} suffices."
    )


def _own_bound_in(evidence: Evidence, game: str, learner: str) -> str:
    """Return the agents' own bound as a multiple of the exact gap, if the gap is positive."""
    own, exact = (
        evidence.gap(game, learner, measure)["mean"] for measure in ("max_own_bound", "max_gap")
    )
    if exact > 0:
        return f"{number(own / exact)} times the exact gap on `{game}`"
    return f"{number(own)} beside an exact gap of {number(exact)} on `{game}`"


def _coverage(evidence: Evidence) -> str:
    lemma = evidence.coverage()
    lower, upper = (percent(lemma.table[bound].min(), 2) for bound in ("lower", "upper"))
    return (
        f"**The confidence lemma** holds at every node in {lemma} (least share of nodes: "
        f"lower bound {lower}, upper bound {upper})."
    )
