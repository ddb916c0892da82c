"""Rules of Sections II and III: local information, adaptive stages, the gap and its bounds."""

import math
from collections.abc import Iterator
from contextlib import suppress
from typing import Annotated, Literal

import pandas as pd
from pydantic import Field

from amg.base import text
from amg.base.text import join_words, number, percent, sentence
from amg.claims.evidence import (
    Evidence,
    Names,
    NotTestable,
    Verdict,
    above,
    ends,
    estimate,
    interval,
    measured,
    seeds,
)
from amg.inputs.models import Real, Text

Table = Literal["gaps", "baselines"]


def is_local(evidence: Evidence, *, tolerance: Real) -> Verdict:
    """Policies and V̄ follow from own states, actions, rewards and d; nothing else changes them."""
    table = evidence.rows("locality")
    error = float(table[["policy_error", "v_bar_error"]].max().max())
    counts = ("changed", "length_errors", "visits", "length_errors_without_aggregate")
    changed, wrong, visits, unexplained = (int(table[name].sum()) for name in counts)
    perturbed, regrouped = (number(table[name].sum()) for name in ("perturbed", "regrouped"))
    verdict = Verdict(
        number=f"an agent changed in {changed} of {perturbed} episodes with what it must not read; "
        f"a replay from local data is within {error:.1g}"
    )
    if changed or wrong or error > tolerance:
        return verdict.not_reproduced(
            f"In {changed} of {perturbed} episodes an agent changed when only the others' rewards, "
            f"memories or actions did; a replay from local data misses {wrong} stage lengths and "
            f"is off by {error:.1g}."
        )
    why = (
        f"{number(visits)} visits of {len(table)} agents follow from their own data; "
        f"changing the others' rewards and memories before each of {perturbed} episodes, and in "
        f"{regrouped} of them who of the others does what, leaves every bit of the agent's own."
    )
    caveat = "Its bonus needs the number of agents and the largest action set of anyone, through ι."
    if unexplained:
        caveat += (
            f" It must also be told the public aggregate, which Section II does not list among "
            f"what it observes: without it {percent(unexplained / visits)} of visits have another "
            f"stage length."
        )
    return verdict.reproduced(why, caveat)


def grow(evidence: Evidence, *, game: Text, learners: Names, stuck: Real) -> Verdict:
    """Every stage is longer than the one before; nowhere are more than `stuck` visits at L̃ = T."""
    table = evidence.rows("growth")
    judged = table[table["learner"].isin(learners)]
    own = judged[judged["game"] == game]
    floor = "⌊λ (1 + 1/T) T⌋ = T for every λ < 1" if (judged["stage_rule"] == "floor").all() else ""
    ratio, idle = _worst(own, "ratio"), _worst(own, "not_grown")
    worst = _worst(judged, "visits_stuck")
    where = f"{worst['learner']} on {worst['game']} ({int(worst['agents'])} agents)"
    visits, stages = (100 * row[["mean", "low", "high"]] for row in (worst, idle))
    share = f"{number(visits['mean'])} %"
    verdict = Verdict(  # first what decides, then the game of the claim
        number=f"{share} of the visits of {where} at L̃ = T; {number(stages['mean'])} % of the "
        f"stages on {game} are no longer than the one before; mean ratio {number(ratio['mean'])}",
        interval=f"{interval(visits)} %; {interval(stages)} %; {interval(ratio)}",
        seeds=seeds(worst, ratio, idle),
    ).turning(worst["mean"], stuck)
    if ends(worst)[1] > stuck:
        return verdict.not_reproduced(
            f"{floor}{floor and ': '}{where} spends {share} of all visits in stages "
            f"of the first length, L̃ = T, after {number(worst['episodes'])} episodes."
        )
    why = f"No run spends more than {share} of its visits at L̃ = T ({where})."
    late = f"on {game} up to {number(_worst(own, 'stuck')['mean'])} stages of one state have L̃ = T"
    caveat = f"{floor}{floor and ', so that '}growth begins late: {late}."
    return verdict.reproduced(why, caveat if ends(idle)[1] > 0 else None)


def _worst(table: pd.DataFrame, measure: str) -> pd.Series:
    """Return the row that contradicts growth most."""
    known = table[table["measure"] == measure].dropna(subset=["mean"])
    if known.empty:
        raise NotTestable(f"table growth has no {measure} of the learners of the claim")
    return known.loc[known["mean"].idxmin() if measure == "ratio" else known["mean"].idxmax()]


