"""Verdicts in universes, shares and their intervals, and what a claim hangs on."""

from __future__ import annotations

import io
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student
from test_file import GOOD, multiverse_of  # type: ignore[import-not-found]

from amg.claims.entries import CLAIMS
from amg.claims.evidence import CAVEAT, NOT_REPRODUCED, REPRODUCED
from amg.claims.frozen import digests
from amg.claims.robustness import read_robustness, write_robustness
from amg.multiverse.evidence import Material, UniverseTables
from amg.multiverse.figure import readings
from amg.multiverse.file import Multiverse, Universe, read_multiverse
from amg.multiverse.judge import (
    STUDY,
    choices_table,
    hangs_on,
    jackknife,
    judge_universes,
    robustness,
    share_of,
)
from amg.multiverse.report import page
from amg.results.evaluate import GROWTH, MEASURES
from amg.results.run import Run
from amg.study.plan import Part
from amg.tables.intervals import Intervals
from amg.tables.tidy import read_table

ROOT = Path(__file__).resolve().parents[2]
COLUMNS = ("max_own_bound", "mean_value", "mean_return", "relative_gap", *MEASURES, *GROWTH)


def material(multiverse: Multiverse, worse: str = "sequence") -> Material:
    """Gaps that adaptive stages halve, or double where the signal is read as `worse`."""
    rng, evaluations, runs = np.random.default_rng(1), {}, {}
    for part in multiverse.parts:
        own = part.series.parameters.as_dict()
        gap = 1.0
        if own.get("fluctuation") == "cv":
            gap = 2.0 if own.get("signal", "sequence") == worse else 0.5
        noise = rng.normal(1.0, 0.01, len(part.seeds))
        rows = {name: np.ones(len(part.seeds)) for name in COLUMNS}
        rows |= {"max_gap": gap * noise, "seed": np.array(part.seeds)}
        frame = pd.DataFrame(rows).assign(series=part.series.name, episodes=part.episodes)
        key = part.series.name, part.episodes
        evaluations[key] = frame
        runs[key] = [made_up_run(part, seed, 19 + rng.normal(0, 0.01)) for seed in part.seeds]
    return Material(evaluations, runs)


def made_up_run(part: Part, seed: int, earned: float) -> Run:
    """All episodes are paid alike, with independent Q-learning a little more."""
    series, K = part.series, part.episodes
    more = series.parameters.algorithm == "independent_q"
    return Run(
        game=series.game, algorithm=series.parameters.algorithm, parameters={}, episodes=K,
        seed=seed, returns_edge=np.arange(K + 1), returns=np.full((K, 2), earned + more),
    )  # fmt: skip


