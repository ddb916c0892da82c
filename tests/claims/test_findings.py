"""The findings say what made-up tables and claims say."""

from __future__ import annotations

import re
import warnings
from typing import Any

import pandas as pd
import pytest
from made_up import put, study

from amg.claims.evidence import CAVEAT, NOT_REPRODUCED, REPRODUCED, Verdict
from amg.claims.findings import findings, headlines
from amg.claims.judgement import JudgedClaim
from amg.claims.robustness import Robustness

ROLES = ("v", "f", "q")


def study_tables(
    ours: float, fixed: float, independent: float, holding: int
) -> dict[str, pd.DataFrame]:
    def row(learner: str, measure: str, mean: float) -> dict[str, object]:
        return {"game": "g", "learner": learner, "episodes": 1000, "measure": measure,
                "mean": mean, "low": mean * 0.9, "high": mean * 1.1, "seeds": 3}  # fmt: skip

    gaps = [row("v", m, ours) for m in ("max_gap", "max_informed_gap")]
    gaps += [row("v", "max_own_bound", 100 * ours), row("f", "max_gap", fixed)]
    gaps += [row("q", "max_gap", independent)]
    values = {"uniform play": 5.0, "team optimum": 6.0, "every CCE": 4.0}
    return {
        "gaps": pd.DataFrame(gaps),
        "references": pd.DataFrame(
            [{"game": "g", "reference": name, "agent": "average", "value": value}
             for name, value in values.items()]
        ),
        "late_returns": pd.DataFrame([
            {"game": "g", "learner": "v", "agent": agent, "episodes": K, "mean": mean,
             "low": mean - 0.1, "high": mean + 0.1}
            for K, mean in {100: 4.8, 1000: 4.5}.items() for agent in ("average", "a")
        ]),
        "slopes": pd.DataFrame([{"game": "g", "learner": "v", "measure": "max_gap",
                                 "slope": -0.5, "low": -0.6, "high": -0.4, "from": 100}]),
        "local_slopes": pd.DataFrame([
            {"game": "g", "learner": "v", "measure": "max_gap", "slope": slope, "from": K}
            for K, slope in {10: -0.1, 100: -0.45, 1000: -0.62}.items()
        ]),
        "theory": pd.DataFrame([{"learner": "v", "measure": "max_own_bound", "constant": 3.0}]),
        "coverage": pd.DataFrame([{"runs": 5, "runs_tested": 3, "runs_holding": holding}]),
        "control": pd.DataFrame([{"runs": 3, "runs_tested": 3, "runs_holding": 0}]),
        "growth": pd.DataFrame([
            {"learner": "v", "measure": "visits_stuck", "agents": N, "mean": share,
             "low": share - 0.05, "high": share + 0.05} for N, share in {2: 0.1, 32: 0.9}.items()
        ]),
        "exploration": pd.DataFrame(),
    }  # fmt: skip


def claim(name: str, verdict: str, **more: Any) -> JudgedClaim:
    texts = ("where", "statement", "measured", "criterion", "command")
    return JudgedClaim(
        **dict.fromkeys(texts, "x"), id=name, title=f"Claim {name}", turns_on=None, table="gaps",
        figure=None, verdict=verdict, **more,
    )  # fmt: skip


def robust(name: str, hangs_on: str | None = None) -> Robustness:
    return Robustness(
        id=name, universes=251, untestable=3, holding=156, share=156 / 251, low=0.58, high=0.66,
        study=REPRODUCED, hangs_on=hangs_on, flipped_by=[],
    )  # fmt: skip


def test_findings_say_what_the_tables_say() -> None:
    text = findings(study_tables(1.0, 2.0, 0.1, 2), [], *ROLES)
    assert (
        "exact gap is 1 [0.9, 1.1] on `g`.\n  It falls like K^−0.50 [−0.60, −0.40] on `g`" in text
    )
    assert "in the slowest decade like K^−0.45" in text  # −0.1 is before the fitted decades
    assert "0.1 [0.09, 0.11], below that of V-learning" in text
    assert "ones** change the gap by −50% on `g` (intervals apart)." in text
    assert "\n  The gaps are 1 [0.9, 1.1] against 2 [1.8, 2.2] on `g`." in text
    assert "agents earn: v 4.5 [4.4, 4.6]." in text
    assert "with 32 agents 90 [85, 95] % of the visits of v" in text
    assert "in 2 of 3 runs in which a bound says something.\n  There are 5 in all" in text
    assert "as a control, it holds in 0 of 3 runs" in text
    assert "100 times the exact gap" in text
    other = findings(study_tables(1.0, 1.05, 5.0, 3), [], *ROLES)
    assert "above that of V-learning" in other
    assert "intervals not apart" in other
    assert "not clearly apart" in findings(study_tables(1.0, 1.05, 1.0, 3), [], *ROLES)