def closer(
    evidence: Evidence, *, games: Names, learners: Names, other: Text, table: Table
) -> Verdict:
    """The gap is below that of the other learner, the intervals apart, in every comparison.

    It is a caveat if that is so in some of them only. A gap may be known to lie between two bounds
    only; then the worse one counts for whoever is to have the smaller gap.
    """
    names = [*learners, other]
    low, high = (
        {(game, name): evidence.gap(game, name, measure, table) for game in games for name in names}
        for measure in ("max_gap_low", "max_gap")
    )
    pairs = [((game, name), (game, other)) for game in games for name in learners]
    gaps = [
        f"{number(high[ours]['mean'])} against {number(high[theirs]['mean'])} ({name} on {game})"
        for ours, theirs in pairs
        for game, name in [ours]
    ]
    ratios = [
        high[ours]["mean"] / high[theirs]["mean"]
        for ours, theirs in pairs
        if high[theirs]["mean"] > 0
    ]
    verdict = Verdict(
        number=f"gap {gaps[0]}",
        interval=" against ".join(interval(high[one]) for one in pairs[0]),
        seeds=seeds(*high.values()),
    ).turning(max(ratios, default=math.inf), 1.0)
    better = [ours for ours, theirs in pairs if above(low[theirs], high[ours])]
    worse = [(ours, theirs) for ours, theirs in pairs if above(low[ours], high[theirs])]
    why = (
        f"Of {len(pairs)} comparisons at the largest K the gap is clearly below that of {other} "
        f"in {len(better)}, clearly above in {len(worse)}: {join_words(gaps)}. The paper does not "
        f"measure it."
    )
    if worse:
        (game, name), _ = worse[0]
        ours, theirs = (estimate(high[one]) for one in worse[0])
        return verdict.not_reproduced(f"On {game}, {name} has {ours}, {other} {theirs}. {why}")
    if not better:
        return verdict.not_reproduced(f"No clear difference. {why}")
    caveat = f"No clear difference in {len(pairs) - len(better)} of {len(pairs)} comparisons."
    return verdict.reproduced(why, caveat if len(better) < len(pairs) else None)


def falls_like(
    evidence: Evidence,
    *,
    games: Names,
    learner: Text,
    measure: Text,
    own: Text,
    exponent: Real,
    first: Real,
    least: Real,
    level: Annotated[Real, Field(gt=0, lt=1)],
) -> Verdict:
    """d log ε / d log K ≤ `exponent` in every window of K from `first` on, in every game.

    Not reproduced if the interval of some window lies above the exponent. A caveat if one contains
    it, or if χ² rejects a single power law at `level`. `own` is the quantity that the proof bounds.
    Where the policy is a CCE, with a gap of at most 0, there is no rate: a caveat as well.
    """
    solved = [game for game in games if not evidence.gap(game, learner, measure)["mean"] > 0]
    games = [game for game in games if game not in solved]
    if not games:
        raise NotTestable(f"on {join_words(solved)} the policy is a CCE: no gap is left to fall")
    all_windows = pd.concat([evidence.local_slopes(g, learner, measure, 0) for g in games])
    windows = pd.concat([evidence.local_slopes(g, learner, measure, first) for g in games])
    slopes = evidence.slopes(games, learner, measure)
    if (reached := windows.groupby("game")["to"].max().min()) < least:
        raise NotTestable(
            f"the largest K is {number(reached)}; a rate is judged from K = {number(least)} on"
        )
    runs = (evidence.rows("gaps", game=game, learner=learner).iloc[0] for game in games)
    fitted = (f"K^{number(row['slope'])} on {game}" for game, row in slopes.iterrows())
    verdict = Verdict(
        number=f"ε ~ {join_words(fitted)}",
        interval=join_words(filter(None, (interval(row) for _, row in slopes.iterrows()))) or None,
        seeds=seeds(*runs),
    ).turning(windows["slope"].max(), exponent)
    why = _local_rates(windows, slopes, exponent)
    above_it, around_it = _not_below(windows, exponent)
    if above_it:
        return verdict.not_reproduced(f"Slower than the theorem's on {join_words(above_it)}. {why}")
    caveats = []
    if around_it:
        caveats.append(f"the interval reaches beyond {number(exponent)} on {join_words(around_it)}")
    before, _ = _not_below(all_windows[all_windows["from"] < first], exponent)
    if before:
        caveats.append(f"before K = {number(first)} it is slower on {join_words(before)}")
    if rejected := join_words(slopes.index[slopes["p_value"] < level]):
        caveats.append(f"a single power law is rejected on {rejected}")
    if solved:
        caveats.append(
            f"on {join_words(solved)} there is no rate to measure, for the policy is a CCE: no "
            f"deviation gains anything"
        )
    if slower := join_words(_slower(evidence, games, learner, own, exponent, first)):
        caveats.append(
            f"what the proof bounds, (1/K) Σ (V̄ − V̲), is not yet at that rate: in its last window "
            f"it falls like {slower}"
        )
    return verdict.reproduced(why, sentence(caveats))


