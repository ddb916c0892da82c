"""What a sweep leaves behind: its caption and files."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from sweep_tables import evaluations, make_sweep

from amg.sweep.report import caption, make_report
from amg.sweep.table import Results
from amg.tables.intervals import Intervals

TEXT = """
compare: { fishermen: { game: fishermen }, inspection: { game: inspection } }
axes: { fluctuation: [cv, mad, fixed], lambda_min: [0.7, 0.8, 0.9, 1], episodes: [100, 1000] }
measure: [max_gap, stages]
target: 0.1
"""


def test_caption_says_what_was_varied_and_measured(tmp_path: Path) -> None:
    assert caption(make_sweep(tmp_path, TEXT), 0.95) == (
        "Varied: fluctuation over cv, mad and fixed; λ_min over 4 values from 0.7 to 1; K "
        "(episodes) over 100 and 1000. Compared: fishermen and inspection. Means with 95% "
        "intervals over 4 seeds. Computed from each run's policy, not sampled: "
        "equilibrium gap. The target is a mean gap of 0.1 of the reward range; between two K of "
        "the sweep the gap is taken to follow a power of K."
    )


def test_files(tmp_path: Path) -> None:
    sweep = make_sweep(tmp_path, "axes: { bonus: [0, 1] }\nmeasure: [max_gap]")
    rows = evaluations(sweep, lambda at: {"max_gap": 1 + at["bonus"]})
    make_report(sweep, rows, Intervals(), tmp_path / "out")
    page = (tmp_path / "out.md").read_text(encoding="utf-8").splitlines()
    assert page[0].startswith("**made up** Varied: bonus (multiplier) over 0 and 1.")
    assert page[2:] == [
        "- **Equilibrium gap**: from 1 [0.99, 1.01] (bonus = 0) to 2 [1.98, 2.02] (bonus = 1).",
        "- All 8 evaluations are exact.",
    ]
    assert all((tmp_path / f"out.{suffix}").stat().st_size for suffix in ("csv", "pdf", "png"))
    rows["exact"] = rows["seed"] > 1
    make_report(sweep, rows, Intervals(), tmp_path / "out")
    assert "6 of 8 evaluations are exact;" in (tmp_path / "out.md").read_text(encoding="utf-8")


def test_too_few_seeds_for_an_interval_have_a_range(tmp_path: Path) -> None:
    sweep = make_sweep(tmp_path, "axes: { bonus: [0, 1] }\nmeasure: [max_gap]")
    sweep = dataclasses.replace(sweep, seeds=3)
    results = Results(sweep, evaluations(sweep, lambda at: {"max_gap": 1.0}, 0.3), Intervals())
    assert results.table()[["low", "high"]].isna().all(axis=None)
    row = results.table(ranges=True).iloc[0]
    assert (row["low"], row["high"]) == (0.7, 1.3)
    told = caption(sweep, 0.95)
    assert "no intervals (3 seeds are too few). The figure shows the range of the seeds." in told
