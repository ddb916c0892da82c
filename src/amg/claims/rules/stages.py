"""Rules of the adaptive stages: do they grow, and do they help?"""

from __future__ import annotations

import pandas as pd

from amg.claims.lookup import Tables, above, gap, rows
from amg.claims.verdict import Evidence, NotTestable, Verdict
from amg.claims.words import estimate, interval, listed, number, seeds


def grow(tables: Tables, *, game: str, learners: list[str], stuck: float) -> Verdict:
    """Every stage is longer than the one before; nowhere are more than `stuck` visits at L̃ = T."""
    table = rows(tables, "growth")
    printed = table[table["learner"].isin(learners) & (table["stage_rule"] == "floor")]
    ratio, idle = (_worst(printed, name, game) for name in ("ratio", "not_grown"))
    evidence = Evidence(
        f"{number(100 * idle['mean'])} % of the stages on {game} are no longer than the one "
        f"before; mean ratio {number(ratio['mean'])}",
        f"[{number(100 * idle['low'])}, {number(100 * idle['high'])}] %; {interval(ratio)}",
        seeds(ratio, idle),
    )
    worst = _worst(printed, "visits_stuck")
    where = f"{worst['learner']} on {worst['game']} ({int(worst['agents'])} agents)"
    share = f"{number(100 * worst['mean'])} %"
    if worst["high"] > stuck:
        decisive = Evidence(  # what the verdict rests on, and then the game of the claim
            f"{share} of the visits of {where} at L̃ = T; {evidence.number}",
            f"[{number(100 * worst['low'])}, {number(100 * worst['high'])}] %; {evidence.interval}",
            seeds(worst, ratio, idle),
        )
        return decisive.not_reproduced(
            f"⌊λ (1 + 1/T) T⌋ = T for every λ < 1: {where} spends {share} of all visits in stages "
            f"of the first length, L̃ = T, after {int(worst['episodes']):,} episodes."
        )
    why = f"No run spends more than {share} of its visits at L̃ = T ({where})."
    caveat = (
        f"⌊λ (1 + 1/T) T⌋ = T for every λ < 1, so that growth begins late: on {game} up to "
        f"{number(_worst(printed, 'stuck', game)['mean'])} stages of one state have L̃ = T."
    )
    return evidence.reproduced(why, caveat if idle["high"] > 0 else None)


def _worst(table: pd.DataFrame, measure: str, game: str | None = None) -> pd.Series:
    """The row that speaks most against growth, of one game or of all."""
    found = table[table["measure"] == measure].dropna(subset=["mean"])
    found = found if game is None else found[found["game"] == game]
    if found.empty:
        raise NotTestable(f"table growth has no {measure} of the printed rule for {game or 'any'}")
    at = found["mean"].idxmin() if measure == "ratio" else found["mean"].idxmax()
    return found.loc[at]


def adapts(tables: Tables, *, games: list[str], adaptive: list[str], fixed: str) -> Verdict:
    """The gap of adaptive stages is below that of fixed ones, the intervals apart."""
    pairs = [(game, name, gap(tables, game, name), gap(tables, game, fixed))
             for game in games for name in adaptive]  # fmt: skip
    game, name, ours, theirs = pairs[0]
    evidence = Evidence(
        f"gap {number(ours['mean'])} against {number(theirs['mean'])} ({name} on {game})",
        f"{interval(ours)} against {interval(theirs)}",
        seeds(*(row for *_, ours, theirs in pairs for row in (ours, theirs))),
    )
    changes = listed(
        f"{number(ours['mean'])} against {number(theirs['mean'])} ({name} on {game})"
        for game, name, ours, theirs in pairs
    )
    better = [(g, n) for g, n, ours, theirs in pairs if above(theirs, ours)]
    worse = [(g, n, o, f) for g, n, o, f in pairs if above(o, f)]
    why = (
        f"Of {len(pairs)} comparisons at the largest K the gap is clearly below that of fixed "
        f"stages in {len(better)}, clearly above in {len(worse)}: {changes}. The paper does not "
        f"measure it."
    )
    if worse:
        game, name, ours, theirs = worse[0]
        return evidence.not_reproduced(
            f"On {game}, {name} has {estimate(ours)}, {fixed} {estimate(theirs)}. {why}"
        )
    if not better:
        return evidence.not_reproduced(f"No clear difference. {why}")
    caveat = f"No difference in {len(pairs) - len(better)} of {len(pairs)} comparisons."
    return evidence.reproduced(why, caveat if len(better) < len(pairs) else None)
