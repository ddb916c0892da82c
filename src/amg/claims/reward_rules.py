"""Rules of Section IV: the payoffs of the Fishermen Game, and what agents earn while they learn."""

from contextlib import suppress
from typing import Annotated

import pandas as pd
from pydantic import Field

from amg.base.text import join_words, number, percent, sentence
from amg.claims.evidence import (
    By,
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

Pays = Annotated[list[Real], Field(min_length=2, max_length=2)]  # of agents 1 and 2


def matches(
    evidence: Evidence,
    *,
    game: Text,
    matrices: dict[Text, dict[Text, dict[Text, Pays]]],
    tolerance: Real,
) -> Verdict:
    """r(s, a_1, a_2) is what the paper prints: matrices[s][a_1][a_2] = [pay 1, pay 2]."""
    cells = [
        (state, a, b, *pair)
        for state, matrix in matrices.items()
        for a, row in matrix.items()
        for b, pair in row.items()
    ]
    keys, pays = ["state", "action 1", "action 2"], ["pay 1", "pay 2"]
    printed = pd.DataFrame(cells, columns=[*keys, "printed 1", "printed 2"])
    table = evidence.rows("payoffs", game=game)[[*keys, *pays]].merge(printed, "outer", keys)
    if table.isna().any(axis=None):
        raise NotTestable(f"game {game} and the matrices have different states or actions")
    wrong = abs(table[pays] - table[["printed 1", "printed 2"]].set_axis(pays, axis=1)) > tolerance
    verdict = Verdict(number=f"{(~wrong).sum(axis=None)} of {wrong.size} pays equal")
    if not wrong.any(axis=None):
        return verdict.reproduced("f(a_i) − g(a) − c(s) gives every printed pay, at every step.")
    first = table[wrong.any(axis=1)].iloc[0]
    return verdict.not_reproduced(
        f"First difference: {first['state']} ({first['action 1']}, {first['action 2']}) pays "
        f"{first['pay 1']}, {first['pay 2']}, not {first['printed 1']}, {first['printed 2']}."
    )


def settles(
    evidence: Evidence, *, game: Text, learners: Names, low: Real, high: Real, drift: Real
) -> Verdict:
    """Every agent's reward ends between `low` and `high` and moves less than `drift` before.

    An interval that only overlaps with [low, high] is a caveat.
    """
    final = {name: evidence.reward(game, name) for name in learners}
    rewards = join_words(f"{name} {number(row['mean'], 4)}" for name, row in final.items())
    verdict = measured(f"{rewards} per agent and episode", *final.values(), digits=4)
    middle = (low + high) / 2
    farthest = max((row["mean"] for row in final.values()), key=lambda mean: abs(mean - middle))
    verdict = verdict.turning(farthest, low, high)
    allowed, beyond = f"{number(low, 4)}–{number(high, 4)}", []
    for name in learners:
        for _, end in evidence.rewards(game, name).iterrows():
            least, most = ends(end)
            if most < low or least > high:
                return verdict.not_reproduced(
                    f"{end['agent']} of {name} ends at {estimate(end, 4)}, outside {allowed}."
                )
            if least < low or most > high:
                beyond.append(f"{end['agent']} of {name}")
        lines = evidence.returns(game, name)
        means = lines[lines["agent"] == "average"].sort_values("episode")["mean"].to_numpy()
        quarter = max(len(means) // 4, 1)
        if len(means) < 2 * quarter:
            raise NotTestable("table returns has too few blocks of episodes to see rewards settle")
        moved = abs(means[-quarter:].mean() - means[-2 * quarter : -quarter].mean())
        if moved > drift:
            return verdict.not_reproduced(
                f"The reward of {name} still moves: by {number(moved)} between the third and the "
                f"last quarter of the episodes."
            )
    inside = "overlap with" if beyond else "lie within"
    why = f"The intervals of all agents {inside} {allowed}, and rewards have come to rest."
    caveats = [f"the interval reaches beyond {allowed} for {join_words(beyond)}"] if beyond else []
    with suppress(NotTestable):
        uniform, equilibrium = evidence.random_play_pays(game)
        caveats.append(
            f"reward does not measure learning here: uniformly random play earns "
            f"{number(uniform, 4)} and every equilibrium {number(equilibrium, 4)}, so rewards "
            f"fall towards it"
        )
    return verdict.reproduced(why, sentence(caveats))


def restarts(evidence: Evidence, *, measure: Text, ratio: Real, calm: Real) -> Verdict:
    """The spread falls by `ratio` within a stage, all but a share `calm` of it by half-time."""
    profile = evidence.rows("restart", measure=measure).sort_values("position")
    first, middle, end = (profile.iloc[j] for j in (0, len(profile) // 2, -1))
    spread = f"spread of an agent's reward {number(first['mean'])} at the beginning of a stage"
    verdict = measured(f"{spread}, {number(end['mean'])} at its end", first, end)
    fall = first["mean"] / end["mean"] if end["mean"] > 0 else float("inf")
    verdict = verdict.turning(fall, 1.0)
    if not above(first, end):
        return verdict.not_reproduced("The spread at the beginning is not above that at the end.")
    left = (middle["mean"] - end["mean"]) / (first["mean"] - end["mean"])
    how_far = f"by a factor of {number(fall)}" if end["mean"] > 0 else "to 0"
    why = (
        f"The spread falls {how_far}, all but {percent(max(left, 0.0))} of it in "
        f"the first half of a stage."
    )
    caveats = []
    if fall < ratio:
        caveats.append(f"the spread falls by a factor of {number(fall)} only")
    if left > calm:
        caveats.append(f"at half-time {percent(left)} of the fall is still to come")
    return verdict.reproduced(why, sentence(caveats))


def outperforms(
    evidence: Evidence,
    *,
    game: Text,
    learner: Text,
    other: Text,
    by: Annotated[list[By], Field(min_length=1)],
    elsewhere: list[Text],
) -> Verdict:
    """Better than the other learner by each measure on one game; others are only reported.

    More reward while learning, a policy of higher value, or a smaller gap. If it is better by some
    measures only, that is a caveat.
    """
    pairs = {name: [evidence.compared(game, x, name) for x in (learner, other)] for name in by}
    better = {name: _better(name, *pair) for name, pair in pairs.items()}
    gains = [_gain(name, *pair) for name, pair in pairs.items()]
    verdict = Verdict(
        number="; ".join(
            f"{name} {number(ours['mean'], DIGITS[name])} against "
            f"{number(theirs['mean'], DIGITS[name])}"
            for name, (ours, theirs) in pairs.items()
        ),
        interval="; ".join(
            ", ".join(interval(row, DIGITS[name]) for row in pair) for name, pair in pairs.items()
        ),
        seeds=seeds(*(row for pair in pairs.values() for row in pair)),
    ).turning(min(gains), 0.0)
    words = [f"{BETTER[name][not better[name]]} {other}" for name in by]
    why = f"On {game}, {learner} {join_words(words)}"
    for place in elsewhere:
        with suppress(NotTestable):  # the study may lack the game
            one, two = (evidence.gap(place, name) for name in (learner, other))
            near = "closer" if above(two, one) else "farther" if above(one, two) else "as near"
            why += f"; on {place} its gap is {near}: {estimate(one)} against {estimate(two)}"
    exploring = (
        _exploring_earns_more(evidence, game, pairs["reward"][0]) if "reward" in by else None
    )
    if not any(better.values()):
        return verdict.not_reproduced(f"{why}. {exploring or ''}".strip())
    failed = [
        f"by {name} {learner} has {estimate(ours, DIGITS[name])} and {other} "
        f"{estimate(theirs, DIGITS[name])}"
        for name, (ours, theirs) in pairs.items()
        if not better[name]
    ]
    caveat = f"Not by every measure: {join_words(failed)}." if failed else exploring
    return verdict.reproduced(f"{why}.", caveat)


DIGITS = {"reward": 4, "value": 4, "gap": 3}
BETTER = {  # in words, and that it is not
    "reward": ("earns more while learning than", "does not earn more while learning than"),
    "value": (
        "has learned a policy that earns more than that of",
        "has not learned a policy that earns more than that of",
    ),
    "gap": ("is closer to equilibrium than", "is not closer to equilibrium than"),
}


def _better(by: By, ours: pd.Series, theirs: pd.Series) -> bool:
    """Return whether the whole interval of ours is on the better side of theirs."""
    return above(theirs, ours) if by == "gap" else above(ours, theirs)


def _gain(by: By, ours: pd.Series, theirs: pd.Series) -> float:
    """Return by how much ours is better, in units of reward."""
    gain = float(ours["mean"] - theirs["mean"])
    return -gain if by == "gap" else gain


def _exploring_earns_more(evidence: Evidence, game: str, ours: pd.Series) -> str | None:
    """Return a caveat if the independent learner earns more with some share of exploration."""
    with suppress(NotTestable):
        best = evidence.last("exploration", "low", game=game, measure="mean_return")
        if "epsilon" in best and above(best, ours):
            return (
                f"The order by reward hangs on exploration: while exploring with "
                f"ε = {number(best['epsilon'])} independent Q earns {estimate(best, 4)}."
            )
    return None


def bounds_from_above(
    evidence: Evidence, *, game: Text, oracle: Text, learners: Names, tolerance: Real
) -> Verdict:
    """The oracle ends above all other learners and within `tolerance` of the team optimum."""
    top, others = evidence.reward(game, oracle), {n: evidence.reward(game, n) for n in learners}
    verdict = measured(f"{number(top['mean'], 4)} per agent and episode", top, digits=4)
    highest = max(row["mean"] for row in others.values())
    verdict = verdict.turning(top["mean"] - highest, 0.0)
    for name, row in others.items():
        if not above(top, row):
            return verdict.not_reproduced(f"{name} ends at {estimate(row, 4)}, not below it.")
    below = join_words(f"{name} {estimate(row, 4)}" for name, row in others.items())
    optimum = evidence.reference(game, "team optimum")
    distance = abs(optimum - top["mean"])
    why = f"The exact team optimum is {number(optimum, 4)}; the others end below: {below}."
    caveat = f"It is still {number(distance)} from the team optimum of {number(optimum, 4)}."
    return verdict.reproduced(why, caveat if distance > tolerance else None)