def _not_below(windows: pd.DataFrame, exponent: float) -> tuple[list[str], list[str]]:
    """Return the windows whose interval lies above the exponent, and those that contain it."""
    above_it: list[str] = []
    around_it: list[str] = []
    for _, row in windows.iterrows():
        low, high = ends(row)
        name = f"{row['game']} from K = {number(row['from'])} to {number(row['to'])}"
        name = f"{name} ({number(row['slope'])} {interval(row)})"
        if low > exponent:
            above_it.append(name)
        elif high > exponent:
            around_it.append(name)
    return above_it, around_it


def _local_rates(windows: pd.DataFrame, slopes: pd.DataFrame, exponent: float) -> str:
    """Return the range of local slopes, and how well one power law fits."""
    ranges = (
        f"{number(rows['slope'].min())} to {number(rows['slope'].max())} on {game}"
        for game, rows in windows.groupby("game", sort=False)
    )
    fits = [
        f"χ² = {number(row['chi2'])} with {int(row['freedom'])} degrees of freedom on {game}"
        for game, row in slopes.iterrows()
        if pd.notna(row["chi2"])
    ]
    text = (
        f"Slopes of {len(windows)} windows from K = {number(windows['from'].min())} to "
        f"{number(windows['to'].max())} are {join_words(ranges)}; the theorem's exponent is "
        f"{number(exponent)}."
    )
    return f"{text} Around one power law: {join_words(fits)}." if fits else text


def _slower(
    evidence: Evidence, games: Names, learner: str, own: str, exponent: float, first: float
) -> Iterator[str]:
    """Yield the rate in the last window of each game where it is slower than the exponent."""
    for game in games:
        windows = evidence.local_slopes(game, learner, own, first)
        row = windows.loc[windows["from"].idxmax()]
        if ends(row)[0] > exponent:
            yield f"K^{number(row['slope'])} {interval(row)} on {game}"


def stays_below(
    evidence: Evidence, *, learners: Names, fixed: Text, measure: Text, own: Text
) -> Verdict:
    """ε ≤ the bound with all constants of the proof, at every K where it says something.

    The proof gives the bound for λ = 1, the stages of `fixed`. For the printed rule of `learners`
    it gives none, so only the least constant that would do is reported.
    """
    rows = evidence.rows("theory", learner=fixed)
    says = rows[rows["bound"] < rows["range"]]
    if says.empty:
        raise NotTestable("the bound is above the range of returns at every K of the study")
    gaps, owns = (says[says["measure"] == name] for name in (measure, own))
    broken = gaps[gaps["mean"] > gaps["bound"]]
    if gaps.empty:
        raise NotTestable(f"table theory has nothing for measure = {measure}")
    last = gaps.loc[gaps["episodes"].idxmax()]
    verdict = Verdict(
        number=f"gap {number(last['mean'])} against a bound of {number(last['bound'])} at "
        f"K = {number(last['episodes'])} ({fixed} on {last['game']})"
    ).turning((gaps["mean"] / gaps["bound"]).max(), 1.0)
    if not broken.empty:
        row = broken.iloc[0]
        return verdict.not_reproduced(
            f"On {row['game']} at K = {number(row['episodes'])} the gap of {fixed} is "
            f"{number(row['mean'])}, above the bound of {number(row['bound'])}."
        )
    smallest = number((gaps["bound"] / gaps["mean"]).min())
    kept = "" if (owns["mean"] > owns["bound"]).any() else ", as does what the proof bounds"
    needs = number(evidence.least_constant(learners, measure))
    caveats = [
        f"the paper gives no constant; with those of its proof the bound is below the range of "
        f"returns only from K = {number(says['episodes'].min())} on",
        f"the proof gives it for λ = 1; for the printed rule its Term 3 fails, and a constant of "
        f"{needs} would cover {join_words(learners)} in this study",
        "the proof has the confidence lemma only in expectation",
    ]
    return verdict.reproduced(
        f"The gap of {fixed} stays below the bound by a factor of {smallest} or more at all "
        f"{len(gaps)} K and games where the bound is below the range of returns{kept}.",
        sentence(caveats),
    )


