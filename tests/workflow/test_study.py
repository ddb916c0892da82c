"""The smoke study end to end, in a scratch directory."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pandas as pd
import pytest
from pandas.api.types import is_numeric_dtype
from workplace import Workplace

from amg.analysis.tables import NUMBERS, read_table
from amg.run import load

SMOKE = "results/smoke"
FIGURES = (
    "mechanism",
    "agent_rewards",
    "average_reward",
    "three_algorithms",
    "sample_complexity",
    "confidence",
)


def test_everything_is_made(finished: Workplace) -> None:
    for name in FIGURES:
        for suffix in ("pdf", "png", "csv"):
            path = finished.directory / SMOKE / "figures" / f"{name}.{suffix}"
            assert path.stat().st_size > 500, path
    gaps = pd.read_csv(finished.directory / SMOKE / "tables" / "gaps.csv")
    assert set(gaps["game"]) == {"fishermen", "inspection"}
    chain = gaps.pivot_table(
        index=["game", "learner", "episodes"], columns="measure", values="mean"
    )
    learned = chain.dropna(subset=["max_own_bound"])
    assert (learned["max_gap"] <= learned["max_informed_gap"] + 1e-9).all()
    assert (learned["max_informed_gap"] <= learned["max_own_bound"] + 1e-9).all()


def test_damage_to_any_number_in_a_table_would_be_seen(finished: Workplace) -> None:
    base = finished.directory / SMOKE
    for path in [*base.glob("tables/*.csv"), *base.rglob("evaluations/**/*.csv")]:
        table = read_table(path)
        numbers = [name for name in table if is_numeric_dtype(table[name])]
        assert set(numbers) <= NUMBERS, f"{path}: add to NUMBERS of amg.analysis.tables"


def test_every_job_leaves_a_log_and_a_benchmark(finished: Workplace) -> None:
    timing = pd.read_csv(finished.directory / SMOKE / "tables" / "timing.csv")
    assert set(timing["kind"]) == {"compile", "train", "certify", "table", "figure"}
    assert (timing["seconds"] > 0).all()
    for job in timing.itertuples():
        assert (finished.directory / SMOKE / "logs" / job.kind / f"{job.job}.log").exists()


def test_where_it_ran_stands_beside_the_results(finished: Workplace) -> None:
    path = finished.directory / SMOKE / "provenance.json"
    found = json.loads(path.read_text(encoding="utf-8"))
    assert {"package", "git", "python", "libraries", "machine", "date"} == found.keys()
    runs = list((finished.directory / SMOKE / "runs").rglob("seed-1.npz"))
    sources = {load(run).algorithm: load(run).source for run in runs}
    assert sources["centralized_q"] == sources["independent_q"] != sources["v_learning"]


def test_a_second_run_does_nothing(finished: Workplace) -> None:
    assert finished.planned() == set()


@pytest.fixture
def copied(finished: Workplace, tmp_path: Path) -> Workplace:
    """A finished workplace that a test may change."""
    copy = Workplace.__new__(Workplace)
    copy.directory = tmp_path / "copy"
    copy.source = copy.directory / "src"
    shutil.copytree(finished.directory, copy.directory, symlinks=True)
    return copy


def test_a_changed_parameter_reruns_what_depends_on_it(copied: Workplace) -> None:
    copied.edit(
        "config/config.yaml", lambda c: c["learners"]["explorer"].update(rate_rule="constant")
    )
    planned = copied.planned()
    trained = {rule for rule in planned if rule.startswith("train_")}
    assert trained
    assert all("explorer" in rule for rule in trained)
    assert "table_exploration" in planned
    assert "figure_three_algorithms" in planned
    assert not planned & {"table_gaps", "table_returns", "figure_mechanism", "figure_confidence"}


@pytest.mark.parametrize(
    ("module", "some", "none"),
    [
        ("figures/mechanism.py", {"figure_mechanism"}, "train|certify|table|figure_confidence"),
        ("analysis/gaps.py", {"table_gaps", "figure_sample_complexity"}, "train|certify"),
        ("learning/q_learning.py", {"certify"}, "train.*v-(cv|mad|fixed)|train_mechanism"),
        pytest.param(
            "certification/evaluation.py",
            {"certify", "table_gaps"},
            "train",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_changed_module_reruns_what_imports_it(
    copied: Workplace, module: str, some: set[str], none: str
) -> None:
    path = copied.source / "amg" / module
    path.write_text(path.read_text(encoding="utf-8") + "\n# changed\n", encoding="utf-8")
    planned = copied.planned()
    assert some <= planned
    assert not [rule for rule in planned if re.match(none, rule)]


@pytest.mark.slow
def test_batches_and_cores_change_no_byte(finished: Workplace, workplace: Workplace) -> None:
    """From runs to figures; tests/endurance has a sweep on one core, and the whole study."""
    patterns = ("*.npz", "tables/[!t]*.csv", "evaluations/**/*.csv", "*.png", "*.pdf")
    workplace.edit("config/smoke.yaml", lambda c: c.update(batch=2))
    workplace.snakemake("-c1", "figure_sample_complexity", "--configfile", "config/smoke.yaml")
    mine, theirs = workplace.digests(*patterns), finished.digests(*patterns)
    assert {Path(name).suffix for name in mine} == {".npz", ".csv", ".png", ".pdf"}
    assert len(mine) > 30
    assert mine.items() <= theirs.items()
