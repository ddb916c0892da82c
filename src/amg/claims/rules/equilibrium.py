"""Rules of Section III: the equilibrium gap, its rate and bound, and the confidence lemma."""

from __future__ import annotations

from amg.claims.lookup import Tables, last, rows
from amg.claims.verdict import Evidence, NotTestable, Verdict
from amg.claims.words import interval, listed, number, seeds, sentence


def falls_like(
    tables: Tables,
    *,
    games: list[str],
    learner: str,
    measure: str,
    own: str,
    exponent: float,
    least: float,
) -> Verdict:
    """d log ε / d log K ≤ `exponent` in every game; `own` is the quantity that the proof bounds."""
    found = {g: rows(tables, "slopes", game=g, learner=learner, measure=measure).iloc[0]
             for g in games}  # fmt: skip
    evidence = Evidence(
        "ε ~ " + listed(f"K^{number(row['slope'])} on {game}" for game, row in found.items()),
        listed(interval(row) for row in found.values()),
        seeds(*(rows(tables, "gaps", game=g, learner=learner).iloc[0] for g in games)),
    )
    why = (
        f"Fitted from K = {min(int(row['from']) for row in found.values()):,} to "
        f"{max(int(row['to']) for row in found.values()):,}; the theorem's exponent is "
        f"{number(exponent)}."
    )
    most = min(int(row["to"]) for row in found.values())
    if most < least:
        return evidence.not_testable(
            f"The largest K is {most:,}; a rate is judged from K = {int(least):,} on."
        )
    slow = [game for game, row in found.items() if row["low"] > exponent]
    if slow:
        return evidence.not_reproduced(f"Slower than the theorem's on {listed(slow)}. {why}")
    unsure = [game for game, row in found.items() if row["high"] > exponent]
    if unsure:
        return evidence.reproduced(
            why, f"The interval reaches beyond {number(exponent)} on {listed(unsure)}."
        )
    return evidence.reproduced(why, _own_bound_is_slower(tables, games, learner, own, exponent))


def _own_bound_is_slower(
    tables: Tables, games: list[str], learner: str, own: str, exponent: float
) -> str | None:
    try:
        bounds = {g: rows(tables, "slopes", game=g, learner=learner, measure=own).iloc[0]
                  for g in games}  # fmt: skip
    except NotTestable:
        return None
    slower = {game: row for game, row in bounds.items() if row["low"] > exponent}
    if not slower:
        return None
    return (
        "What the proof bounds, (1/K) Σ (V̄ − V̲), is not yet at that rate: it falls like "
        + listed(f"K^{number(row['slope'])} {interval(row)} on {g}" for g, row in slower.items())
        + "."
    )


def stays_below(
    tables: Tables, *, learners: list[str], measure: str, own: str, constant: float | None
) -> Verdict:
    """ε ≤ constant · √(S A_max T⁵ ι / K) at every K; without a constant no K can contradict it."""
    needed = {}
    for name in (measure, own):
        table = rows(tables, "theory", measure=name)
        table = table[table["learner"].isin(learners)]
        if table.empty:
            raise NotTestable(f"table theory has nothing for {listed(learners)}")
        needed[name] = float(table["constant"].max())
    evidence = Evidence(f"{number(needed[measure])} as least constant")
    said = (
        f"a constant of {number(needed[measure])} covers the exact gap at every K of the study, "
        f"one of {number(needed[own])} what the proof bounds"
    )
    if constant is None:
        return evidence.not_testable(
            f"The theorem gives no constant, so that no finite K can contradict it; {said}."
        )
    if needed[measure] > constant:
        return evidence.not_reproduced(f"With {number(constant)} it fails: {said}.")
    caveat = f"What the proof bounds needs {number(needed[own])}, not {number(constant)}."
    return evidence.reproduced(
        f"With {number(constant)} it holds: {said}.", caveat if needed[own] > constant else None
    )


def free_of_curse(
    tables: Tables, *, learner: str, measure: str, raw: str, exponent: float
) -> Verdict:
    """d log gap / d log N ≤ `exponent` at the largest K, where a curse would be like A^N."""
    row = last(rows(tables, "agent_slopes", learner=learner, measure=measure), "episodes")
    evidence = Evidence(
        f"gap ~ N^{number(row['slope'], 2)} for N = {int(row['least'])} to {int(row['most'])}",
        interval(row, 2),
        seeds(row),
    )
    why = (
        f"At K = {int(row['episodes']):,}, in units of the reward range; the theorem's log N alone "
        f"would give N^{number(row['theorem'], 2)}."
    )
    if row["low"] > exponent:
        return evidence.not_reproduced(f"The gap grows faster than N^{number(exponent)}. {why}")
    caveats = []
    if row["high"] > exponent:
        caveats.append(f"the interval reaches beyond N^{number(exponent)}")
    other = last(rows(tables, "agent_slopes", learner=learner, measure=raw), "episodes")
    if other["high"] > exponent:
        caveats.append(
            f"in raw units the gap grows like N^{number(other['slope'], 2)} "
            f"{interval(other, 2)}, with the range of rewards"
        )
    caveats += _another_rule(tables, learner)
    return evidence.reproduced(why, sentence(caveats))


def _another_rule(tables: Tables, learner: str) -> list[str]:
    """Was it not the printed stage rule that was measured?"""
    try:
        found = rows(tables, "growth", learner=learner)
    except NotTestable:
        return []
    rules = set(found["stage_rule"]) - {"floor"}
    return [f"measured with stage_rule = {rule}, not as printed" for rule in sorted(rules)]


def covers(tables: Tables, *, level: float) -> Verdict:
    """V̲ ≤ V and U ≤ V̄ at every node in a share 1 − p of the runs at least."""
    from scipy.stats import binomtest  # here: half a second that Snakemake need not wait to start

    if not 0 < level < 1:
        raise NotTestable(f"level = {level} is not between 0 and 1")
    table = rows(tables, "coverage")
    p = float(rows(tables, "theory")["p"].iloc[0])
    holding, runs = int(table["runs_holding"].sum()), int(table["runs"].sum())
    exact = binomtest(holding, runs).proportion_ci(level, "exact")
    evidence = Evidence(
        f"{holding:,} of {runs:,} runs", f"[{number(exact.low)}, {number(exact.high)}]",
        int(table["runs"].min()),
    )  # fmt: skip
    why = f"Both bounds hold at every node in {holding:,} of {runs:,} runs; 1 − p is {1 - p:g}."
    for row in table.to_dict("records"):
        held, of = int(row["runs_holding"]), int(row["runs"])
        if binomtest(held, of).proportion_ci(level, "exact").high < 1 - p:
            return evidence.not_reproduced(
                f"For {row['learner']} on {row['game']} at K = {row['episodes']:,} they hold in "
                f"{held} of {of} runs, below 1 − p = {1 - p:g}."
            )
    if holding / runs < 1 - p:
        return evidence.not_reproduced(why)
    few = f"{runs} runs cannot tell a share of {1 - p:g} from one of {number(exact.low)}."
    return evidence.reproduced(why, few if exact.low < 1 - p else None)
