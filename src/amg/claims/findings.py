"""The findings: sentences in Markdown whose numbers all come from the study, in order of weight.

Each is an item of a list: its first line says what was found, a second one the details.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress

import pandas as pd

from amg.base.text import change, fixed_estimate, join_words, number, sentence
from amg.base.text import fixed as decimals
from amg.claims.evidence import (
    CAVEAT,
    NOT_REPRODUCED,
    REPRODUCED,
    Evidence,
    NotTestable,
    Tables,
    above,
    estimate,
)
from amg.claims.judgement import JudgedClaim

DETAILS = "\n  "  # stands between what was found and its details


def findings(
    tables: Tables,
    claims: Sequence[JudgedClaim],
    adaptive: str,
    fixed: str | None,
    independent: str | None,
) -> str:
    """Return a list of findings in Markdown; a finding whose numbers are missing is left out.

    The learners are V-learning with adaptive and with fixed stages, and independent Q-learning.
    """
    evidence, games = Evidence(tables), list(tables["gaps"]["game"].unique())
    by_id = {claim.id: claim for claim in claims}
    sentences = [
        _try(_verdicts, claims),
        _try(_gaps, evidence, games, adaptive),
        _with_share(
            _try(_independent, evidence, games, adaptive, independent),
            by_id.get("beats-independent"),
        ),
        _with_share(
            _try(_adaptive, evidence, games, adaptive, fixed), by_id.get("adaptive-stages")
        ),
        _with_share(_try(_earlier, evidence), by_id.get("beats-v-learning")),
        _try(_reward_is_no_measure, evidence),
        _with_share(_try(_growth, evidence, adaptive), by_id.get("stage-growth")),
        _try(_bounds, evidence, games, adaptive),
        _with_share(_try(_coverage, evidence), by_id.get("confidence-lemma")),
    ]
    return "".join(f"- {sentence}\n" for sentence in filter(None, sentences))


def headlines(text: str) -> str:
    """Return the findings without their details."""
    return "".join(line for line in text.splitlines(keepends=True) if line.startswith("- "))


def _try(finding: Callable[..., str], *arguments: object) -> str:
    """Return the finding, or nothing if the tables lack its numbers."""
    with suppress(NotTestable):
        return finding(*arguments)
    return ""


def _with_share(finding: str, claim: JudgedClaim | None) -> str:
    """Return a finding with the share of universes in which its claim holds, and what decides."""
    if not finding or claim is None or claim.robustness is None:
        return finding
    robust = claim.robustness
    space = " " if DETAILS in finding else DETAILS
    text = f"{finding}{space}Over all readings “{claim.title}” holds in {robust.text} universes."
    if robust.share is None or min(robust.share, 1 - robust.share) < 0.005 or not robust.hangs_on:
        return text
    choice, _, shares = robust.hangs_on.partition(": ")
    return f"{text} It depends most on the choice “{choice}”: {shares}."


def _verdicts(claims: Sequence[JudgedClaim]) -> str:
    counts = Counter(claim.verdict for claim in claims)
    words = [f"{counts[word]} are {word}" for word in (REPRODUCED, CAVEAT, NOT_REPRODUCED)]
    text = f"**Of {len(claims)} claims** {join_words(words)}."
    confirmed = [claim for claim in claims if claim.confirmation]
    other = [c for c in confirmed if c.confirmation and c.confirmation.verdict != c.verdict]
    if confirmed and not other:
        text += " On new seeds and new games every verdict is the same."
    if other:
        changes = (f"{c.title} ({c.confirmation.verdict})" for c in other if c.confirmation)
        text += (
            f" On new seeds and new games {len(other)} of {len(confirmed)} verdicts differ: "
            f"{join_words(changes)}."
        )
    return text


def _gaps(evidence: Evidence, games: Sequence[str], learner: str) -> str:
    rows = {game: evidence.gap(game, learner) for game in games}
    gaps = (f"{estimate(row)} on `{game}`" for game, row in rows.items())
    last = max(row["episodes"] for row in rows.values())
    return (
        f"**The learned policy comes close to an equilibrium**: at K = {number(last)} its exact "
        f"gap is {join_words(gaps)}.{_try(_rate, evidence, games, learner)}"
    )


def _rate(evidence: Evidence, games: Sequence[str], learner: str) -> str:
    fits = evidence.slopes(games, learner, "max_gap")
    rates = (
        f"K^{fixed_estimate(fit['slope'], fit['low'], fit['high'])} on `{game}`"
        for game, fit in fits.iterrows()
    )
    windows = pd.concat(
        [evidence.local_slopes(g, learner, "max_gap", fits.loc[g, "from"]) for g in games]
    )
    flat = decimals(windows["slope"].max())
    return (
        f"{DETAILS}It falls like {join_words(rates)} (in the slowest decade like K^{flat}); the "
        f"theorem's rate is K^−0.50."
    )


def _independent(evidence: Evidence, games: Sequence[str], adaptive: str, independent: str) -> str:
    parts = []
    for game in games:
        ours, theirs = (evidence.gap(game, name) for name in (adaptive, independent))
        place = _order(theirs, ours) or "not clearly apart from"
        parts.append(
            f"on `{game}` its greedy policy has a gap of {estimate(theirs)}, {place} that of "
            f"V-learning ({estimate(ours)})"
        )
    return f"**Independent Q-learning**: {join_words(parts)}."


def _adaptive(evidence: Evidence, games: Sequence[str], adaptive: str, fixed: str) -> str:
    changes, parts = [], []
    for game in games:
        ours, theirs = (evidence.gap(game, name) for name in (adaptive, fixed))
        before, after = theirs["mean"], ours["mean"]
        by = f"by {change(after / before)}" if before > 0 else f"from 0 to {number(after)}"
        apart = "intervals apart" if _order(ours, theirs) else "intervals not apart"
        changes.append(f"{by} on `{game}` ({apart})")
        parts.append(f"{estimate(ours)} against {estimate(theirs)} on `{game}`")
    return (
        f"**Adaptive stages against fixed ones** change the gap {join_words(changes)}.{DETAILS}"
        f"The gaps are {join_words(parts)}."
    )


def _order(ours: pd.Series, theirs: pd.Series) -> str:
    """Return "below", "above", or nothing if the intervals overlap or are not there."""
    with suppress(NotTestable):
        return "below" if above(theirs, ours) else "above" if above(ours, theirs) else ""
    return ""


INGREDIENTS = {  # learners that differ in nothing else, the one of the paper's kind second
    "exponential weights in place of Tsallis-INF": [
        ("v-stage-exponential", "v-stage"), ("v-incremental", "v-incremental-tsallis")
    ],
    "incremental updates in place of stages": [
        ("v-incremental", "v-stage-exponential"), ("v-incremental-tsallis", "v-stage")
    ],
}  # fmt: skip


def _earlier(evidence: Evidence) -> str:
    table = evidence.rows("baselines")
    names = [table["learner"].iloc[0], "v-stage", "v-incremental"]
    games, parts = table["game"].unique(), []
    closest: dict[str, list[str]] = {}
    for game in games:
        parts.append(f"`{game}` {', '.join(_bracket(evidence, game, name) for name in names)}")
        means = {
            name: evidence.gap(game, name, table="baselines")["mean"]
            for name in table["learner"].unique()
        }
        closest.setdefault(min(means, key=lambda name: means[name]), []).append(f"`{game}`")
    smallest = (f"{name} on {join_words(where)}" for name, where in closest.items())
    effects = (
        f"{what} make the gap {_factors(evidence, games, pairs)} times as large"
        for what, pairs in INGREDIENTS.items()
    )
    return (
        f"**Beside the V-learning that it builds on**: the smallest mean gap is that of "
        f"{join_words(smallest)}. {sentence(list(effects))}{DETAILS}The gaps of "
        f"{join_words(names)} at K = {number(table['episodes'].max())} are, on {'; '.join(parts)}."
    )


def _bracket(evidence: Evidence, game: str, learner: str) -> str:
    """Return the gap; "at most" if only bounds are known."""
    low, high = (
        evidence.gap(game, learner, name, "baselines") for name in ("max_gap_low", "max_gap")
    )
    known = high["mean"] <= low["mean"] * (1 + 1e-9)
    return estimate(high) if known else f"at most {estimate(high)}"


def _factors(evidence: Evidence, games: Sequence[str], pairs: Sequence[tuple[str, str]]) -> str:
    """Return by how much the gap of the first is larger than that of the second, as a range."""
    ratios = []
    for game in games:
        for first, second in pairs:
            one, other = (evidence.gap(game, x, table="baselines") for x in (first, second))
            if not other["mean"] > 0:
                raise NotTestable(f"on {game} {second} has no gap to compare with")
            ratios.append(one["mean"] / other["mean"])
    return " to ".join(dict.fromkeys(number(x, 2) for x in (min(ratios), max(ratios))))


def _reward_is_no_measure(evidence: Evidence) -> str:
    game = evidence.rows("late_returns")["game"].iloc[0]
    table = evidence.rows("late_returns", game=game)
    rewards = ", ".join(
        f"{name} {estimate(evidence.reward(game, name), 4)}" for name in table["learner"].unique()
    )
    uniform, equilibrium = evidence.random_play_pays(game)
    team = evidence.reference(game, "team optimum")
    return (
        f"**Reward does not measure learning here.** Every equilibrium of `{game}` pays "
        f"{number(equilibrium, 4)}, uniformly random play {number(uniform, 4)}, the team optimum "
        f"{number(team, 4)}.{DETAILS}Over the last tenth of {number(table['episodes'].max())} "
        f"episodes agents earn: {rewards}."
    )


def _growth(evidence: Evidence, learner: str) -> str:
    rows = evidence.rows("growth", learner=learner, measure="visits_stuck")
    worst = rows.loc[rows["mean"].idxmax()]
    share = estimate(100 * worst[["mean", "low", "high"]])
    return (
        f"**The printed stage rule can stall**: with {int(worst['agents'])} agents {share} % of "
        f"the visits of {learner} are in stages of the first length, L̃ = T."
    )


def _bounds(evidence: Evidence, games: Sequence[str], learner: str) -> str:
    bounds = []
    for game in games:
        own, exact = (evidence.gap(game, learner, m)["mean"] for m in ("max_own_bound", "max_gap"))
        if exact > 0:
            bounds.append(f"{number(own / exact)} times the exact gap on `{game}`")
        else:
            bounds.append(f"{number(own)} beside an exact gap of {number(exact)} on `{game}`")
    constant = evidence.least_constant([learner], "max_own_bound")
    return (
        f"**The bounds are far from tight**: what agents can certify by themselves, "
        f"(1/K) Σ (V̄ − V̲), is {join_words(bounds)} at the largest K.{DETAILS}The theorem gives "
        f"no constant; to cover it at every K of the study a constant of {number(constant, 2)} "
        f"suffices."
    )


def _coverage(evidence: Evidence) -> str:
    *_, runs = evidence.coverage()
    all_runs = number(evidence.rows("coverage")["runs"].sum())
    text = (
        f"**The confidence lemma** holds at every node in {runs} in which a bound says something."
        f"{DETAILS}There are {all_runs} in all; in the others every bound is trivial and cannot "
        f"fail."
    )
    with suppress(NotTestable):
        text += f" Without the bonus, as a control, it holds in {evidence.coverage('control')[2]}."
    return text
