"""The tables of one universe: those of a study, made from the universe's own runs.

Functions and columns are those of `amg.tables`. Games and learners have the names that the claims
use. A table is made when a rule first asks for it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from amg.game.model import Game
from amg.learning.parameters import VLearning
from amg.multiverse.file import Multiverse, Place, Universe
from amg.results.evaluate import GROWTH, MEASURES
from amg.results.run import Run
from amg.results.run_file import load_runs
from amg.study.plan import Series, TrainingJob
from amg.tables import TABLES
from amg.tables.intervals import Intervals
from amg.tables.tidy import read_evaluations

NEEDED = ("series", "episodes", "seed", *MEASURES, *GROWTH, "mean_value", "mean_return")
SINGLE = "restarts"  # the experiment whose runs show stages from within
Key = tuple[str, int]  # name of a series, and K


class Material:
    """Evaluations and returns of all runs, by series and K."""

    def __init__(
        self, evaluations: Mapping[Key, pd.DataFrame], runs: Mapping[Key, list[Run]]
    ) -> None:
        self.evaluations, self.runs = evaluations, runs

    def without(self, j: int, groups: int) -> Material:
        """Return the same without one group of seeds: those that leave the rest j."""
        return Material(
            {key: rows[rows["seed"] % groups != j] for key, rows in self.evaluations.items()},
            {key: [r for r in runs if r.seed % groups != j] for key, runs in self.runs.items()},
        )


def load_material(
    multiverse: Multiverse, evaluations: Iterable[Path], archives: Mapping[str, Path]
) -> Material:
    """Read what universes are judged by; `archives` are the files of training jobs, by name."""
    table = read_evaluations(evaluations)
    table = table.drop(columns=[name for name in table if name not in NEEDED]).copy()
    rows = dict(list(table.groupby(["series", "episodes"], sort=False)))
    runs: dict[Key, list[Run]] = {}
    wanted = multiverse.runs_of("rewards", SINGLE)
    for job in jobs_with(multiverse, wanted):
        loaded = iter(load_runs(archives[job.name]))
        for part in job.parts:
            own = [next(loaded) for _ in part.seeds]
            if (key := (part.series.name, part.episodes)) in wanted:
                runs.setdefault(key, []).extend(_light(run, part.record) for run in own)
    return Material(rows, runs)


def jobs_with(multiverse: Multiverse, wanted: set[Key]) -> Iterator[TrainingJob]:
    """Yield the training jobs that make some of these runs."""
    for job in multiverse.jobs():
        if any((part.series.name, part.episodes) in wanted for part in job.parts):
            yield job


def _light(run: Run, recorded: int) -> Run:
    """Return the run without what fills the memory: only recorded runs need their stages."""
    return run if recorded else dataclasses.replace(run, certificate=None, policy=None)


class UniverseTables(Mapping[str, pd.DataFrame]):
    """The tables of one universe, by name."""

    def __init__(
        self,
        universe: Universe,
        material: Material,
        games: Mapping[str, Game],
        intervals: Intervals,
        decades: float,
    ) -> None:
        self.universe, self.material = universe, material
        self.intervals, self.decades = intervals, decades
        self.games = {
            game: games[series[0].game_label] for (_, game, _), series in universe.runs.items()
        }
        self.made: dict[str, pd.DataFrame] = {}
        self.needed: dict[tuple[str, str], Any] = {}

    def __getitem__(self, name: str) -> pd.DataFrame:
        if name not in self.made:
            table = TABLES[name]
            for key in ((need, table.experiment) for need in table.needs):
                if key not in self.needed:
                    self.needed[key] = self._need(*key)
            needs = {need: self.needed[need, table.experiment] for need in table.needs}
            self.made[name] = table.function(**needs)
        return self.made[name]

    def __contains__(self, name: object) -> bool:
        experiments = {experiment for experiment, _, _ in self.universe.runs}
        return name in TABLES and TABLES[str(name)].experiment in {*experiments, "games"}

    def __iter__(self) -> Iterator[str]:
        return (name for name in TABLES if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _need(self, need: str, experiment: str) -> Any:
        """Return what a table is made from, as `amg.tables.needs` has it for a study."""
        match need:
            case "evaluations":
                return self._evaluations(self._places(experiment))
            case "v_learners":
                v = [p for p, s in self.universe.runs.items() if _is_v(s)]
                return self._evaluations({p: self.universe.runs[p][-1:] for p in v})
            case "runs":
                return self._runs(self._places(experiment))
            case "single":
                return self._runs(self._places(SINGLE))[0][1]
            case "games":
                return self.games
            case "intervals":
                return self.intervals
            case "decades":
                return self.decades
            case "p":
                every = (s[0].parameters for s in self.universe.runs.values() if _is_v(s))
                return next(one.p for one in every if isinstance(one, VLearning))
            case "gaps":
                return self["gaps"]
        raise KeyError(need)

    def _places(self, experiment: str) -> dict[Place, tuple[Series, ...]]:
        return {place: s for place, s in self.universe.runs.items() if place[0] == experiment}

    def _evaluations(self, places: Mapping[Place, tuple[Series, ...]]) -> pd.DataFrame:
        """Return the evaluations of these series, with their names in the claims."""
        parts = []
        for (experiment, game, learner), series in places.items():
            rule = series[0].parameters.as_dict().get("stage_rule")
            rows = pd.concat([self.material.evaluations[_key(one)] for one in series])
            labels = {"game": game, "learner": learner, "experiment": experiment}
            name = f"{experiment}/{game}/{learner}"
            parts.append(rows.assign(**labels, series=name, stage_rule=rule))
        return pd.concat(parts, ignore_index=True)

    def _runs(
        self, places: Mapping[Place, tuple[Series, ...]]
    ) -> list[tuple[dict[str, str], list[Run]]]:
        """Return labels and runs for each game, learner and K."""
        return [
            ({"game": game, "learner": learner}, self.material.runs[_key(one)])
            for (_, game, learner), series in places.items()
            for one in series
        ]


def _is_v(series: tuple[Series, ...]) -> bool:
    return isinstance(series[0].parameters, VLearning)


def _key(series: Series) -> Key:
    return series.name, series.episodes[0]
