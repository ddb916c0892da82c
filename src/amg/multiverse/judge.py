"""Verdicts in every universe, the share in which a claim holds, and the choices it hangs on.

A universe is judged by the same rules and thresholds as the study. The interval of a share is one
over seeds: universes are chosen, not drawn. Each group of seeds is left out once and all universes
are judged again from the others. These shares give the jackknife's standard error

    s² = (g − 1)/g Σ_j (share_j − mean)²

for g groups, and Student's t with g − 1 degrees of freedom the interval.
"""

import math
import multiprocessing
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

import numpy as np
import pandas as pd

from amg.base.text import percent
from amg.claims.entries import RULES, Claim
from amg.claims.evidence import CAVEAT, NOT_TESTABLE, REPRODUCED, Evidence, NotTestable, Verdict
from amg.claims.robustness import Robustness
from amg.multiverse.evidence import Material, UniverseTables
from amg.multiverse.file import Multiverse, Universe
from amg.tables.intervals import Intervals, quantile

HOLDS = (REPRODUCED, CAVEAT)
STUDY = "study"  # column: whether a universe has the study's readings only


def judge_universes(
    multiverse: Multiverse, material: Material, intervals: Intervals, decades: float, log: TextIO,
    processes: int = 1,
) -> tuple[pd.DataFrame, pd.DataFrame]:  # fmt: skip
    """Return a row for each claim and universe, and the share of each claim with groups left out.

    Two universes of a claim that look at the same runs with the same thresholds are one row.
    """
    global _work
    _work = multiverse, material, intervals, decades
    tables = []
    with multiprocessing.get_context("fork").Pool(processes) as pool:  # a fork shares the material
        for table in pool.imap(_judge, [None, *range(multiverse.groups)]):
            tables.append(table)
            done = f"{len(tables)} of {multiverse.groups + 1}"
            print(f"{done}: with all seeds, then without each group", file=log, flush=True)
    by_claim = [table.groupby("claim", sort=False) for table in tables[1:]]
    shares = [{claim: share_of(rows) for claim, rows in claims} for claims in by_claim]
    return tables[0], pd.DataFrame(shares)


_work: tuple[Multiverse, Material, Intervals, float]  # of the processes


def _judge(left_out: int | None) -> pd.DataFrame:
    """Return the verdicts, without one group of seeds if it is given."""
    multiverse, material, intervals, decades = _work
    if left_out is not None:
        material = material.without(left_out, multiverse.groups)
    return _verdicts(multiverse, material, intervals, decades)


def _verdicts(
    multiverse: Multiverse, material: Material, intervals: Intervals, decades: float
) -> pd.DataFrame:
    rows, seen = [], set()
    tables: dict[Any, UniverseTables] = {}
    for universe in multiverse.universes:
        runs = tuple((place, series) for place, series in universe.runs.items())
        if runs not in tables:
            tables[runs] = UniverseTables(universe, material, multiverse.games, intervals, decades)
        for claim in universe.claims:
            looks_at = universe.looks_at(claim)
            if looks_at not in seen:
                seen.add(looks_at)
                rows.append(_row(universe, claim, tables[runs], multiverse))
    return pd.DataFrame(rows)


def _row(
    universe: Universe, claim: Claim, tables: UniverseTables, multiverse: Multiverse
) -> dict[str, Any]:
    """Return the verdict on one claim in one universe."""
    thresholds = dict(claim.thresholds)
    if universe.judging.by is not None and "by" in thresholds:
        thresholds["by"] = universe.judging.by
    shown = universe.judging.shown
    evidence = Evidence(tables, math.inf if shown is None else shown)
    try:
        verdict = RULES[claim.rule](evidence, **thresholds)
    except NotTestable as reason:
        verdict = Verdict(why=str(reason))
    first = all(universe.readings[name] == known[0] for name, known in multiverse.choices.items())
    return {
        "claim": claim.id, "part": universe.part, STUDY: first, **universe.readings,
        "verdict": verdict.verdict, "effect": verdict.effect,
        "turns_at": " ".join(map(str, verdict.turns_at)),
    }  # fmt: skip


def share_of(rows: pd.DataFrame) -> float:
    """Return the share of universes in which the claim holds, of those that can tell; or NaN."""
    testable = rows[rows["verdict"] != NOT_TESTABLE]
    return float(testable["verdict"].isin(HOLDS).mean())


