"""Rules of Section IV: what is earned while learning."""

from __future__ import annotations

import pandas as pd

from amg.claims.lookup import Tables, above, gap, reference, reward, rows
from amg.claims.verdict import Evidence, NotTestable, Verdict
from amg.claims.words import estimate, interval, listed, number, seeds, sentence


def settles(
    tables: Tables, *, game: str, learners: list[str], low: float, high: float, drift: float
) -> Verdict:
    """Every agent's reward ends between `low` and `high` and moves less than `drift` before."""
    found = {name: reward(tables, game, name) for name in learners}
    evidence = Evidence(
        listed(f"{name} {number(row['mean'], 4)}" for name, row in found.items())
        + " per agent and episode",
        listed(interval(row, 4) for row in found.values()),
        seeds(*found.values()),
    )
    for name in learners:
        ends = rows(tables, "returns", game=game, learner=name)
        for agent, line in ends.groupby("agent", sort=False):
            end = line.loc[line["episode"].idxmax()]
            if end["high"] < low or end["low"] > high:
                return evidence.not_reproduced(
                    f"{agent} of {name} ends at {estimate(end, 4)}, outside "
                    f"{number(low, 4)}–{number(high, 4)}."
                )
        moved = _moved(rows(tables, "returns", game=game, learner=name, agent="average"))
        if moved > drift:
            return evidence.not_reproduced(
                f"The reward of {name} still moves: by {number(moved)} between the third and the "
                f"last quarter of the episodes."
            )
    why = f"Every agent ends within {number(low, 4)}–{number(high, 4)} and has come to rest."
    return evidence.reproduced(why, _reward_is_no_measure(tables, game))