def judged(multiverse: Multiverse, worse: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    log = io.StringIO()
    return judge_universes(multiverse, material(multiverse, worse), Intervals(), 2.0, log)


def test_each_universe_is_judged_by_its_own_runs(tmp_path: Path) -> None:
    table, left_out = judged(multiverse_of(GOOD, tmp_path), "sequence")
    own = table[table["claim"] == "adaptive-stages"]
    assert len(own) == 5
    expected = np.where(own["signal"] == "set", REPRODUCED, NOT_REPRODUCED)
    assert own["verdict"].tolist() == expected.tolist()
    assert (own["effect"] > 1).tolist() == (own["signal"] == "sequence").tolist()
    assert set(own["turns_at"]) == {"1.0"}
    assert own[STUDY].sum() == 1
    assert share_of(own) == 2 / 5
    assert left_out["adaptive-stages"].tolist() == [2 / 5] * 3
    other = table[table["claim"] == "beats-independent"].set_index("by")
    # Q earns more, and its gap of 1 is below the 2 of this reading and above the 0.5 of the other
    assert set(other.loc[["gap"], "verdict"]) == {NOT_REPRODUCED}
    assert set(other.loc[(other.index == "both") & (other["signal"] == "set"), "verdict"]) == {
        CAVEAT
    }


def test_shares_by_reading_and_what_decides(tmp_path: Path) -> None:
    multiverse = multiverse_of(GOOD, tmp_path)
    table, left_out = judged(multiverse, "sequence")
    choices = choices_table(multiverse, table)
    own = choices[choices["claim"] == "adaptive-stages"]
    assert set(own["choice"]) == {"bonus", "signal", "first"}
    shares = own.set_index(["choice", "reading"])["share"].to_dict()
    assert shares["signal", "set"] == 1
    assert shares["signal", "sequence"] == 0
    assert shares["bonus", "four"] == shares["bonus", "none"] == 1 / 2  # from the crossed part
    assert set(own.loc[own["crossed"], "choice"]) == {"bonus", "signal"}
    assert hangs_on(own) == "signal: set 100%, sequence 0%"
    claim = next(claim for claim in multiverse.claims if claim.id == "adaptive-stages")
    rows = table[table["claim"] == claim.id]
    one = robustness(multiverse, claim, rows, own, left_out[claim.id], 0.95)
    assert (one.universes, one.holding, one.untestable) == (5, 2, 0)
    assert one.study == NOT_REPRODUCED
    assert one.flipped_by == ["signal: set"]
    assert one.text == "40% of 5 [40%, 40%]"
    path = tmp_path / "shares.json"
    write_robustness(path, digests(ROOT), [one])
    assert read_robustness(path).shares == [one]
    text = page(multiverse, [one], choices, "0" * 64)
    assert "40% of 5" in text
    assert "signal: set 100%" in text


def test_nothing_hangs_on_a_choice_that_moves_nothing(tmp_path: Path) -> None:
    multiverse = multiverse_of(GOOD, tmp_path)
    table, _ = judged(multiverse, "nothing")
    own = choices_table(multiverse, table)
    assert hangs_on(own[own["claim"] == "adaptive-stages"]) is None


def test_the_interval_is_that_of_a_mean_over_groups() -> None:
    """For a mean, the shares without a group are means of the others: the textbook interval."""
    groups = np.array([0.4, 0.5, 0.7, 0.6])
    left_out = [(groups.sum() - x) / 3 for x in groups]
    low, high = jackknife(groups.mean(), left_out, 0.95)
    reach = student.ppf(0.975, 3) * groups.std(ddof=1) / 2
    assert (low, high) == pytest.approx((groups.mean() - reach, groups.mean() + reach))
    assert jackknife(0.98, [1.0, 0.9, 1.0, 1.0], 0.95)[1] == 1.0
    assert jackknife(0.5, [0.5] * 4, 0.95) == (0.5, 0.5)


def test_the_interval_covers() -> None:
    """Share of 200 noisy universes; the truth is their share without noise."""
    rng, hits, repetitions = np.random.default_rng(5), 0, 400
    for _ in range(repetitions):
        margin = rng.normal(0, 1, 200)  # of each universe
        noise = rng.normal(0, 0.5, (200, 12))
        holds = lambda seeds: float((margin + noise[:, seeds].mean(axis=1) > 0).mean())  # noqa: B023, E731
        left_out = [holds(np.arange(12) % 4 != j) for j in range(4)]
        low, high = jackknife(holds(np.arange(12)), left_out, 0.95)
        hits += low <= float((margin > 0).mean()) <= high
    assert hits / repetitions > 0.9


def test_k_shown_and_measures_of_a_universe(tmp_path: Path) -> None:
    """Gaps are read at the largest K up to the one shown; rates see all."""
    text = GOOD.replace("episodes: [100] }\n    claims: [adaptive-stages]\n",
                        "episodes: [100, 1000] }\n    claims: [adaptive-stages]\n")  # fmt: skip
    text = text.replace("readings: { both: { by: [reward, gap] }, gap: { by: [gap] } }",
                        "readings: { all: {}, small: { shown: 100 } }")  # fmt: skip
    text = text.replace("cross: [bonus, signal]", "cross: [bonus, by]")
    text = text.replace("    claims: [beats-independent]\n", "")
    multiverse = multiverse_of(text, tmp_path)
    given = material(multiverse)
    for (name, K), rows in given.evaluations.items():
        if K == 1000 and "fixed" not in name:
            rows["max_gap"] = 0.1  # adaptive stages are better only there
    table, _ = judge_universes(multiverse, given, Intervals(), 2.0, io.StringIO())
    own = table[(table["claim"] == "adaptive-stages") & (table["part"] == "crossed")]
    by = own.set_index("by")["verdict"].groupby(level=0).unique()
    assert list(by["all"]) == [REPRODUCED]
    assert list(by["small"]) == [NOT_REPRODUCED]


def test_a_universe_has_the_tables_of_its_experiments(tmp_path: Path) -> None:
    multiverse = multiverse_of(GOOD, tmp_path)
    universe: Universe = multiverse.universes[0]
    tables = UniverseTables(universe, material(multiverse), multiverse.games, Intervals(), 2.0)
    assert "gaps" in tables
    assert "returns" not in tables
    assert "agent_slopes" not in tables
    assert set(tables["gaps"]["learner"]) == {"v-cv", "v-stage"}
    assert set(tables["gaps"]["game"]) == {"fishermen", "inspection"}
    assert set(tables["growth"]["stage_rule"]) == {"floor"}
    assert not math.isnan(tables["theory"]["rate"].iloc[0])


def test_the_curve_has_a_row_for_every_reading_of_a_crossed_choice() -> None:
    """Also for readings that look like numbers, such as 1, 0.1 and 0, in the shipped table."""
    multiverse = read_multiverse(ROOT / "config" / "multiverse.yaml", ROOT / CLAIMS)
    table = read_table(
        ROOT / "figures" / "multiverse" / "universes.csv", dict.fromkeys(multiverse.choices, str)
    )
    rows = readings(multiverse, table[table["claim"] == "beats-v-learning"])
    for choice in multiverse.crossed["earlier V-learning"]:
        shown = [row.name for row in rows if row.choice == choice]
        assert shown == list(multiverse.choices[choice])