def choices_table(multiverse: Multiverse, universes: pd.DataFrame) -> pd.DataFrame:
    """Return, for each claim and each reading of a choice, in which share of universes it holds.

    They are the universes of the part that crosses the choice with others. If there is none, all
    other choices have the study's readings.
    """
    rows = []
    for claim, own in universes.groupby("claim", sort=False):
        for choice, readings in multiverse.choices.items():
            varied, crossed = _where_varied(multiverse, own, choice)
            for reading in readings if varied[choice].nunique() > 1 else ():
                alike = varied[varied[choice] == reading]
                testable = alike[alike["verdict"] != NOT_TESTABLE]
                if len(testable):
                    rows.append({
                        "claim": claim, "choice": choice, "reading": reading, "crossed": crossed,
                        "universes": len(testable),
                        "holds": int(testable["verdict"].isin(HOLDS).sum()),
                        "share": share_of(alike), "effect": testable["effect"].median(),
                    })  # fmt: skip
    return pd.DataFrame(rows)


def _where_varied(
    multiverse: Multiverse, universes: pd.DataFrame, choice: str
) -> tuple[pd.DataFrame, bool]:
    """Return the universes of one claim in which to see what a choice does; whether crossed."""
    for part, crossed in multiverse.crossed.items():
        rows = universes[universes["part"] == part]
        if choice in crossed and rows[choice].nunique() > 1:
            return rows, True
    return _alone(multiverse, universes, choice), False


def _alone(multiverse: Multiverse, universes: pd.DataFrame, choice: str) -> pd.DataFrame:
    """Return the universes in which all other choices have the study's readings."""
    others = [name for name in multiverse.choices if name != choice]
    study = pd.Series({name: multiverse.choices[name][0] for name in others})
    return universes[(universes[others] == study).all(axis=1)]


def robustness(
    multiverse: Multiverse, claim: Claim, universes: pd.DataFrame, choices: pd.DataFrame,
    left_out: Sequence[float], level: float,
) -> Robustness:  # fmt: skip
    """Return in which share of universes a claim holds, and which choices decide."""
    testable = universes[universes["verdict"] != NOT_TESTABLE]
    share = share_of(universes)
    low, high = jackknife(share, left_out, level)
    study = universes.loc[universes[STUDY], "verdict"]
    return Robustness(
        id=claim.id,
        universes=len(testable),
        untestable=len(universes) - len(testable),
        holding=int(testable["verdict"].isin(HOLDS).sum()),
        share=share,
        low=low,
        high=high,
        study=str(study.iloc[0]) if len(study) else NOT_TESTABLE,
        hangs_on=hangs_on(choices[choices["crossed"]]),
        flipped_by=flipped_by(multiverse, universes),
    )


def jackknife(share: float, left_out: Iterable[float], level: float) -> tuple[float, float]:
    """Return the interval of a share from the shares without one group of seeds each."""
    shares = np.array(list(left_out))
    g = len(shares)
    error = math.sqrt((g - 1) / g * float(((shares - shares.mean()) ** 2).sum()))
    reach = quantile(level, g - 1) * error
    return max(share - reach, 0.0), min(share + reach, 1.0)


def hangs_on(choices: pd.DataFrame) -> str | None:
    """Return which of these choices moves the share most, with the share of each reading."""
    moved = {
        str(choice): rows["share"].max() - rows["share"].min()
        for choice, rows in choices.groupby("choice", sort=False)
    }
    if not moved or max(moved.values()) == 0:
        return None
    choice = max(moved, key=lambda name: moved[name])
    rows = choices[choices["choice"] == choice].sort_values("share", ascending=False, kind="stable")
    shares = ", ".join(f"{row.reading} {percent(row.share)}" for row in rows.itertuples())
    return f"{choice}: {shares}"


def flipped_by(multiverse: Multiverse, universes: pd.DataFrame) -> list[str]:
    """Return the readings that by themselves turn whether a claim holds, as "choice: reading"."""
    study = universes.loc[universes[STUDY], "verdict"]
    flips = []
    for choice in multiverse.choices if len(study) else ():
        for row in _alone(multiverse, universes, choice).to_dict("records"):
            known = NOT_TESTABLE not in (row["verdict"], study.iloc[0])
            if known and (row["verdict"] in HOLDS) != (study.iloc[0] in HOLDS):
                flips.append(f"{choice}: {row[choice]}")
    return flips