def test_headlines_are_the_findings_without_details() -> None:
    text = findings(study_tables(1.0, 2.0, 0.1, 2), [], *ROLES)
    lines = headlines(text).splitlines()
    assert all(line.startswith("- **") and line.endswith(".") for line in lines)
    assert len(lines) == text.count("\n- ") + 1 < len(text.splitlines())


def test_no_ratio_to_a_gap_of_zero() -> None:
    """One action, or independent Q at the equilibrium: nothing is so many times 0."""
    for ours, fixed in ((0.0, 2.0), (1.0, 0.0), (0.0, 0.0), (1e-300, 2e-300)):
        tables = study_tables(ours, fixed, 0.1, 2)
        tables["gaps"].loc[tables["gaps"]["measure"] == "max_own_bound", "mean"] = 5.0
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            text = findings(tables, [], *ROLES)
        assert not re.search(r"\b(nan|inf)\b", text)
        assert ("5 beside an exact gap of 0 on" in text) == (ours == 0)
    assert "−50%" in text


def test_verdicts_come_first_and_say_what_changed_on_new_seeds() -> None:
    tables = study_tables(1.0, 2.0, 0.1, 2)
    same = Verdict(verdict=REPRODUCED)
    claims = [claim("a", REPRODUCED, confirmation=same), claim("b", NOT_REPRODUCED),
              claim("c", REPRODUCED, confirmation=same)]  # fmt: skip
    first = findings(tables, claims, *ROLES).splitlines()[0]
    assert first == (
        "- **Of 3 claims** 2 are reproduced, 0 are reproduced with a caveat and 1 are not "
        "reproduced. On new seeds and new games every verdict is the same."
    )
    claims[2] = claim("c", CAVEAT, confirmation=Verdict(verdict=NOT_REPRODUCED))
    first = findings(tables, claims, *ROLES).splitlines()[0]
    assert first.endswith("new games 1 of 2 verdicts differ: Claim c (not reproduced).")
    assert "new seeds" not in findings(tables, [claim("b", NOT_REPRODUCED)], *ROLES)


SHARES = {  # the finding that each share belongs to
    "beats-independent": "**Independent Q-learning**",
    "adaptive-stages": "**Adaptive stages",
    "stage-growth": "**The printed stage rule",
    "confidence-lemma": "**The confidence lemma**",
}


@pytest.mark.parametrize("name", SHARES)
def test_a_share_of_universes_stands_in_its_finding(name: str) -> None:
    judged = claim(name, REPRODUCED, robustness=robust(name, "η: a 80%, b 40%"))
    text = findings(study_tables(1.0, 2.0, 0.1, 2), [judged], *ROLES)
    (line,) = [item for item in text.split("\n- ") if "universes" in item]
    line = line.rstrip()
    assert SHARES[name] in line
    assert line.endswith(
        f"Over all readings “Claim {name}” holds in 62% of 251 [58%, 66%] universes. It depends "
        "most on the choice “η”: a 80%, b 40%."
    )


def test_earlier_v_learning_is_compared_by_its_ingredients() -> None:
    tables = study()
    put("baselines", "mean", 0.2, game="congestion", measure="max_gap_low")(tables)
    (line,) = [x for x in findings(tables, [], *ROLES).split("\n- ") if "builds on" in x]
    assert "`fishermen` 0.1 [0.09, 0.11], 0.1 [0.09, 0.11], 0.3 [0.27, 0.33]; `inspection`" in line
    assert "`congestion` 0.1 [0.09, 0.11], 0.1 [0.09, 0.11], at most 0.3" in line
    put("baselines", "mean", 0.01, learner="v-incremental-tsallis", game="inspection")(tables)
    assert "the smallest mean gap is that of v-cv on `fishermen`" in line
    (line,) = [x for x in findings(tables, [], *ROLES).split("\n- ") if "builds on" in x]
    smallest = "v-cv on `fishermen` and `congestion` and v-incremental-tsallis on `inspection`"
    assert smallest in line
    put("baselines", "mean", 0.15, learner="v-incremental-tsallis", game="inspection")(tables)
    (line,) = [x for x in findings(tables, [], *ROLES).split("\n- ") if "builds on" in x]
    assert (
        "Exponential weights in place of Tsallis-INF make the gap 2 times as large; "
        "incremental updates in place of stages make the gap 1.5 times as large.\n" in line
    )


def test_a_share_without_its_finding_is_left_out() -> None:
    """It would say of another finding that it holds."""
    claims = [claim(name, REPRODUCED, robustness=robust(name)) for name in SHARES]
    tables = study_tables(1.0, 2.0, 0.1, 2)
    for table in ("growth", "coverage"):
        del tables[table]
    text = findings(tables, claims, "v", None, None)
    assert "exact gap is" in text
    assert "universes" not in text


def test_findings_without_numbers_are_left_out() -> None:
    tables = study_tables(1.0, 2.0, 0.1, 3)
    table = tables["references"]
    tables["references"] = table[table["reference"] != "every CCE"]
    text = findings(tables, [], "v", None, None)
    assert "Independent" not in text
    assert "fixed" not in text
    assert "measure learning" not in text
