"""Series of runs, and the training jobs that make them.

A job's name says what it makes. Files are looked up by name, and a name is never parsed back.
"""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TextIO

from amg.base.errors import ParameterError
from amg.game.library import build
from amg.game.model import Game
from amg.learning.group import lockstep_pays
from amg.learning.job import Task, train_job
from amg.learning.parameters import (
    IncrementalVLearning,
    OptimisticFTRL,
    Parameters,
    QLearning,
    VLearning,
    make_parameters,
)
from amg.learning.train import train_traced
from amg.process.terminal import Progress
from amg.results.run_file import save_runs

# Estimated cost of a run, fitted to one core of the machine that made the shipped figures.
PAIR = 35e-9  # seconds for a step of two agents with two actions each, certificate included
LOCKSTEP = 0.3  # of it, or of a step of Q-learning, in lockstep
ACTION = 0.08e-6  # more agents: for each action of each agent
POINT = 0.15e-9  # and for each operation of the laws, N log N · D · A of them
Q_AGENT = 20e-9  # of Q-learning, for each agent
AVERAGE = 0.1e-6  # of a learner that is evaluated while it learns, for each action of each agent
FIXED = 5e-3  # a run's beginning, end and file

AVERAGING = IncrementalVLearning, OptimisticFTRL  # evaluated while they learn

MOST_ENTRIES = 1 << 24  # of the tables of several games together; filling them takes a minute
MENU = 64  # entries that take as long as one agent's menu in one state
MOST_RUNS = 4000  # of one job: its archive has at most ten arrays for each


def make_game(spec: Mapping[str, Any]) -> Game:
    """Return the game of a config entry: {builder, parameters} or {file}."""
    if "file" in spec:
        from amg.game.file import load_game  # with pydantic, which other jobs need not load

        return load_game(Path(spec["file"]))
    return build(spec["builder"], spec.get("parameters", {}))


def training_seconds(game: Game, parameters: Parameters, episodes: int, runs: int) -> float:
    """Return the estimated seconds of so many runs together on one core."""
    N, A, D = game.N, game.A_max, game.reward.shape[4]
    if isinstance(parameters, QLearning):
        visit = Q_AGENT * N
    elif isinstance(parameters, AVERAGING):
        visit = AVERAGE * N * A * (1 if game.T <= 2 else 2)
    elif N == 2 and A == 2:
        visit = PAIR
    else:
        visit = ACTION * N * A + POINT * N * math.log2(N) * D * A if N > 1 else ACTION * A
    if lockstep_pays(game, parameters, episodes, runs):
        visit *= LOCKSTEP
    return runs * (FIXED + episodes * game.T * visit)


class Games:
    """Makes games, each once, as long as all of them together take bounded time and memory."""

    def __init__(self) -> None:
        self.games: dict[str, Game] = {}
        self.entries = 0

    def make(self, spec: Mapping[str, Any]) -> Game:
        """Return the game of this spec."""
        key = json.dumps(spec)
        if key not in self.games:
            game = make_game(spec)
            menus = game.T * game.S * game.N
            self.entries += game.reward.size + game.transition.size + MENU * menus
            if self.games and self.entries > MOST_ENTRIES:
                raise ParameterError(
                    f"with it, {len(self.games) + 1} games together are too large; use fewer or "
                    f"smaller ones"
                )
            self.games[key] = game
        return self.games[key]


