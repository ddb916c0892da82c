"""The smoke study end to end, in a scratch directory."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pandas as pd
import pytest
from workplace import Workplace

from amg.results.run_file import load_runs

SMOKE = "results/smoke"
FIGURES = (
    "mechanism",
    "agent_rewards",
    "average_reward",
    "three_algorithms",
    "sample_complexity",
    "baselines",
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


def test_every_job_leaves_a_log_and_a_benchmark(finished: Workplace) -> None:
    timing = pd.read_csv(finished.directory / SMOKE / "tables" / "timing.csv")
    assert set(timing["kind"]) == {
        *("compile", "train", "trace", "certify", "table", "figure", "experiment", "claims")
    }
    assert (timing["seconds"] > 0).all()
    for job in timing.itertuples():
        assert (finished.directory / SMOKE / "logs" / job.kind / f"{job.job}.log").exists()


def test_where_it_ran_stands_beside_the_results(finished: Workplace) -> None:
    path = finished.directory / SMOKE / "provenance.json"
    found = json.loads(path.read_text(encoding="utf-8"))
    assert {"package", "git", "python", "libraries", "machine", "date"} == found.keys()
    files = (finished.directory / SMOKE / "runs").rglob("*.npz")
    sources = {run.algorithm: run.source for file in files for run in load_runs(file)}
    assert sources["centralized_q"] == sources["independent_q"] != sources["v_learning"]


def test_a_second_run_does_nothing(finished: Workplace) -> None:
    assert finished.planned() == {}


@pytest.fixture
def copied(finished: Workplace, tmp_path: Path) -> Workplace:
    """A finished workplace that a test may change."""
    copy = Workplace.__new__(Workplace)
    copy.directory = tmp_path / "copy"
    copy.source = copy.directory / "src"
    shutil.copytree(finished.directory, copy.directory, symlinks=True)
    return copy


def test_an_experiment_of_ones_own_has_a_table_and_a_figure(copied: Workplace) -> None:
    """Its runs are there already, so that it needs no training."""
    mine = {"games": ["fishermen", "inspection"], "learners": ["v-cv", "v-stage"],
            "episodes": [1000, 10000]}  # fmt: skip
    copied.edit("config/smoke.yaml", lambda c: c["experiments"].update(mine=mine))
    jobs = copied.planned()
    assert jobs["experiment"] == {"mine"}
    assert not {"train", "certify", "figure"} & jobs.keys()
    stem = f"{SMOKE}/figures/experiments/mine"
    copied.snakemake("-c2", f"{stem}.png", "--configfile", "config/smoke.yaml")
    table = pd.read_csv(copied.directory / SMOKE / "tables/experiments/mine.csv")
    gaps = pd.read_csv(copied.directory / SMOKE / "tables/gaps.csv")
    both = table.merge(gaps, how="left", indicator=True)
    assert len(both) == len(table) == 2 * 2 * 2 * len(set(table["measure"]))
    assert set(both["_merge"]) == {"both"}
    drawn = pd.read_csv(copied.directory / f"{stem}.csv")
    wanted = table[table["measure"] == "max_gap"]
    assert drawn["y"].tolist() == wanted["mean"].tolist()
    assert set(drawn["series"]) == {"Algorithm 1 (CV)", "fixed stages"}
    for suffix in ("pdf", "png", "md"):
        assert (copied.directory / f"{stem}.{suffix}").stat().st_size > 200


def test_a_changed_parameter_reruns_what_depends_on_it(copied: Workplace) -> None:
    copied.edit(
        "config/config.yaml", lambda c: c["learners"]["explorer"].update(rate_rule="constant")
    )
    jobs = copied.planned()
    assert jobs["train"] == {"fishermen/explorer/seeds-1-3"}
    assert jobs["certify"] == {"fishermen"}
    own = {"baselines", "control", "floor", "sample-complexity", "stall"}  # of fishermen, too
    assert jobs["table"] == {"exploration", *own}
    assert jobs["figure"] == {"three_algorithms", "sample_complexity", "baselines", "confidence"}


@pytest.mark.parametrize(
    ("module", "old", "new", "some", "none"),
    [
        ("figures/mechanism.py", "4", "5", {"figure": {"mechanism"}}, {"train", "table"}),
        (
            "tables/gaps.py",
            "1e-9",
            "1e-8",
            {"table": {"sample-complexity", "agents"}},
            {"train", "certify"},
        ),
        (
            "learning/q_learning.py",
            "- q[t, s, l, o]) +",
            "- q[t, s, l, o]) + 0.0 +",
            {"train": {"fishermen/centralized-q/seeds-1-3", "fishermen/explorer/seeds-1-3"}},
            {"trace"},
        ),
        (
            "learning/tsallis.py",
            "p = 1.0 +",
            "p = 1.5 +",
            {"train": {"fishermen/v-cv/seeds-1-3", "inspection/v-stage/seeds-1-3"}},
            set(),
        ),
    ],
)
def test_a_changed_meaning_reruns_what_uses_it(
    copied: Workplace, module: str, old: str, new: str, some: dict[str, set[str]], none: set[str]
) -> None:
    path = copied.source / "amg" / module
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    jobs = copied.planned()
    for rule, names in some.items():
        assert names <= jobs[rule]
    assert not none & jobs.keys()
    if module == "learning/tsallis.py":
        assert not any("-q/" in name for name in jobs["train"])


def test_a_changed_comment_or_docstring_reruns_nothing(copied: Workplace) -> None:
    for path in copied.source.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        changed = re.sub(r'\A"""', '"""Edited. ', text)
        path.write_text(f"{changed}\n# A comment.\n", encoding="utf-8")
    assert copied.planned() == {}


@pytest.mark.slow
def test_batches_and_cores_change_no_byte(finished: Workplace, workplace: Workplace) -> None:
    """From runs to figures; tests/endurance has a sweep on one core, and the whole study."""
    patterns = ("tables/[!t]*.csv", "*.png", "*.pdf")
    workplace.edit("config/smoke.yaml", lambda c: c.update(batch=2))
    target = f"{SMOKE}/figures/sample_complexity.png"
    workplace.snakemake("-c1", target, "--configfile", "config/smoke.yaml")
    mine, theirs = workplace.digests(*patterns), finished.digests(*patterns)
    assert {Path(name).suffix for name in mine} == {".csv", ".png", ".pdf"}
    assert mine.items() <= theirs.items()
