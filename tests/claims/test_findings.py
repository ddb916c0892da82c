"""The findings say what made-up tables say."""

from __future__ import annotations

import re
import warnings

import pandas as pd

from amg.claims.findings import findings


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
        "returns": pd.DataFrame([{"game": "g", "learner": "v", "agent": "average", "episode": 1000,
                                  "mean": 4.5, "low": 4.4, "high": 4.6}]),
        "slopes": pd.DataFrame([{"game": "g", "learner": "v", "measure": "max_gap",
                                 "slope": -0.5, "low": -0.6, "high": -0.4, "from": 100}]),
        "local_slopes": pd.DataFrame([
            {"game": "g", "learner": "v", "measure": "max_gap", "slope": slope, "from": K}
            for K, slope in {10: -0.1, 100: -0.45, 1000: -0.62}.items()
        ]),
        "theory": pd.DataFrame([{"learner": "v", "measure": "max_own_bound", "constant": 3.0}]),
        "coverage": pd.DataFrame([{"runs": 5, "runs_tested": 3, "runs_holding": holding}]),
        "control": pd.DataFrame([{"runs": 3, "runs_tested": 3, "runs_holding": 0}]),
        "exploration": pd.DataFrame(),
    }  # fmt: skip


def test_findings_say_what_the_tables_say() -> None:
    text = findings(study_tables(1.0, 2.0, 0.1, 2), "v", "f", "q")
    assert "below that of V-learning" in text
    assert "−50%; the intervals do not overlap" in text
    assert "in 2 of 3 runs in which a bound says something, of 5 in all" in text
    assert "as a control, it holds in 0 of 3 runs" in text
    assert "K^−0.50 [−0.60, −0.40] over the upper decades, by decade between K^−0.45" in text
    assert "exploring earns more than the equilibrium" in text
    assert "100 times the exact gap" in text
    other = findings(study_tables(1.0, 1.05, 5.0, 3), "v", "f", "q")
    assert "above that of V-learning" in other
    assert "the intervals overlap" in other
    assert "not clearly apart" in findings(study_tables(1.0, 1.05, 1.0, 3), "v", "f", "q")


def test_no_ratio_to_a_gap_of_zero() -> None:
    """One action, or independent Q at the equilibrium: nothing is so many times 0."""
    for ours, fixed in ((0.0, 2.0), (1.0, 0.0), (0.0, 0.0), (1e-300, 2e-300)):
        tables = study_tables(ours, fixed, 0.1, 2)
        tables["gaps"].loc[tables["gaps"]["measure"] == "max_own_bound", "mean"] = 5.0
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            text = findings(tables, "v", "f", "q")
        assert not re.search(r"\b(nan|inf)\b", text)
        assert ("5 beside an exact gap of 0 on" in text) == (ours == 0)
    assert "−50%" in text


def test_findings_without_numbers_are_left_out() -> None:
    tables = study_tables(1.0, 2.0, 0.1, 3)
    table = tables["references"]
    tables["references"] = table[table["reference"] != "every CCE"]
    text = findings(tables, "v", None, None)
    assert "Independent" not in text
    assert "fixed" not in text
    assert "measure learning" not in text
