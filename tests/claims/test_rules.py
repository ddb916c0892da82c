"""Made-up tables drive every claim to every verdict that its rule can give."""

from __future__ import annotations

import contextlib
import copy
from pathlib import Path

import pytest
from cases import few
from made_up import Spoil, both, drop, nothing, put, study

from amg.base.errors import FileError
from amg.claims.entries import RULES, read_claims
from amg.claims.evidence import CAVEAT, NOT_REPRODUCED, NOT_TESTABLE, REPRODUCED, VERDICTS
from amg.claims.judge import judge, judge_all

ROOT = Path(__file__).resolve().parents[2]
CLAIMS = {claim.id: claim for claim in read_claims(ROOT / "config" / "claims.yaml")}
CV = {"game": "fishermen", "learner": "v-cv"}
INDEPENDENT = {"game": "fishermen", "learner": "independent-q"}
WINDOW = {"measure": "max_gap", "game": "inspection", "from": 10**5}
SCALED, RAW = "gap in reward ranges", "gap"

CASES: list[tuple[str, Spoil, str, str]] = [
    ("payoff-matrices", nothing, REPRODUCED, "every printed pay"),
    ("payoff-matrices", put("payoffs", "pay 1", 11.0, state="low", step=2), NOT_REPRODUCED, "low"),
    ("payoff-matrices", put("payoffs", "state", "mid", state="low"), NOT_TESTABLE,
     "different states"),
    ("payoff-matrices", drop("payoffs"), NOT_TESTABLE, "no table payoffs"),
    ("rewards-settle", nothing, REPRODUCED, "come to rest"),
    ("rewards-settle", put("references", "value", 19.63, reference="uniform play"), CAVEAT,
     "19.63"),
    ("rewards-settle", put("returns", "mean", 18.0, learner="v-mad", agent="fisher 2"),
     NOT_REPRODUCED, "fisher 2 of v-mad"),
    ("rewards-settle", put("returns", "mean", 19.3, learner="v-cv", episode=80), REPRODUCED, ""),
    ("rewards-settle", put("returns", "low", 19.0, learner="v-mad", agent="fisher 2"), CAVEAT,
     "beyond 19.2–19.5 for fisher 2 of v-mad"),
    ("rewards-settle", both(*(put("returns", "mean", 22.0, learner="v-cv", episode=e)
                              for e in (50, 60))), NOT_REPRODUCED, "still moves"),
    ("rewards-settle", drop("returns", learner="v-mad"), NOT_TESTABLE, "learner = v-mad"),
    ("stage-restarts", nothing, REPRODUCED, "factor of 2.67"),
    ("stage-restarts", put("restart", "mean", 0.0, position=0.5), CAVEAT, "falls to 0, all"),
    ("stage-restarts", put("restart", "mean", 1.8, position=0.0), CAVEAT, "1.2 only"),
    ("stage-restarts", put("restart", "mean", 3.0, position=0.3), CAVEAT, "60%"),
    ("stage-restarts", put("restart", "mean", 1.5, position=0.0), NOT_REPRODUCED, "not above"),
    ("stage-restarts", drop("restart"), NOT_TESTABLE, "restart"),
    ("beats-independent", nothing, REPRODUCED, "closer to equilibrium"),
    ("beats-independent", put("exploration", "mean", 19.9), CAVEAT, "ε = 0.5"),
    ("beats-independent", put("gaps", "mean", 0.0, **INDEPENDENT), CAVEAT, "Not by every measure: by gap v-cv has"),
    ("beats-independent", put("returns", "mean", 19.4, **INDEPENDENT), CAVEAT, "by reward v-cv has"),
    ("beats-independent", both(put("returns", "mean", 19.4, **INDEPENDENT),
                               put("gaps", "mean", 0.0, **INDEPENDENT)), NOT_REPRODUCED,
     "on inspection its gap is closer"),
    ("beats-independent", drop("gaps", learner="independent-q"), NOT_TESTABLE, "independent-q"),
    ("centralized-bound", nothing, REPRODUCED, "team optimum"),
    ("centralized-bound", put("returns", "mean", 20.0, learner="centralized-q"), CAVEAT, "0.66"),
    ("centralized-bound", drop("references", reference="team optimum"), NOT_TESTABLE,
     "team optimum"),
    ("centralized-bound", put("returns", "mean", 20.65, learner="v-mad"), NOT_REPRODUCED, "v-mad"),
    ("centralized-bound", drop("returns", learner="centralized-q"), NOT_TESTABLE, "centralized-q"),
    ("epsilon-rate", nothing, REPRODUCED, "10,000,000 are −0.7 to −0.6"),
    ("epsilon-rate", put("local_slopes", "high", -0.4, **WINDOW), CAVEAT,
     "reaches beyond −0.5 on inspection from K = 100,000"),
    ("epsilon-rate", put("local_slopes", "low", -0.3, **{**WINDOW, "from": 10**4}), CAVEAT,
     "Before K = 100,000 it is slower on inspection from K = 10,000"),
    ("epsilon-rate", put("slopes", "p_value", 1e-9, game="inspection", measure="max_gap"), CAVEAT,
     "power law is rejected on inspection"),
    ("epsilon-rate", put("local_slopes", "low", -0.37, measure="max_own_bound"), CAVEAT,
     "proof bounds"),
    ("epsilon-rate", put("local_slopes", "low", -0.4, **WINDOW), NOT_REPRODUCED,
     "Slower than the theorem's on inspection from K = 100,000"),
    ("epsilon-rate", put("local_slopes", "high", float("nan"), **WINDOW), NOT_TESTABLE, "4 seeds"),
    ("epsilon-rate", put("local_slopes", "from", 10**4), NOT_TESTABLE, "begins at 100,000"),
    ("epsilon-rate", put("local_slopes", "to", 5 * 10**5), NOT_TESTABLE, "500,000"),
    ("epsilon-rate", drop("slopes", game="inspection"), NOT_TESTABLE, "game = inspection"),
    ("epsilon-bound", nothing, CAVEAT, "only from K = 10,000,000 on"),
    ("epsilon-bound", put("theory", "bound", 0.5), CAVEAT, "Term 3 fails"),  # own 0.9
    ("epsilon-bound", put("theory", "bound", 0.1), NOT_REPRODUCED, "above the bound of 0.1"),
    ("epsilon-bound", put("theory", "bound", 40.0), NOT_TESTABLE, "above the range of returns"),
    ("epsilon-bound", drop("theory", learner="v-fixed"), NOT_TESTABLE, "theory"),
    ("epsilon-bound", drop("theory", learner="v-cv"), NOT_TESTABLE, "theory"),
    ("no-curse", nothing, REPRODUCED, "N^0.026"),
    ("no-curse", put("agent_slopes", "high", 0.3, measure=RAW), CAVEAT, "raw units"),
    ("no-curse", put("agent_slopes", "high", 0.3, measure=SCALED), CAVEAT, "beyond N^0.1"),
    ("no-curse", put("growth", "stage_rule", "real", learner="v-real"), CAVEAT, "not as printed"),
    ("no-curse", put("agent_slopes", "low", 0.5, measure=SCALED), NOT_REPRODUCED, "faster"),
    ("no-curse", drop("agent_slopes", learner="v-real"), NOT_TESTABLE, "agent_slopes"),
    ("confidence-lemma", put("coverage", "runs_holding", 20), REPRODUCED, "120 of 120"),
    ("confidence-lemma", drop("coverage", game="inspection"), CAVEAT, "cannot tell"),
    ("confidence-lemma", put("coverage", "runs_holding", 12, learner="v-mad"), NOT_REPRODUCED,
     "12 of 20"),
    ("confidence-lemma", put("coverage", "runs_holding", 18), NOT_REPRODUCED, "108 of 120"),
    ("confidence-lemma", put("coverage", "runs_holding", 20), REPRODUCED, "3 of 20"),
    ("confidence-lemma", drop("control"), REPRODUCED, "no control"),
    ("confidence-lemma", put("coverage", "runs", 30), CAVEAT, "other 60 of 180"),
    ("confidence-lemma", put("coverage", "runs_tested", 0), NOT_TESTABLE, "No bound"),
    ("confidence-lemma", drop("coverage"), NOT_TESTABLE, "coverage"),
    ("stage-growth", nothing, REPRODUCED, "No run"),
    ("stage-growth", put("growth", "mean", 0.1, measure="not_grown"), CAVEAT, "growth begins late"),
    ("stage-growth", put("growth", "mean", 0.99, measure="visits_stuck", game="inspection"),
     NOT_REPRODUCED, "inspection"),
    ("stage-growth", drop("growth", game="fishermen"), NOT_TESTABLE, "growth"),
    ("adaptive-stages", nothing, REPRODUCED, "below that of fixed stages in 4"),
    ("adaptive-stages", put("gaps", "mean", 0.02, learner="v-mad"), CAVEAT, "2 of 4"),
    ("adaptive-stages", put("gaps", "mean", 0.05, **CV), NOT_REPRODUCED, "above in 1"),
    ("adaptive-stages", put("gaps", "mean", 0.0105, learner="v-fixed"), NOT_REPRODUCED, "clear"),
    ("adaptive-stages", drop("gaps", learner="v-fixed"), NOT_TESTABLE, "v-fixed"),
    ("decentralized", nothing, CAVEAT, "number of agents"),
    ("decentralized", put("locality", "length_errors_without_aggregate", 900), CAVEAT, "90%"),
    ("decentralized", put("locality", "changed", 3), NOT_REPRODUCED, "6 of 1,000"),
    ("decentralized", put("locality", "policy_error", 0.1), NOT_REPRODUCED, "off by 0.1"),
    ("decentralized", put("locality", "length_errors", 2), NOT_REPRODUCED, "4 stage lengths"),
    ("decentralized", drop("locality"), NOT_TESTABLE, "locality"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "spoil", "verdict", "says"), CASES)
