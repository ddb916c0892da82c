"""What is to be run: series of runs, each named by what it is, and the jobs that make them.

Names of files are made here and only ever looked up, never parsed back.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from amg import game_file
from amg.errors import ParameterError
from amg.game import Game
from amg.games import build
from amg.learning.parameters import Parameters
from amg.learning.training import LEARNERS

MOST_ENTRIES = 1 << 24  # of the tables of several games together; filling them takes a minute
MOST_MENUS = 1 << 18  # of several games together, as a game file has at most half of them


def make_game(spec: Mapping[str, Any]) -> Game:
    """The game of a config entry: {builder, parameters} or {file}."""
    if "file" in spec:
        return game_file.load(Path(spec["file"]))
    return build(spec["builder"], spec.get("parameters", {}))


class Games:
    """Makes games, each once, as long as all of them together take bounded time and memory."""

    def __init__(self) -> None:
        self.made: dict[str, Game] = {}
        self.entries = 0  # of their tables
        self.menus = 0

    def make(self, spec: Mapping[str, Any]) -> Game:
        key = json.dumps(spec)
        if key not in self.made:
            game = make_game(spec)
            self.entries += game.reward.size + game.transition.size
            self.menus += game.T * game.S * game.N
            if self.made and (self.entries > MOST_ENTRIES or self.menus > MOST_MENUS):
                raise ParameterError(
                    f"with it, {len(self.made) + 1} games together are too large; use fewer or "
                    f"smaller ones"
                )
            self.made[key] = game
        return self.made[key]


@dataclass(frozen=True, eq=False)
class Series:
    """One game with one learner in one experiment, for several numbers of episodes and seeds."""

    experiment: str
    game_label: str
    learner_label: str
    settings: dict[str, Any]  # what `vary` set, for tables
    game: Game
    game_spec: Mapping[str, Any]  # how it is made
    parameters: Parameters
    episodes: tuple[int, ...]
    seeds: int
    record: int

    @property
    def name(self) -> str:
        """Readable, unique in the study: experiment/game/learner."""
        varied = "".join(f"+{key}={value}" for key, value in self.settings.items())
        return f"{self.experiment}/{self.game_label}/{self.learner_label}{varied}"

    @property
    def labels(self) -> dict[str, Any]:
        """What tables call it."""
        return {
            "experiment": self.experiment,
            "game": self.game_label,
            "learner": self.learner_label,
            **self.settings,
        }

    @cached_property
    def place(self) -> str:
        """Directory of the runs: readable names, and digests of game and parameters."""
        what = json.dumps([self.parameters.algorithm, self.parameters.as_dict()], sort_keys=True)
        learner = hashlib.sha256(what.encode()).hexdigest()[:8]
        return f"{self.game_label}-{self.game.digest[:8]}/{self.learner_label}-{learner}"

    def run(self, episodes: int, seed: int) -> str:
        """Path of one run below the directory of runs."""
        return f"{self.place}/K{episodes}/seed-{seed}.npz"

    def runs(self) -> list[str]:
        """Paths of all runs of the series."""
        return [self.run(K, seed) for K in self.episodes for seed in range(1, self.seeds + 1)]


@dataclass(frozen=True, eq=False)
class Item:
    """Runs of a series that differ only in their seed."""

    series: Series
    episodes: int
    seeds: tuple[int, ...]
    record: int

    @property
    def runs(self) -> list[str]:
        return [self.series.run(self.episodes, seed) for seed in self.seeds]

    @property
    def learner(self) -> str:
        """The module that does the learning."""
        return LEARNERS[self.series.parameters.algorithm][0]

    @property
    def spec(self) -> dict[str, Any]:
        """What a job needs to know to make these runs."""
        return {
            "game": self.series.game_spec,
            "algorithm": self.series.parameters.algorithm,
            "parameters": self.series.parameters.as_dict(),
            "episodes": self.episodes,
            "seeds": list(self.seeds),
            "record": self.record,
        }


@dataclass(frozen=True, eq=False)
class Batch:
    """Runs that one training job makes, all with the same learner."""

    name: str
    title: str
    items: tuple[Item, ...]

    @property
    def rule(self) -> str:
        """The name of its rule."""
        return f"train_{self.name.replace('/', '_')}"

    @property
    def runs(self) -> list[str]:
        return [run for item in self.items for run in item.runs]

    @property
    def learner(self) -> str:
        return self.items[0].learner

    @property
    def priority(self) -> int:
        """Long jobs first, so that none is left alone at the end."""
        return max(item.episodes for item in self.items).bit_length()

    @property
    def spec(self) -> list[dict[str, Any]]:
        """What the job needs to know; Snakemake reruns it when this changes."""
        return [item.spec for item in self.items]


def batch_of_seeds(item: Item) -> Batch:
    """A job for one item, named after it."""
    series, first, last = item.series, item.seeds[0], item.seeds[-1]
    return Batch(
        name=f"{series.place}/K{item.episodes}/seeds-{first}-{last}",
        title=(
            f"{series.learner_label} on {series.game_label}, K = {item.episodes:,}, "
            f"seeds {first} to {last}"
        ),
        items=(item,),
    )


@dataclass(frozen=True, eq=False)
class Lot:
    """Series whose runs one job evaluates, into one table; each with what heads its rows."""

    name: str
    members: tuple[tuple[dict[str, Any], Series], ...]

    @property
    def runs(self) -> list[str]:
        return [run for _, series in self.members for run in series.runs()]

    @property
    def groups(self) -> list[tuple[dict[str, Any], int]]:
        """The labels of each series and how many runs it has."""
        return [(labels, len(series.runs())) for labels, series in self.members]
