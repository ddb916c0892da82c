"""What the functions that make tables are given, by the names of their parameters.

The workflow asks for the files of a need, which become inputs of the job, and for its spec: plain
values that become parameters of the job, so that an edit of the config reruns only what it touches.
The job loads the argument from both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from amg.base.errors import FileError
from amg.learning.parameters import VLearning
from amg.results.run import Run
from amg.results.run_file import load_runs
from amg.study.plan import Series, make_game
from amg.tables import BY_SHAPE, TABLES, Table
from amg.tables.intervals import Intervals
from amg.tables.tidy import read_evaluations, read_table, write_table

if TYPE_CHECKING:
    from amg.study.study import Study  # with pydantic and yaml, which jobs need not load

Spec = Any  # plain values: Snakemake compares them to see whether a job must run again


@dataclass(frozen=True)
class Places:
    """Where a study keeps its files."""

    results: str

    def runs(self, job: str) -> str:
        return f"{self.results}/runs/{job}.npz"

    def evaluation(self, game: str) -> str:
        return f"{self.results}/evaluations/{game}.csv"

    def table(self, name: str) -> str:
        return f"{self.results}/tables/{name}.csv"

    @property
    def trace(self) -> str:
        return f"{self.results}/trace.npz"


def table_spec(study: Study, *tables: Table) -> dict[str, Spec]:
    """Return the settings that tables of one experiment are made with, by need."""
    config = study.config
    chosen = study.experiment(tables[0].experiment)
    own = _series(study, chosen)
    v_learners = [one for one in study.series if isinstance(one.parameters, VLearning)]
    specs = {
        "games": {name: entry.spec for name, entry in config.games.items()},
        "intervals": config.confidence,
        "decades": config.slope_decades,
        "p": study.failure_probability,
        "varied": list(chosen[0].settings) if chosen else [],
        "evaluations": own,  # of the table's experiment
        "runs": own,
        # evaluations of every V-learner at its largest K
        "v_learners": _series(study, [_longest(one) for one in v_learners]),
        # runs of the V-learner that figures of single runs show, at the largest K; its longest run
        "single": _series(study, [study.single]),
        "largest": _series(study, [replace(_longest(study.learned), seeds=1)]),
        # the run that was recorded in full, and the name of its game
        "traced": None,
        "traced_game": config.mechanism.game,
        "gaps": None,  # a table of the same experiment that is made before
    }
    return {need: specs[need] for table in tables for need in table.needs}


def table_files(study: Study, places: Places, *tables: Table) -> dict[str, list[str]]:
    """Return the files that tables of one experiment are made from, by need."""
    specs = table_spec(study, *tables).items()
    return {need: paths for need, spec in specs if (paths := _files(need, spec, places))}


def make_tables(
    output: Mapping[str, Path], files: Mapping[str, Sequence[Path]], spec: Mapping[str, Spec]
) -> None:
    """Make tables from these files and settings. What several of them need is loaded once."""
    loaded: dict[str, Any] = {}
    for name, path in output.items():
        table = TABLES.get(name, BY_SHAPE)
        for need in table.needs:
            if need not in loaded:
                paths = [output[need]] if need in output else files.get(need, ())
                loaded[need] = LOAD[need](paths, spec[need]) if need in LOAD else spec[need]
        frame = table.function(**{need: loaded[need] for need in table.needs})
        if frame.empty:
            frame = frame.reindex(columns=list(table.columns))
        write_table(frame, path)


def _files(need: str, spec: Spec, places: Places) -> list[str]:
    match need:
        case "evaluations" | "v_learners":
            games = dict.fromkeys(series["labels"]["game"] for series in spec)
            return [places.evaluation(game) for game in games]
        case "runs" | "single" | "largest":
            return [places.runs(job) for job in _jobs(spec)]
        case "traced":  # the run that was recorded in full
            return [places.trace]
    return []


def _series(study: Study, chosen: Iterable[Series]) -> Spec:
    """Return what identifies the runs of each series, and the jobs that make them."""
    jobs = {job.name: {part.series.name for part in job.parts} for job in study.jobs()}
    return [
        {
            "name": one.name,
            "experiment": one.experiment,
            "labels": one.labels,
            "parameters": one.parameters.as_dict(),
            "episodes": list(one.episodes),
            "seeds": list(one.all_seeds),
            "jobs": [job for job, names in jobs.items() if one.name in names],
        }
        for one in chosen
    ]


def _longest(series: Series) -> Series:
    """Return the runs of a series with the most episodes."""
    return replace(series, episodes=series.episodes[-1:])


def _jobs(spec: Spec) -> list[str]:
    """Return the jobs of all series, each once. The files of a need have the same order."""
    return list(dict.fromkeys(job for series in spec for job in series["jobs"]))


def _load_evaluations(files: Sequence[Path], spec: Spec) -> pd.DataFrame:
    """Return the evaluations of each series, by K and seed; with its experiment and stage rule."""
    table, parts = read_evaluations(files), []
    for series in spec:
        rows = table[
            (table["series"] == series["name"])
            & table["episodes"].isin(series["episodes"])
            & table["seed"].isin(series["seeds"])
        ].sort_values(["episodes", "seed"])
        if len(rows) != len(series["episodes"]) * len(series["seeds"]):
            raise FileError(f"evaluations of {series['name']} are missing; make them again")
        rule = series["parameters"].get("stage_rule")
        parts.append(rows.assign(experiment=series["experiment"], stage_rule=rule))
    return pd.concat(parts, ignore_index=True) if parts else table


def _load_runs(files: Sequence[Path], spec: Spec) -> list[tuple[dict[str, str], list[Run]]]:
    """Return the labels of each series and its runs by seed, for each K."""
    in_job = {job: _archive(path) for job, path in zip(_jobs(spec), files, strict=True)}
    groups = []
    for series, K in [(one, K) for one in spec for K in one["episodes"]]:
        runs = [
            run
            for job in series["jobs"]
            for run in in_job[job]
            if run.parameters == series["parameters"]
            and run.episodes == K
            and run.seed in series["seeds"]
        ]
        groups.append((series["labels"], sorted(runs, key=lambda run: run.seed)))
    return groups


_archive = cache(load_runs)  # several needs of a job may share it

LOAD: dict[str, Callable[[Sequence[Path], Spec], Any]] = {  # others are plain values
    "games": lambda files, spec: {name: make_game(game) for name, game in spec.items()},
    "intervals": lambda files, spec: Intervals(spec),
    "evaluations": _load_evaluations,
    "v_learners": _load_evaluations,
    "runs": _load_runs,
    "single": lambda files, spec: _load_runs(files, spec)[-1][1],
    "largest": lambda files, spec: _load_runs(files, spec)[-1][1],
    "traced": lambda files, spec: load_runs(files[0])[0],
    "gaps": lambda files, spec: read_table(files[0], TABLES["gaps"].columns),
}