def test_tables_decide(name: str, spoil: Spoil, verdict: str, says: str) -> None:
    tables = study()
    spoil(tables)
    judged = judge(CLAIMS[name], tables)
    assert judged.verdict == verdict, judged
    assert says in f"{judged.why} {judged.caveat}", judged
    assert "nan" not in judged.number


def test_every_claim_and_verdict_is_tried() -> None:
    assert {name for name, *_ in CASES} == set(CLAIMS)
    assert {claim.rule for claim in CLAIMS.values()} == set(RULES)
    assert {verdict for _, _, verdict, _ in CASES} == set(VERDICTS)
    for name in CLAIMS:
        assert NOT_TESTABLE in {verdict for case, _, verdict, _ in CASES if case == name}, name


def test_nothing_at_all_is_not_testable() -> None:
    for tables in ({}, {name: frame.iloc[:0] for name, frame in study().items()}):
        assert {claim.verdict for claim in judge_all(list(CLAIMS.values()), tables)} == {
            NOT_TESTABLE
        }


@pytest.mark.parametrize("table", few(sorted(study()), "gaps", "returns"))
def test_a_column_that_is_gone_is_no_crash(table: str) -> None:
    for column in study()[table]:
        tables = study()
        tables[table] = tables[table].drop(columns=column)
        with contextlib.suppress(FileError):
            judge_all(list(CLAIMS.values()), tables)


def test_verdicts_are_a_pure_function_of_tables() -> None:
    tables = study()
    before = copy.deepcopy(tables)
    claims = list(CLAIMS.values())
    assert judge_all(claims, tables) == judge_all(claims, study())
    for name, frame in before.items():
        assert frame.equals(tables[name])
