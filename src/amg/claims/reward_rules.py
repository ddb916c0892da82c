"""Rules of Section IV: the rewards that agents earn while they learn.

---
Rules of the setting: the payoff matrices, and what an agent needs to know.
"""

from __future__ import annotations

import pandas as pd

from amg.base.text import join_words, number, percent, sentence
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


def settles(
    evidence: Evidence, *, game: str, learners: list[str], low: float, high: float, drift: float
) -> Verdict:
    """Every agent's reward ends between `low` and `high` and moves less than `drift` before."""
    final = {name: evidence.reward(game, name) for name in learners}
    measured = Measurement(
        join_words(f"{name} {number(row['mean'], 4)}" for name, row in final.items())
        + " per agent and episode",
        join_words(interval(row, 4) for row in final.values()),
        seeds(*final.values()),
    )
    for name in learners:
        for agent, line in evidence.rows("returns", game=game, learner=name).groupby(
            "agent", sort=False
        ):
            end = last(line, "episode")
            if end["high"] < low or end["low"] > high:
                return measured.not_reproduced(
                    f"{agent} of {name} ends at {estimate(end, 4)}, outside "
                    f"{number(low, 4)}–{number(high, 4)}."
                )
        moved = _moved(evidence.rows("returns", game=game, learner=name, agent="average"))
        if moved > drift:
            return measured.not_reproduced(
                f"The reward of {name} still moves: by {number(moved)} between the third and the "
                f"last quarter of the episodes."
            )
    why = f"Every agent ends within {number(low, 4)}–{number(high, 4)} and has come to rest."
    pays = evidence.random_play_pays(game)
    if pays is None:
        return measured.reproduced(why)
    uniform, equilibrium = (number(value, 4) for value in pays)
    caveat = (
        f"Reward does not measure learning here: uniformly random play earns {uniform} and every "
        f"equilibrium {equilibrium}, so rewards fall towards it."
    )
    return measured.reproduced(why, caveat)