def _moved(line: pd.DataFrame) -> float:
    """How far the mean of the last quarter of the blocks is from that of the quarter before."""
    means = line.sort_values("episode")["mean"].to_numpy()
    quarter = max(len(means) // 4, 1)
    if len(means) < 2 * quarter:
        raise NotTestable("table returns has too few blocks of episodes to see rewards settle")
    return float(abs(means[-quarter:].mean() - means[-2 * quarter : -quarter].mean()))


def _reward_is_no_measure(tables: Tables, game: str) -> str | None:
    """Where random play earns more than every equilibrium, reward does not measure learning."""
    equilibrium = reference(tables, game, "every CCE")
    uniform = reference(tables, game, "uniform play")
    if equilibrium is None or uniform is None or uniform <= equilibrium:
        return None
    return (
        f"Reward does not measure learning here: uniformly random play earns {number(uniform, 4)} "
        f"and every equilibrium {number(equilibrium, 4)}, so rewards fall towards it."
    )


def restarts(tables: Tables, *, measure: str, ratio: float, calm: float) -> Verdict:
    """The spread falls by `ratio` within a stage, all but a share `calm` of it by half-time."""
    profile = rows(tables, "restart", measure=measure).sort_values("position")
    first, last = profile.iloc[0], profile.iloc[-1]
    middle = profile.iloc[len(profile) // 2]
    fall = first["mean"] / last["mean"] if last["mean"] > 0 else float("inf")
    evidence = Evidence(
        f"spread of an agent's reward {number(first['mean'])} at the beginning of a stage, "
        f"{number(last['mean'])} at its end",
        f"{interval(first)} and {interval(last)}",
        seeds(first, last),
    )
    if not above(first, last):
        return evidence.not_reproduced("The spread at the beginning is not above that at the end.")
    left = (middle["mean"] - last["mean"]) / (first["mean"] - last["mean"])
    how_far = "to 0" if last["mean"] == 0 else f"by a factor of {number(fall)}"
    why = (
        f"The spread falls {how_far}, all but {max(left, 0.0):.0%} of it in "
        f"the first half of a stage."
    )
    caveats = []
    if fall < ratio:
        caveats.append(f"the spread falls by a factor of {number(fall)} only")
    if left > calm:
        caveats.append(f"at half-time {left:.0%} of the fall is still to come")
    return evidence.reproduced(why, sentence(caveats))


def outperforms(
    tables: Tables, *, game: str, learner: str, other: str, elsewhere: list[str]
) -> Verdict:
    """Better by reward and by equilibrium gap, on the paper's game; `elsewhere` is told of."""
    ours, theirs = (reward(tables, game, name) for name in (learner, other))
    our_gap, their_gap = (gap(tables, game, name) for name in (learner, other))
    evidence = Evidence(
        f"reward {number(ours['mean'], 4)} against {number(theirs['mean'], 4)}; "
        f"gap {number(our_gap['mean'])} against {number(their_gap['mean'])}",
        f"{interval(ours, 4)}, {interval(theirs, 4)}; {interval(our_gap)}, {interval(their_gap)}",
        seeds(ours, theirs, our_gap, their_gap),
    )
    by_reward, by_gap = above(ours, theirs), above(their_gap, our_gap)
    said = (
        f"On {game}, {learner} is {'' if by_reward else 'not '}above {other} by reward and "
        f"{'' if by_gap else 'not '}closer to equilibrium"
        f"{_elsewhere(tables, elsewhere, learner, other)}."
    )
    exploring = _earns_more(tables, game, ours)
    if by_reward and by_gap:
        return evidence.reproduced(said, exploring)
    if by_reward:
        gaps = f"{estimate(our_gap)} for {learner}, {estimate(their_gap)} for {other}"
        return evidence.reproduced(said, f"By reward only: the gap is {gaps}.")
    if by_gap:
        pays = f"{learner} earns {estimate(ours, 4)}, {other} {estimate(theirs, 4)}"
        return evidence.reproduced(said, f"By equilibrium gap only: {pays}.")
    return evidence.not_reproduced(f"{said} {exploring or ''}".strip())


def _elsewhere(tables: Tables, games: list[str], learner: str, other: str) -> str:
    """What other games say, by the gap; nothing of those that are not in the study."""
    said = ""
    for game in games:
        try:
            ours, theirs = (gap(tables, game, name) for name in (learner, other))
        except NotTestable:
            continue
        place = "closer" if above(theirs, ours) else "farther" if above(ours, theirs) else "as near"
        said += f"; on {game} it is {place}: {estimate(ours)} against {estimate(theirs)}"
    return said


def _earns_more(tables: Tables, game: str, ours: pd.Series) -> str | None:
    """Does some exploration let the independent learner earn more?"""
    try:
        found = rows(tables, "exploration", game=game, measure="mean_return")
    except NotTestable:
        return None
    best = found.loc[found["low"].idxmax()]
    if "epsilon" not in found or not above(best, ours):
        return None
    return (
        f"The order by reward hangs on exploration: while exploring with ε = {best['epsilon']:g} "
        f"independent Q earns {estimate(best, 4)}."
    )


def bounds_from_above(
    tables: Tables, *, game: str, oracle: str, learners: list[str], tolerance: float
) -> Verdict:
    """The oracle ends above everybody else and within `tolerance` of the exact team optimum."""
    top, others = reward(tables, game, oracle), {n: reward(tables, game, n) for n in learners}
    evidence = Evidence(
        f"{number(top['mean'], 4)} per agent and episode", interval(top, 4),
        seeds(top, *others.values()),
    )  # fmt: skip
    for name, row in others.items():
        if not above(top, row):
            return evidence.not_reproduced(f"{name} ends at {estimate(row, 4)}, not below it.")
    said = listed(f"{name} {estimate(row, 4)}" for name, row in others.items())
    optimum = reference(tables, game, "team optimum")
    if optimum is None:
        return evidence.reproduced(
            f"The others end below it: {said}.", "How near it is to the optimum is not known."
        )
    distance = abs(optimum - top["mean"])
    why = f"The exact team optimum is {number(optimum, 4)}; the others end below: {said}."
    caveat = f"It is still {number(distance)} from the team optimum of {number(optimum, 4)}."
    return evidence.reproduced(why, caveat if distance > tolerance else None)
