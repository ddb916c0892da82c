"""Rules of Section III: the equilibrium gap, its rate and bound, and the confidence lemma.

---
Rules of the adaptive stages: do they grow, and do they help?
"""

from __future__ import annotations

import pandas as pd

from amg.base.text import interval as interval_text
from amg.base.text import join_words, number, sentence
from amg.claims.evidence import (
    Evidence,
    Measurement,
    NotTestable,
    Verdict,
    above,
    estimate,
    interval,
    last,
    seeds,
)


def falls_like(
    evidence: Evidence,
    *,
    games: list[str],
    learner: str,
    measure: str,
    own: str,
    exponent: float,
    least: float,
) -> Verdict:
    """d log ε / d log K ≤ `exponent` in every game; `own` is the quantity that the proof bounds."""
    slopes = {game: evidence.slope(game, learner, measure) for game in games}
    measured = Measurement(
        "ε ~ " + join_words(f"K^{number(row['slope'])} on {g}" for g, row in slopes.items()),
        join_words(interval(row) for row in slopes.values()),
        seeds(*(evidence.rows("gaps", game=g, learner=learner).iloc[0] for g in games)),
    )
    why = (
        f"Fitted from K = {number(min(int(row['from']) for row in slopes.values()))} to "
        f"{number(max(int(row['to']) for row in slopes.values()))}; the theorem's exponent is "
        f"{number(exponent)}."
    )
    largest = min(int(row["to"]) for row in slopes.values())
    if largest < least:
        return measured.not_testable(
            f"The largest K is {number(largest)}; a rate is judged from K = {number(least)} on."
        )
    slow = [game for game, row in slopes.items() if row["low"] > exponent]
    if slow:
        return measured.not_reproduced(f"Slower than the theorem's on {join_words(slow)}. {why}")
    unsure = [game for game, row in slopes.items() if row["high"] > exponent]
    if unsure:
        return measured.reproduced(
            why, f"The interval reaches beyond {number(exponent)} on {join_words(unsure)}."
        )
    return measured.reproduced(why, _own_bound_is_slower(evidence, games, learner, own, exponent))


def _own_bound_is_slower(
    evidence: Evidence, games: list[str], learner: str, own: str, exponent: float
) -> str | None:
    """Return a caveat if what the proof bounds falls more slowly than the theorem's rate."""
    try:
        bounds = {game: evidence.slope(game, learner, own) for game in games}
    except NotTestable:
        return None
    slower = join_words(
        f"K^{number(row['slope'])} {interval(row)} on {game}"
        for game, row in bounds.items()
        if row["low"] > exponent
    )
    if not slower:
        return None
    return (
        f"What the proof bounds, (1/K) Σ (V̄ − V̲), is not yet at that rate: it falls like {slower}."
    )


def stays_below(
    evidence: Evidence, *, learners: list[str], measure: str, own: str, constant: float | None
) -> Verdict:
    """ε ≤ constant · √(S A_max T⁵ ι / K) at every K; without a constant no K can contradict it."""
    gap_needs, own_needs = (evidence.least_constant(learners, name) for name in (measure, own))
    measured = Measurement(f"{number(gap_needs)} as least constant")
    needs = (
        f"a constant of {number(gap_needs)} covers the exact gap at every K of the study, "
        f"one of {number(own_needs)} what the proof bounds"
    )
    if constant is None:
        return measured.not_testable(
            f"The theorem gives no constant, so that no finite K can contradict it; {needs}."
        )
    if gap_needs > constant:
        return measured.not_reproduced(f"With {number(constant)} it fails: {needs}.")
    caveat = f"What the proof bounds needs {number(own_needs)}, not {number(constant)}."
    return measured.reproduced(
        f"With {number(constant)} it holds: {needs}.", caveat if own_needs > constant else None
    )


def free_of_curse(
    evidence: Evidence, *, learner: str, measure: str, raw: str, exponent: float
) -> Verdict:
    """d log gap / d log N ≤ `exponent` at the largest K, where a curse would be like A^N."""
    row = last(evidence.rows("agent_slopes", learner=learner, measure=measure), "episodes")
    measured = Measurement(
        f"gap ~ N^{number(row['slope'], 2)} for N = {int(row['least'])} to {int(row['most'])}",
        interval(row, 2),
        seeds(row),
    )
    why = (
        f"At K = {number(row['episodes'])}, in units of the reward range; the theorem's log N "
        f"alone would give N^{number(row['theorem'], 2)}."
    )
    if row["low"] > exponent:
        return measured.not_reproduced(f"The gap grows faster than N^{number(exponent)}. {why}")
    caveats = []
    if row["high"] > exponent:
        caveats.append(f"the interval reaches beyond N^{number(exponent)}")
    other = last(evidence.rows("agent_slopes", learner=learner, measure=raw), "episodes")
    if other["high"] > exponent:
        caveats.append(
            f"in raw units the gap grows like N^{number(other['slope'], 2)} "
            f"{interval(other, 2)}, with the range of rewards"
        )
    caveats += _another_rule(evidence, learner)
    return measured.reproduced(why, sentence(caveats))


def _another_rule(evidence: Evidence, learner: str) -> list[str]:
    """Return a caveat for each stage rule of the learner that is not the printed one."""
    try:
        growth = evidence.rows("growth", learner=learner)
    except NotTestable:
        return []
    rules = set(growth["stage_rule"]) - {"floor"}
    return [f"measured with stage_rule = {rule}, not as printed" for rule in sorted(rules)]