def _moved(line: pd.DataFrame) -> float:
    """Return the distance between the means of the last two quarters of the blocks."""
    means = line.sort_values("episode")["mean"].to_numpy()
    quarter = max(len(means) // 4, 1)
    if len(means) < 2 * quarter:
        raise NotTestable("table returns has too few blocks of episodes to see rewards settle")
    return float(abs(means[-quarter:].mean() - means[-2 * quarter : -quarter].mean()))


def restarts(evidence: Evidence, *, measure: str, ratio: float, calm: float) -> Verdict:
    """The spread falls by `ratio` within a stage, all but a share `calm` of it by half-time."""
    profile = evidence.rows("restart", measure=measure).sort_values("position")
    first, middle, end = (profile.iloc[j] for j in (0, len(profile) // 2, -1))
    fall = first["mean"] / end["mean"] if end["mean"] > 0 else float("inf")
    measured = Measurement(
        f"spread of an agent's reward {number(first['mean'])} at the beginning of a stage, "
        f"{number(end['mean'])} at its end",
        f"{interval(first)} and {interval(end)}",
        seeds(first, end),
    )
    if not above(first, end):
        return measured.not_reproduced("The spread at the beginning is not above that at the end.")
    left = (middle["mean"] - end["mean"]) / (first["mean"] - end["mean"])
    how_far = "to 0" if end["mean"] == 0 else f"by a factor of {number(fall)}"
    why = (
        f"The spread falls {how_far}, all but {percent(max(left, 0.0))} of it in "
        f"the first half of a stage."
    )
    caveats = []
    if fall < ratio:
        caveats.append(f"the spread falls by a factor of {number(fall)} only")
    if left > calm:
        caveats.append(f"at half-time {percent(left)} of the fall is still to come")
    return measured.reproduced(why, sentence(caveats))


def outperforms(
    evidence: Evidence, *, game: str, learner: str, other: str, elsewhere: list[str]
) -> Verdict:
    """Higher reward and smaller gap on the paper's game; games `elsewhere` are only reported."""
    ours, theirs = (evidence.reward(game, name) for name in (learner, other))
    our_gap, their_gap = (evidence.gap(game, name) for name in (learner, other))
    measured = Measurement(
        f"reward {number(ours['mean'], 4)} against {number(theirs['mean'], 4)}; "
        f"gap {number(our_gap['mean'])} against {number(their_gap['mean'])}",
        f"{interval(ours, 4)}, {interval(theirs, 4)}; {interval(our_gap)}, {interval(their_gap)}",
        seeds(ours, theirs, our_gap, their_gap),
    )
    by_reward, by_gap = above(ours, theirs), above(their_gap, our_gap)
    why = (
        f"On {game}, {learner} is {'' if by_reward else 'not '}above {other} by reward and "
        f"{'' if by_gap else 'not '}closer to equilibrium"
        f"{_elsewhere(evidence, elsewhere, learner, other)}."
    )
    exploring = _exploring_earns_more(evidence, game, ours)
    if by_reward and by_gap:
        return measured.reproduced(why, exploring)
    if by_reward:
        gaps = f"{estimate(our_gap)} for {learner}, {estimate(their_gap)} for {other}"
        return measured.reproduced(why, f"By reward only: the gap is {gaps}.")
    if by_gap:
        pays = f"{learner} earns {estimate(ours, 4)}, {other} {estimate(theirs, 4)}"
        return measured.reproduced(why, f"By equilibrium gap only: {pays}.")
    return measured.not_reproduced(f"{why} {exploring or ''}".strip())


def _elsewhere(evidence: Evidence, games: list[str], learner: str, other: str) -> str:
    """Return the comparison by gap on other games; games that the study lacks are left out."""
    text = ""
    for game in games:
        try:
            ours, theirs = (evidence.gap(game, name) for name in (learner, other))
        except NotTestable:
            continue
        place = "closer" if above(theirs, ours) else "farther" if above(ours, theirs) else "as near"
        text += f"; on {game} it is {place}: {estimate(ours)} against {estimate(theirs)}"
    return text


def _exploring_earns_more(evidence: Evidence, game: str, ours: pd.Series) -> str | None:
    """Return a caveat if the independent learner earns more with some share of exploration."""
    try:
        explored = evidence.rows("exploration", game=game, measure="mean_return")
    except NotTestable:
        return None
    best = last(explored, "low")
    if "epsilon" not in explored or not above(best, ours):
        return None
    return (
        f"The order by reward hangs on exploration: while exploring with "
        f"ε = {number(best['epsilon'])} independent Q earns {estimate(best, 4)}."
    )


def bounds_from_above(
    evidence: Evidence, *, game: str, oracle: str, learners: list[str], tolerance: float
) -> Verdict:
    """The oracle ends above all other learners and within `tolerance` of the team optimum."""
    top, others = evidence.reward(game, oracle), {n: evidence.reward(game, n) for n in learners}
    measured = Measurement(
        f"{number(top['mean'], 4)} per agent and episode", interval(top, 4),
        seeds(top, *others.values()),
    )  # fmt: skip
    for name, row in others.items():
        if not above(top, row):
            return measured.not_reproduced(f"{name} ends at {estimate(row, 4)}, not below it.")
    below = join_words(f"{name} {estimate(row, 4)}" for name, row in others.items())
    optimum = evidence.reference(game, "team optimum")
    if optimum is None:
        return measured.reproduced(
            f"The others end below it: {below}.", "How near it is to the optimum is not known."
        )
    distance = abs(optimum - top["mean"])
    why = f"The exact team optimum is {number(optimum, 4)}; the others end below: {below}."
    caveat = f"It is still {number(distance)} from the team optimum of {number(optimum, 4)}."
    return measured.reproduced(why, caveat if distance > tolerance else None)


# ===== claims/rules/setting

Pays = list[list[list[float]]]  # [a_1][a_2] = [pay 1, pay 2]


def matches(
    evidence: Evidence,
    *,
    game: str,
    actions: list[str],
    matrices: dict[str, Pays],
    tolerance: float,
) -> Verdict:
    """r(s, a_1, a_2) is what the paper prints: matrices[s][a_1][a_2] = [pay 1, pay 2]."""
    sides = {len(actions)}
    for state, matrix in matrices.items():
        if {len(matrix)} | {len(row) for row in matrix} != sides or any(
            len(pays) != 2 for row in matrix for pays in row
        ):
            raise NotTestable(f"matrix {state} has not one pair of pays for each two actions")
    table = evidence.rows("payoffs", game=game)
    wrong, compared = [], 0
    for state, matrix in matrices.items():
        for a, row in zip(actions, matrix, strict=True):
            for b, printed in zip(actions, row, strict=True):
                cell = {"state": state, "action 1": a, "action 2": b}
                for step in evidence.rows("payoffs", game=game, **cell).to_dict("records"):
                    pays = [step["pay 1"], step["pay 2"]]
                    off = [abs(x - y) > tolerance for x, y in zip(pays, printed, strict=True)]
                    compared += 2
                    wrong += [f"{state} ({a}, {b}): {pays}, printed {printed}"] * sum(off)
    if compared < 2 * len(table):
        raise NotTestable(f"game {game} has states or actions that the matrices do not")
    measured = Measurement(f"{compared - len(wrong)} of {compared} pays equal")
    if wrong:
        return measured.not_reproduced(f"First difference: {wrong[0]}.")
    return measured.reproduced("f(a_i) − g(a) − c(s) gives every printed pay, at every step.")


def is_local(evidence: Evidence, *, tolerance: float) -> Verdict:
    """Policies and V̄ follow from own states, actions, rewards and d; nothing else changes them."""
    table = evidence.rows("locality")
    error = float(table[["policy_error", "v_bar_error"]].max().max())
    counts = ("changed", "length_errors", "visits", "length_errors_without_aggregate")
    changed, wrong, visits, unexplained = (int(table[name].sum()) for name in counts)
    perturbed, regrouped = (number(table[name].sum()) for name in ("perturbed", "regrouped"))
    measured = Measurement(
        f"{changed} of {perturbed} updates changed by what an agent must not read; a replay from "
        f"local data is within {error:.1g}"
    )
    if changed:
        return measured.not_reproduced(
            f"{changed} of {perturbed} updates changed when only the others' rewards, memories "
            f"or actions did."
        )
    if wrong or error > tolerance:
        return measured.not_reproduced(
            f"A replay from local data misses {wrong} stage lengths and is off by {error:.1g}."
        )
    why = (
        f"{number(visits)} visits of {len(table)} agents follow from their own data; "
        f"changing the others' rewards and memories before each of {perturbed} episodes, and in "
        f"{regrouped} of them who of the others does what, leaves every bit of the agent's own."
    )
    caveat = (
        f"An agent must also be told the public aggregate, which Section II does not list among "
        f"what it observes: without it {percent(unexplained / visits)} of visits have another "
        f"stage length."
    )
    return measured.reproduced(why, caveat if unexplained else None)