def free_of_curse(
    evidence: Evidence, *, learner: Text, measure: Text, raw: Text, exponent: Real
) -> Verdict:
    """d log gap / d log N ≤ `exponent` at the largest K, where a curse would be like A^N."""
    scaled, unscaled = (
        evidence.last("agent_slopes", "episodes", learner=learner, measure=name)
        for name in (measure, raw)
    )
    agents = f"{int(scaled['least'])} to {int(scaled['most'])}"
    verdict = measured(f"gap ~ N^{number(scaled['slope'], 2)} for N = {agents}", scaled, digits=2)
    verdict = verdict.turning(scaled["slope"], exponent)
    why = (
        f"At K = {number(scaled['episodes'])}, in units of the reward range; the theorem's log N "
        f"alone would give N^{number(scaled['theorem'], 2)}."
    )
    low, high = ends(scaled)
    if low > exponent:
        return verdict.not_reproduced(f"The gap grows faster than N^{number(exponent)}. {why}")
    caveats = []
    if high > exponent:
        caveats.append(f"the interval reaches beyond N^{number(exponent)}")
    if ends(unscaled)[1] > exponent:
        caveats.append(
            f"in raw units the gap grows like N^{number(unscaled['slope'], 2)} "
            f"{interval(unscaled, 2)}, with the range of rewards"
        )
    with suppress(NotTestable):
        rules = set(evidence.rows("growth", learner=learner)["stage_rule"]) - {"floor"}
        caveats += [f"measured with stage_rule = {rule}, not as printed" for rule in sorted(rules)]
    return verdict.reproduced(why, sentence(caveats))


def covers(evidence: Evidence, *, level: Annotated[Real, Field(gt=0, lt=1)]) -> Verdict:
    """V̲ ≤ V and U ≤ V̄ at every node, in at least 1 − p of the runs whose bounds say something.

    It is judged for each game, learner and K by itself, and for all together.
    """
    from scipy.stats import binomtest  # here: its import takes half a second

    holding, runs, holding_of_runs = evidence.coverage()
    table = evidence.rows("coverage")
    if runs == 0:
        raise NotTestable(
            "no bound of any run says anything: V̲ = 0 and V̄ is all that can be earned"
        )
    least = 1 - float(evidence.rows("theory")["p"].iloc[0])
    share, trivial = number(least, 6), int(table["runs"].sum()) - runs
    exact = binomtest(holding, runs).proportion_ci(level, "exact")
    tested = table[table["runs_tested"] > 0]
    verdict = Verdict(
        number=f"{holding_of_runs} whose bounds say something",
        interval=text.interval(exact.low, exact.high),
        seeds=int(tested["runs_tested"].min()),
    ).turning(holding / runs, least)
    for row in tested.to_dict("records"):
        held, of = int(row["runs_holding"]), int(row["runs_tested"])
        if binomtest(held, of).proportion_ci(level, "exact").high < least:
            return verdict.not_reproduced(
                f"For {row['learner']} on {row['game']} at K = {number(row['episodes'])} they hold "
                f"in {held} of {of} runs, below 1 − p = {share}."
            )
    why = (
        f"Both bounds hold at every node in {holding_of_runs} whose bounds say something; 1 − p is "
        f"{share}. {_control(evidence)}"
    )
    if holding / runs < least:
        return verdict.not_reproduced(why)
    caveats = []
    if trivial:
        caveats.append(
            f"in the other {number(trivial)} of {number(trivial + runs)} runs every bound is "
            f"trivial (V̲ = 0 and V̄ all that can be earned) and cannot fail"
        )
    if exact.low < least:
        caveats.append(
            f"{number(runs)} runs cannot tell a share of {share} from one of {number(exact.low)}"
        )
    return verdict.reproduced(why, sentence(caveats))


def _control(evidence: Evidence) -> str:
    """Return what the same check finds where the lemma promises nothing."""
    with suppress(NotTestable):
        _, _, holding_of_runs = evidence.coverage("control")
        return f"Without the bonus, as a control, they hold in {holding_of_runs}."
    return "There is no control."
