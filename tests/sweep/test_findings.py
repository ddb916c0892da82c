"""Findings: each kind on made-up results whose answer is known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from sweep_tables import Measured, evaluations

from amg.sweep.file import read_sweep
from amg.sweep.table import Results
from amg.tables.intervals import Intervals


def said(directory: Path, axes: str, findings: str, measured: Measured, more: str = "") -> str:
    """What one finding says when each cell measures a function of its place."""
    path = directory / "made.yaml"
    path.write_text(
        f"title: Made up\nbase: {{ game: fishermen, algorithm: v_learning, episodes: 100 }}\n"
        f"axes:\n{axes}\nseeds: 4\nmeasure: [max_gap, mean_return, lemma_holds, relative_gap]\n"
        f"{more}\nfindings:\n  - {findings}\n",
        encoding="utf-8",
    )
    sweep = read_sweep(path)
    plain = {"max_gap": 1.0, "mean_return": 1.0, "lemma_holds": 1.0, "relative_gap": 1.0}
    rows = evaluations(sweep, lambda at: {**plain, **measured(at)})
    results = Results(sweep, rows, Intervals())
    (finding,) = sweep.findings
    return finding.sentence(results, results.table())


def test_extremes(tmp_path: Path) -> None:
    text = said(tmp_path, "  bonus: [0, 1, 4]", "extremes: { measure: max_gap }",
                lambda at: {"max_gap": (float(at["bonus"]) - 1) ** 2 + 2})  # fmt: skip
    assert "from 2 [1.98, 2.02] (bonus = 1) to 11 [10.9, 11.1] (bonus = 4)" in text


def test_against_matches_everything_else(tmp_path: Path) -> None:
    """Real stages halve the gap where λ_min is 0.8, double it at 0.9, and change nothing at 1."""
    factor = {0.8: 0.5, 0.9: 2.0, 1.0: 1.0}

    def gap(at: dict[str, float | str]) -> dict[str, float]:
        base = 10 * float(at["lambda_min"])
        real = at["stage_rule"] == "real"
        return {"max_gap": base * (factor[float(at["lambda_min"])] if real else 1.0)}

    text = said(
        tmp_path,
        "  lambda_min: [0.8, 0.9, 1]\n  stage_rule: [floor, real]",
        "against: { axis: stage_rule, value: floor, measure: max_gap }",
        gap,
    )
    assert "1 of 3 settings are clearly below, 1 clearly above" in text
    assert "the median is +0%" in text
    assert "the lowest −50% (4 [3.96, 4.04], λ_min = 0.8, stage rule = real)" in text
    assert "the highest +100%" in text


def test_power_fits_the_upper_values(tmp_path: Path) -> None:
    """K^-1/2 from 1000 on; what is below does not count."""
    text = said(
        tmp_path,
        "  episodes: { from: 10, to: 1e5, per_decade: 1 }",
        "power: { axis: episodes, measure: max_gap, theorem: -0.5, from: 1000 }",
        lambda at: {"max_gap": float(at["episodes"]) ** -0.5 if float(at["episodes"]) > 500 else 9},
    )
    assert "−0.50 [−0.5" in text
    assert "from 1000 to 100000" in text
    assert "(the theorem's: −0.5)" in text


def test_least_looks_at_every_larger_value(tmp_path: Path) -> None:
    """It holds at 0.1 by luck, fails at 0.3, and holds from 1 on."""
    holds = {0.0: 0.0, 0.1: 1.02, 0.3: 0.6, 1.0: 1.02, 4.0: 1.02}
    text = said(
        tmp_path,
        "  bonus: [0, 0.1, 0.3, 1, 4]",
        "least: { axis: bonus, measure: lemma_holds, level: 1, then: [max_gap] }",
        lambda at: {"lemma_holds": holds[float(at["bonus"])], "max_gap": float(at["bonus"]) + 1},
    )
    assert "≥ 1**: 1 (0.6 at 0.3), equilibrium gap −60% against bonus = 4" in text
    never = said(
        tmp_path,
        "  bonus: [0, 4]",
        "least: { axis: bonus, measure: lemma_holds, level: 1 }",
        lambda at: {"lemma_holds": 0.5},
    )
    assert "none up to 4" in never


def test_trade_tells_whether_two_measures_agree(tmp_path: Path) -> None:
    text = said(
        tmp_path,
        "  bonus: [0, 1, 2, 3]",
        "trade: { most: mean_return, least: max_gap }",
        lambda at: {"mean_return": 10 + float(at["bonus"]), "max_gap": 1 + float(at["bonus"])},
    )
    assert "is 13 (bonus = 3) with equilibrium gap 4, the least equilibrium gap is 1" in text
    assert "over 4 cells is 1.00" in text


def test_many_agents_beside_the_theorem_and_the_joint_table(tmp_path: Path) -> None:
    """√(N/K) reaches 0.1 at K = 100 N: a power of one, from 200 to 3200."""
    text = said(
        tmp_path,
        "  agents: [2, 8, 32]\n  episodes: { from: 10, to: 1e5, per_decade: 1 }",
        "many_agents: { axis: agents }",
        lambda at: {"relative_gap": float(np.sqrt(float(at["agents"]) / float(at["episodes"])))},
        more="target: 0.1",
    )
    assert "for N = 2 and" in text
    assert "a factor of 16 (fitted power of N: 1.00)" in text
    assert "joint actions grows by 10^9" in text  # 2^30


def test_numbers_in_tiny_units_are_not_taken_for_rounding(tmp_path: Path) -> None:
    text = said(tmp_path, "  bonus: [0, 1, 4]", "extremes: { measure: max_gap }",
                lambda at: {"max_gap": 1e-300 * ((float(at["bonus"]) - 1) ** 2 + 2)})  # fmt: skip
    assert "from 2e−300 [1.98e−300, 2.02e−300] (bonus = 1) to 1.1e−299" in text


def test_a_power_leaves_out_zero(tmp_path: Path) -> None:
    """A value of the axis that has no logarithm."""
    text = said(tmp_path, "  bonus: [0, 1, 2, 4]", "power: { axis: bonus, measure: max_gap }",
                lambda at: {"max_gap": 1 + 2 * (float(at["bonus"]) - 0.5)})  # fmt: skip
    assert "1.00 [0.99, 1.01] from 1 to 4, without 1 values that are not positive" in text


def test_nothing_is_so_many_percent_of_zero(tmp_path: Path) -> None:
    axes = "  lambda_min: [0.8, 0.9]\n  stage_rule: [floor, real]"
    against = "against: { axis: stage_rule, value: floor, measure: max_gap }"
    for gap, worse in ((0.0, 0), (1.0, 2)):
        text = said(tmp_path, axes, against, lambda at, gap=gap: {  # type: ignore[misc]
            "max_gap": gap * (at["stage_rule"] == "real")})  # fmt: skip
        assert f"0 of 2 settings are clearly below, {worse} clearly above; no ratio" in text
    text = said(
        tmp_path,
        "  bonus: [0, 1, 4]",
        "least: { axis: bonus, measure: lemma_holds, level: 1, then: [max_gap] }",
        lambda at: {"lemma_holds": 1.02, "max_gap": 0.0},
    )
    assert "≥ 1**: 0, equilibrium gap has no ratio to bonus = 4" in text
    text = said(
        tmp_path,
        "  bonus: [0, 1, 4]",
        "trade: { most: mean_return, least: max_gap }",
        lambda at: {"mean_return": float(at["bonus"]), "max_gap": 0.0},
    )
    assert text.endswith("(bonus = 0) with mean return in training 0.")


def test_a_measure_that_is_the_same_everywhere_tells_nothing(tmp_path: Path) -> None:
    text = said(
        tmp_path,
        "  bonus: [0, 1, 2]",
        "trade: { most: mean_return, least: max_gap }",
        lambda at: {"mean_return": 5.0, "max_gap": 1e-15 + float(at["bonus"])},
    )
    assert "mean return in training is 5 in all 3 cells and tells nothing" in text
    assert text.startswith("**Mean return in training against")
    assert "nan" not in text