def covers(evidence: Evidence, *, level: float) -> Verdict:
    """V̲ ≤ V and U ≤ V̄ hold at every node in a share of at least 1 − p of the runs."""
    from scipy.stats import binomtest  # here: its import takes half a second

    if not 0 < level < 1:
        raise NotTestable(f"level = {level} is not between 0 and 1")
    lemma = evidence.coverage()
    least = 1 - float(evidence.rows("theory")["p"].iloc[0])
    share = number(least, 6)
    exact = binomtest(lemma.holding, lemma.runs).proportion_ci(level, "exact")
    measured = Measurement(
        str(lemma), interval_text(exact.low, exact.high), int(lemma.table["runs"].min())
    )
    why = f"Both bounds hold at every node in {lemma}; 1 − p is {share}."
    for row in lemma.table.to_dict("records"):
        holding, runs = int(row["runs_holding"]), int(row["runs"])
        if binomtest(holding, runs).proportion_ci(level, "exact").high < least:
            return measured.not_reproduced(
                f"For {row['learner']} on {row['game']} at K = {number(row['episodes'])} they hold "
                f"in {holding} of {runs} runs, below 1 − p = {share}."
            )
    if lemma.holding / lemma.runs < least:
        return measured.not_reproduced(why)
    few = f"{lemma.runs} runs cannot tell a share of {share} from one of {number(exact.low)}."
    return measured.reproduced(why, few if exact.low < least else None)


# ===== claims/rules/stages


def grow(evidence: Evidence, *, game: str, learners: list[str], stuck: float) -> Verdict:
    """Every stage is longer than the one before; nowhere are more than `stuck` visits at L̃ = T."""
    table = evidence.rows("growth")
    printed = table[table["learner"].isin(learners) & (table["stage_rule"] == "floor")]
    ratio, idle = (_worst(printed, name, game) for name in ("ratio", "not_grown"))
    measured = Measurement(
        f"{_percent(idle['mean'])} of the stages on {game} are no longer than the one before; "
        f"mean ratio {number(ratio['mean'])}",
        f"{_percents(idle)}; {interval(ratio)}",
        seeds(ratio, idle),
    )
    worst = _worst(printed, "visits_stuck")
    where = f"{worst['learner']} on {worst['game']} ({int(worst['agents'])} agents)"
    share = _percent(worst["mean"])
    if worst["high"] > stuck:
        decisive = Measurement(  # first what the verdict rests on, then the game of the claim
            f"{share} of the visits of {where} at L̃ = T; {measured.number}",
            f"{_percents(worst)}; {measured.interval}",
            seeds(worst, ratio, idle),
        )
        return decisive.not_reproduced(
            f"⌊λ (1 + 1/T) T⌋ = T for every λ < 1: {where} spends {share} of all visits in stages "
            f"of the first length, L̃ = T, after {number(worst['episodes'])} episodes."
        )
    why = f"No run spends more than {share} of its visits at L̃ = T ({where})."
    caveat = (
        f"⌊λ (1 + 1/T) T⌋ = T for every λ < 1, so that growth begins late: on {game} up to "
        f"{number(_worst(printed, 'stuck', game)['mean'])} stages of one state have L̃ = T."
    )
    return measured.reproduced(why, caveat if idle["high"] > 0 else None)


def _worst(table: pd.DataFrame, measure: str, game: str | None = None) -> pd.Series:
    """Return the row that contradicts growth most, of one game or of all."""
    known = table[table["measure"] == measure].dropna(subset=["mean"])
    known = known if game is None else known[known["game"] == game]
    if known.empty:
        raise NotTestable(f"table growth has no {measure} of the printed rule for {game or 'any'}")
    return known.loc[known["mean"].idxmin() if measure == "ratio" else known["mean"].idxmax()]


def _percent(share: float) -> str:
    return f"{number(100 * share)} %"


def _percents(row: pd.Series) -> str:
    return f"{interval(100 * row[['low', 'high']])} %"


def adapts(evidence: Evidence, *, games: list[str], adaptive: list[str], fixed: str) -> Verdict:
    """The gap of adaptive stages is below that of fixed ones, the intervals apart."""
    pairs = [(game, name, evidence.gap(game, name), evidence.gap(game, fixed))
             for game in games for name in adaptive]  # fmt: skip
    changes = [
        f"{number(ours['mean'])} against {number(theirs['mean'])} ({name} on {game})"
        for game, name, ours, theirs in pairs
    ]
    measured = Measurement(
        f"gap {changes[0]}",
        " against ".join(interval(row) for row in pairs[0][2:]),
        seeds(*(row for *_, ours, theirs in pairs for row in (ours, theirs))),
    )
    better = [pair for pair in pairs if above(pair[3], pair[2])]
    worse = [pair for pair in pairs if above(pair[2], pair[3])]
    why = (
        f"Of {len(pairs)} comparisons at the largest K the gap is clearly below that of fixed "
        f"stages in {len(better)}, clearly above in {len(worse)}: {join_words(changes)}. The paper "
        f"does not measure it."
    )
    if worse:
        game, name, ours, theirs = worse[0]
        return measured.not_reproduced(
            f"On {game}, {name} has {estimate(ours)}, {fixed} {estimate(theirs)}. {why}"
        )
    if not better:
        return measured.not_reproduced(f"No clear difference. {why}")
    caveat = f"No difference in {len(pairs) - len(better)} of {len(pairs)} comparisons."
    return measured.reproduced(why, caveat if len(better) < len(pairs) else None)
