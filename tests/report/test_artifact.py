"""The evaluator's table of experiments, from the registries and the times of a study."""

from __future__ import annotations

import pandas as pd
import pytest
import yaml
from sample import ROOT

from amg.base.text import raised
from amg.claims.entries import CLAIMS
from amg.figures import FIGURES
from amg.report.docs import BLOCK, HEADER, experiment_table, experiments, read_study
from amg.study.study import Study
from amg.tables import BY_EXPERIMENT, TABLES


@pytest.fixture(scope="module")
def study() -> Study:
    return read_study(ROOT)


@pytest.fixture(scope="module")
def timing(study: Study) -> pd.DataFrame:
    """Return a table in which every job took a second."""
    jobs = [("trace", "mechanism"), *((kind, job.name) for kind in ("train", "certify")
                                      for job in study.jobs())]  # fmt: skip
    jobs += [("table", name) for name in BY_EXPERIMENT] + [("figure", name) for name in FIGURES]
    return pd.DataFrame([{"kind": kind, "job": job, "seconds": 1.0} for kind, job in jobs])


def cells(table: str) -> list[list[str]]:
    """Return the cells of a table without the column of measured times."""
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]
    return [row[:2] + row[3:] for row in rows]


def test_the_experiments_of_the_artifact_have_not_drifted(timing: pd.DataFrame) -> None:
    text = (ROOT / "ARTIFACT.md").read_text(encoding="utf-8")
    (block,) = [match["body"] for match in BLOCK.finditer(text) if match["name"] == "experiments"]
    assert HEADER[2] == "core time"
    assert cells(block) == cells(experiment_table(ROOT, timing)), "run `make docs`"


def test_every_table_figure_and_claim_is_in_the_table_once(
    study: Study, timing: pd.DataFrame
) -> None:
    known = experiments(study)
    assert sorted(name for one in known for name in one.tables) == sorted(TABLES)
    assert {name for one in known for name in one.figures} == set(FIGURES)
    table = experiment_table(ROOT, timing)
    claims = yaml.safe_load((ROOT / CLAIMS).read_text(encoding="utf-8"))["claims"]
    assert all(table.count(raised(claim["title"])) == 1 for claim in claims)


def test_files_are_figures_and_the_tables_that_no_figure_needs(study: Study) -> None:
    files = {one.name: one.files for one in experiments(study)}
    assert files["mechanism"] == ["figures/mechanism.png", "results/tables/locality.csv"]
    assert files["exploration"] == ["figures/three_algorithms.png"]
    assert files["stall"] == ["results/tables/growth.csv"]
    assert files["games"][0] == "results/tables/references.csv"


def test_every_job_is_counted_and_a_shared_one_in_each_of_its_experiments(
    study: Study, timing: pd.DataFrame
) -> None:
    taken = {one.name: one.seconds(study, timing) for one in experiments(study)}
    own = {one.name: one for one in experiments(study)}
    assert taken["mechanism"] == 1 + 1 + 1  # a run, its tables and a figure
    assert taken["games"] == 1
    names = {
        one.name: {series.name for series in study.experiment(one.name)} for one in own.values()
    }
    shares = [
        sum(not mine.isdisjoint(part.series.name for part in job.parts) for mine in names.values())
        for job in study.jobs()
    ]
    assert min(shares) == 1
    assert max(shares) > 1
    twice = sum(len(one.figures) for one in own.values()) - len(FIGURES)
    assert sum(taken.values()) == len(timing) + 2 * (sum(shares) - len(shares)) + twice


def test_a_time_that_was_not_measured_is_a_dash() -> None:
    empty = pd.DataFrame({"kind": ["figure"], "job": ["mechanism"], "seconds": [90.0]})
    times = [line.split("|")[3].strip() for line in experiment_table(ROOT, empty).splitlines()[2:]]
    assert times == ["–", "1.5 min", *["–"] * (len(times) - 3), "1.5 min"]
