"""What tables are made from: files and plain settings that follow the config."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from workplace import ROOT

from amg.base.errors import FileError
from amg.results.evaluate import evaluate_files
from amg.study.config import CONFIG, read_config
from amg.study.plan import train_spec
from amg.study.study import Study
from amg.tables import TABLES
from amg.tables.needs import Places, make_tables, table_files, table_spec
from amg.tables.tidy import read_table, write_table

SMALL = {
    "seeds": 3,
    "batch": 2,
    "experiments": {
        "rewards": {"episodes": [50], "learners": ["v-cv"]},
        "sample-complexity": {"episodes": [20, 50], "learners": ["v-cv", "independent-q"]},
        "exploration": {"episodes": [50]},
    },
}


def study(given: dict[str, Any] | None = None) -> Study:
    return Study(*read_config([ROOT / CONFIG], given=given or {}))


def specs(given: dict[str, Any]) -> dict[str, str]:
    """Return the settings of every table as text."""
    changed = study(given)
    return {name: json.dumps(table_spec(changed, table)) for name, table in TABLES.items()}


@pytest.mark.parametrize(
    ("given", "touched"),
    [
        ({"slope_decades": 3}, {"slopes"}),
        ({"mechanism": {"game": "inspection"}}, {"locality"}),
        ({"learners": {"explorer": {"rate": "0.2"}}}, {"exploration"}),
        ({"learners": {"v-mad": {"mad_max": "0.3"}}},
         {"returns", "late_returns", "gaps", "slopes", "local_slopes", "coverage", "growth"}),
    ],
)  # fmt: skip
def test_an_edit_of_the_config_changes_the_tables_it_touches(
    given: dict[str, Any], touched: set[str]
) -> None:
    before, after = specs({}), specs(given)
    assert {name for name in TABLES if before[name] != after[name]} == touched


def test_files_are_those_of_the_jobs_that_make_the_runs() -> None:
    places = Places("results")
    files = {name: table_files(study(), places, table) for name, table in TABLES.items()}
    assert files["references"] == {}
    assert files["theory"] == {}  # made from the table `gaps`, by the same job
    assert files["signal"] == {"traced": ["results/trace.npz"]}
    assert files["stages"] == {"single": ["results/runs/fishermen/v-cv/seeds-1-20.npz"]}
    assert files["exploration"] == {"evaluations": ["results/evaluations/fishermen.csv"]}


def test_tables_from_shared_runs_in_batches(tmp_path: Path) -> None:
    """The runs of two experiments lie in the same files; each table takes its own."""
    small, places = study(SMALL), Places(str(tmp_path))
    jobs = [job for job in small.jobs() if job.name.startswith("fishermen/v-cv")]
    runs = [Path(places.runs(job.name)) for job in jobs]
    for job, path in zip(jobs, runs, strict=True):
        train_spec(job.spec, job.name, path, io.StringIO())
    path = Path(places.evaluation("fishermen"))
    evaluate_files(runs, [(job.name, job.groups) for job in jobs], path, io.StringIO())

    def make(name: str) -> Any:
        table, output = TABLES[name], Path(places.table(name))
        files = table_files(small, places, table).items()
        paths = {need: [Path(file) for file in files] for need, files in files}
        make_tables({name: output}, paths, table_spec(small, table))
        return read_table(output)

    returns = make("returns")
    assert set(returns["seeds"]) == {3}
    assert returns["episode"].max() == 50
    late = make("late_returns")
    assert late.columns.tolist() == list(TABLES["late_returns"].columns)
    assert set(late["episodes"]) == {50}
    assert make("confidence")["run"].iloc[0].endswith("K = 50, seed 1")
    assert make("restart").columns.tolist() == list(TABLES["restart"].columns)  # no long stage
    with pytest.raises(FileError, match=r"inspection\.csv"):
        make("gaps")
    write_table(read_table(path)[1:], path)
    spec = table_spec(small, TABLES["gaps"])["evaluations"][:1]
    with pytest.raises(FileError, match="evaluations of fishermen/v-cv are missing; make them"):
        make_tables({"coverage": path}, {"evaluations": [path]}, {"evaluations": spec})