@dataclass(frozen=True, eq=False)
class Series:
    """One game with one learner in one experiment, for several numbers of episodes and seeds."""

    experiment: str
    game_label: str
    learner_label: str
    settings: dict[str, str]  # what the experiment varies, as it was written
    game: Game
    game_spec: Mapping[str, Any]  # how it is made
    parameters: Parameters
    episodes: tuple[int, ...]
    seeds: int
    record: int
    first_seed: int = 1

    @property
    def name(self) -> str:
        """Return what tells the series from others in all experiments: game/learner+settings."""
        varied = "".join(f"+{key}={value}" for key, value in self.settings.items())
        return f"{self.game_label}/{self.learner_label}{varied}"

    @property
    def all_seeds(self) -> tuple[int, ...]:
        """Return its seeds."""
        return tuple(range(self.first_seed, self.first_seed + self.seeds))

    @property
    def labels(self) -> dict[str, Any]:
        """Return the columns that come first in its rows of tables."""
        return {"game": self.game_label, "learner": self.learner_label, **self.settings}


@dataclass(frozen=True, eq=False)
class Part:
    """Runs of a series that differ only in their seed."""

    series: Series
    episodes: int
    seeds: tuple[int, ...]
    record: int

    @cached_property
    def seconds(self) -> float:
        """The estimated training time of all runs."""
        of_run = self.series.game, self.series.parameters, self.episodes
        return training_seconds(*of_run, len(self.seeds))


@dataclass(frozen=True, eq=False)
class TrainingJob:
    """Runs of one game and one algorithm that one job makes, into one archive."""

    name: str
    parts: tuple[Part, ...]

    @property
    def game(self) -> str:
        """Return the label of its game."""
        return self.parts[0].series.game_label

    @property
    def algorithm(self) -> str:
        """Return the name of its algorithm."""
        return self.parts[0].series.parameters.algorithm

    @property
    def episodes(self) -> int:
        """Return the number of episodes of its longest run."""
        return max(part.episodes for part in self.parts)

    @property
    def runs(self) -> int:
        """Return how many runs it makes."""
        return sum(len(part.seeds) for part in self.parts)

    @property
    def minutes(self) -> int:
        """Return the time to ask a cluster for: several times the 0.1 µs that a visit takes."""
        game = self.parts[0].series.game
        visits = sum(part.episodes * len(part.seeds) for part in self.parts) * game.T
        return 10 + visits * game.N**2 // 150_000_000

    @property
    def spec(self) -> dict[str, Any]:
        """Return plain values for `train_spec`; Snakemake reruns the job when they change."""
        parts = [
            {
                "algorithm": part.series.parameters.algorithm,
                "parameters": part.series.parameters.as_dict(),
                "episodes": part.episodes,
                "seeds": list(part.seeds),
                "record": part.record,
            }
            for part in self.parts
        ]
        return {"game": self.parts[0].series.game_spec, "parts": parts}

    @property
    def groups(self) -> list[tuple[dict[str, Any], int]]:
        """Return the labels of each part's rows in the evaluation, and how many runs it has."""
        return [
            ({"series": part.series.name, **part.series.labels}, len(part.seeds))
            for part in self.parts
        ]


def by_game(jobs: Iterable[TrainingJob]) -> dict[str, list[TrainingJob]]:
    """Return the jobs of each game."""
    games: dict[str, list[TrainingJob]] = {}
    for job in jobs:
        games.setdefault(job.game, []).append(job)
    return games


def train_spec(spec: Mapping[str, Any], label: str, output: Path, log: TextIO) -> None:
    """Train the runs of a `TrainingJob.spec`, into one file."""
    tasks = [
        Task(make_parameters(part["algorithm"], part["parameters"]), part["episodes"], seed,
             part["record"])
        for part in spec["parts"]
        for seed in part["seeds"]
    ]  # fmt: skip
    total = sum(task.episodes for task in tasks)
    progress = Progress(total, label, log)
    train_job(make_game(spec["game"]), tasks, output, progress, log)
    progress.close()


def trace_spec(spec: Mapping[str, Any], output: Path) -> None:
    """Train the one run that is recorded in full."""
    parameters = make_parameters(spec["algorithm"], spec["parameters"])
    assert isinstance(parameters, VLearning)
    run = train_traced(make_game(spec["game"]), parameters, spec["episodes"], spec["seed"])
    save_runs(output, [run])
