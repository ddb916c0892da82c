"""What tables are made from: the files of each need, its settings, and how it is loaded.

A need is named like the parameter of the function that makes a table. The workflow asks for `files`
(its inputs) and `spec` (plain values, its parameters); the job calls `load` with both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from amg.base.errors import FileError
from amg.learning.parameters import VLearning
from amg.results.run import Run
from amg.results.run_file import load_runs
from amg.study.plan import Series, make_game
from amg.study.study import Study
from amg.tables import TABLES, Table

if TYPE_CHECKING:
    import pandas as pd

Spec = Any  # plain values: Snakemake compares them to see whether a job must run again


@dataclass(frozen=True)
class Places:
    """Where a study keeps its files."""

    results: str

    def runs(self, job: str) -> str:
        return f"{self.results}/runs/{job}.npz"

    def evaluation(self, job: str) -> str:
        return f"{self.results}/evaluations/{job}.csv"

    def table(self, name: str) -> str:
        return f"{self.results}/tables/{name}.csv"

    @property
    def trace(self) -> str:
        return f"{self.results}/trace.npz"


@dataclass(frozen=True)
class Need:
    """Something that tables are made from."""

    load: Callable[[Sequence[Path], Spec], Any]
    files: Callable[[Study, Table, Places], list[str]] = lambda study, table, places: []
    spec: Callable[[Study, Table], Spec] = lambda study, table: None


# --- which series ----------------------------------------------------------------------------


def _jobs(study: Study, series: Sequence[Series]) -> list[str]:
    """Return the names of the jobs that make these series."""
    names = {one.name for one in series}
    return [
        job.name for job in study.jobs() if any(part.series.name in names for part in job.parts)
    ]


def _evaluations(study: Study, series: Sequence[Series], places: Places) -> list[str]:
    return [places.evaluation(job) for job in _jobs(study, series)]


def _run_files(study: Study, series: Sequence[Series], places: Places) -> list[str]:
    return [places.runs(job) for job in _jobs(study, series)]


def _choice(series: Series, episodes: Sequence[int] | None = None) -> dict[str, Any]:
    """Return what tells the runs of a series from others."""
    return {
        "series": series.name,
        "parameters": series.parameters.as_dict(),
        "episodes": list(episodes or series.episodes),
        "seeds": series.seeds,
    }


def _experiment(study: Study, table: Table) -> list[Series]:
    assert table.experiment is not None
    return study.experiment(table.experiment)


def _growing(study: Study) -> list[Series]:
    return [one for one in study.series if isinstance(one.parameters, VLearning)]


# --- loading ---------------------------------------------------------------------------------


def choose_rows(frame: pd.DataFrame, choice: Mapping[str, Any]) -> pd.DataFrame:
    """Return the rows of a series in a table of evaluations, in the order of K and seed."""
    rows = frame[
        (frame["series"] == choice["series"])
        & frame["episodes"].isin(choice["episodes"])
        & (frame["seed"] <= choice["seeds"])
    ]
    if len(rows) != len(choice["episodes"]) * choice["seeds"]:
        raise FileError(f"evaluations of {choice['series']} are missing; make them again")
    return rows.sort_values(["episodes", "seed"], kind="stable")


def _load_evaluations(files: Sequence[Path], spec: Spec) -> pd.DataFrame:
    import pandas as pd

    from amg.tables.tidy import read_evaluations

    frame = read_evaluations(files)
    chosen = [choose_rows(frame, choice) for choice in spec]
    return pd.concat(chosen, ignore_index=True) if chosen else frame


def choose_runs(files: Sequence[Path], choice: Mapping[str, Any]) -> list[Run]:
    """Return the runs of a series in run files, in the order of K and seed."""

    def wanted(record: Mapping[str, Any]) -> bool:
        return (
            record["parameters"] == choice["parameters"]
            and record["episodes"] in choice["episodes"]
            and record["seed"] <= choice["seeds"]
        )

    runs = [run for path in files for run in load_runs(path, wanted)]
    return sorted(runs, key=lambda run: (run.episodes, run.seed))


def _load_groups(files: Sequence[Path], spec: Spec) -> list[tuple[dict[str, Any], list[Run]]]:
    return [
        (labels, choose_runs([files[j] for j in places], choice)) for labels, places, choice in spec
    ]


def _load_stage_lengths(files: Sequence[Path], spec: Spec) -> list[tuple[Any, pd.DataFrame]]:
    from amg.tables.tidy import read_evaluations

    frame = read_evaluations(files)
    return [(labels, choose_rows(frame, choice)) for labels, choice in spec]


def _load_bootstrap(files: Sequence[Path], spec: Spec) -> Any:
    from amg.tables.intervals import Bootstrap

    return Bootstrap(**spec)


def _load_table(files: Sequence[Path], spec: Spec) -> pd.DataFrame:
    from amg.tables.tidy import read_table

    return read_table(files[0], TABLES[files[0].stem].columns)


def _load_trace(files: Sequence[Path], spec: Spec) -> Run:
    return load_runs(files[0])[0]


def _value(files: Sequence[Path], spec: Spec) -> Any:
    return spec


# --- the needs -------------------------------------------------------------------------------


def _stage_lengths(study: Study, table: Table) -> Spec:
    return [
        (
            {
                "experiment": one.experiment,
                **one.labels,
                "stage_rule": one.parameters.as_dict()["stage_rule"],
                "horizon": one.game.T,
                "agents": one.game.N,
                "episodes": one.episodes[-1],
            },
            _choice(one, one.episodes[-1:]),
        )
        for one in _growing(study)
    ]


def _groups(study: Study, table: Table) -> Spec:
    """Return, for each series, its labels, which of the files hold it, and which runs it has."""
    series = _experiment(study, table)
    jobs = _jobs(study, series)
    return [
        (one.labels, [jobs.index(name) for name in _jobs(study, [one])], _choice(one))
        for one in series
    ]


NEEDS: dict[str, Need] = {
    "games": Need(
        load=lambda files, spec: {name: make_game(one) for name, one in spec.items()},
        spec=lambda study, table: study.game_specs,
    ),
    # the evaluations of the table's experiment, one row a run
    "evaluations": Need(
        load=_load_evaluations,
        files=lambda study, table, places: _evaluations(study, _experiment(study, table), places),
        spec=lambda study, table: [_choice(one) for one in _experiment(study, table)],
    ),
    # the runs of the table's experiment: (labels, runs) for each series
    "groups": Need(
        load=_load_groups,
        files=lambda study, table, places: _run_files(study, _experiment(study, table), places),
        spec=_groups,
    ),
    # the evaluations of every V-learner at its largest K: (labels, rows) for each series
    "stage_lengths": Need(
        load=_load_stage_lengths,
        files=lambda study, table, places: _evaluations(study, _growing(study), places),
        spec=_stage_lengths,
    ),
    # the runs of the V-learner that figures of single runs show, seed by seed
    "single": Need(
        load=choose_runs,
        files=lambda study, table, places: _run_files(study, [study.single], places),
        spec=lambda study, table: _choice(study.single),
    ),
    # the run of the first V-learner with the most episodes, seed 1
    "largest": Need(
        load=lambda files, spec: choose_runs(files, spec)[0],
        files=lambda study, table, places: _run_files(study, [study.learned], places),
        spec=lambda study, table: {
            **_choice(study.learned, study.learned.episodes[-1:]),
            "seeds": 1,
        },
    ),
    # the run that was recorded in full, and what its game is called
    "traced": Need(load=_load_trace, files=lambda study, table, places: [places.trace]),
    "traced_game": Need(load=_value, spec=lambda study, table: study.config.mechanism.game),
    "gaps": Need(load=_load_table, files=lambda study, table, places: [places.table("gaps")]),
    "bootstrap": Need(
        load=_load_bootstrap, spec=lambda study, table: study.config.bootstrap.model_dump()
    ),
    "decades": Need(load=_value, spec=lambda study, table: study.config.slope_decades),
    "p": Need(load=_value, spec=lambda study, table: study.failure_probability),
    "varied": Need(
        load=_value, spec=lambda study, table: list(study.config.experiments["exploration"].vary)
    ),
}


def table_files(study: Study, table: Table, places: Places) -> dict[str, list[str]]:
    """Return the files that a table is made from, by need."""
    files = {name: NEEDS[name].files(study, table, places) for name in table.needs}
    return {name: paths for name, paths in files.items() if paths}


def table_spec(study: Study, table: Table) -> dict[str, Spec]:
    """Return the settings that a table is made with, by need."""
    return {name: NEEDS[name].spec(study, table) for name in table.needs}


def make_table(
    table: Table, files: Mapping[str, Sequence[Path]], spec: Mapping[str, Spec]
) -> pd.DataFrame:
    """Return the table made from these files and settings."""
    arguments = {name: NEEDS[name].load(files.get(name, ()), spec[name]) for name in table.needs}
    maker = getattr(import_module(table.module), table.maker.rpartition(".")[2])
    frame: pd.DataFrame = maker(**arguments)
    if frame.empty:
        frame = frame.reindex(columns=list(table.columns))
    missing = [column for column in table.columns if column not in frame]
    assert not missing, f"table {table.name} lacks the columns {missing}"
    return frame
