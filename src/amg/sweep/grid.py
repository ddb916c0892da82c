"""The grid of a sweep: its cells, the series of runs they need, and the jobs that make them."""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from amg.base.errors import AmgError
from amg.base.rational import exact
from amg.base.text import choices, duration, number
from amg.game.library import BUILDERS
from amg.inputs.document import Node
from amg.learning.parameters import ALGORITHMS, Parameters, make_parameters
from amg.learning.train import LIMITS
from amg.study.plan import MOST_RUNS, Games, Part, Series, TrainingJob, training_seconds

if TYPE_CHECKING:
    from amg.sweep.findings import Finding

JOB_SECONDS = 10.0  # what a job should train for; starting it costs about one
LONGEST = 100  # characters of a part of a name

Settings = dict[str, Node]  # by the names of parameters, or game, algorithm, episodes


@dataclass(frozen=True)
class Point:
    """One value of an axis, or one thing that is compared: its text and what it sets."""

    text: str
    settings: Settings


@dataclass(frozen=True)
class Axis:
    """A name and its points, in the order of the file."""

    name: str
    points: tuple[Point, ...]

    @property
    def texts(self) -> list[str]:
        return [point.text for point in self.points]

    @cached_property
    def numbers(self) -> list[float] | None:
        """The values, if all of them are numbers."""
        try:
            return [float(exact(text)) for text in self.texts]
        except (ValueError, OverflowError):
            return None


@dataclass(frozen=True)
class Cell:
    """One combination of the axes' values, and the runs that belong to it."""

    variant: str
    at: dict[str, str]  # the value of each axis, as it was written
    series: Series  # with one number of episodes

    @property
    def episodes(self) -> int:
        return self.series.episodes[0]


@dataclass(frozen=True, eq=False)
class Sweep:
    """A sweep file that has been read."""

    name: str
    title: str
    axes: tuple[Axis, ...]
    variants: tuple[str, ...]  # what is compared; one without a name if nothing is
    seeds: int
    measures: tuple[str, ...]
    target: float | None
    cells: tuple[Cell, ...]
    findings: tuple[Finding, ...]

    @cached_property
    def parts(self) -> list[Part]:
        """All runs, each once: cells that differ in nothing that is read share theirs."""
        parts: dict[tuple[str, int], Part] = {}
        seeds = tuple(range(1, self.seeds + 1))
        for cell in self.cells:
            key = cell.series.name, cell.episodes
            parts.setdefault(key, Part(cell.series, cell.episodes, seeds, record=0))
        return list(parts.values())

    def jobs(self) -> list[TrainingJob]:
        """Return the training jobs, of about `JOB_SECONDS` each.

        Short parts of one game and algorithm share jobs; a long part has its own, for a few seeds
        each. Which of the short parts go together depends on their names, so that a cell that is
        added later leaves nearly all jobs as they are.
        """
        pools: dict[str, list[Part]] = defaultdict(list)
        jobs: list[TrainingJob] = []
        for part in self.parts:
            if _seconds(part) < JOB_SECONDS:
                series = part.series
                pools[f"{series.game_label}/{series.learner_label}"].append(part)
            else:
                jobs += _by_seeds(part)
        return jobs + [job for name, parts in pools.items() for job in _shared(name, parts)]

    def outlook(self) -> str:
        """Return what is to be run and how long it takes, for people."""
        runs = len(self.parts) * self.seeds
        episodes = sum(part.episodes for part in self.parts) * self.seeds
        seconds = max(sum(map(_seconds, self.parts)), 1.0)
        return (
            f"sweep {self.name}: {len(self.cells):,} cells × {self.seeds:,} seeds, {runs:,} "
            f"different runs with {number(episodes)} episodes in all; training takes about "
            f"{duration(seconds)} on one core, less for runs that exist already"
        )


def _seconds(part: Part) -> float:
    """Return the estimated training time of all seeds."""
    series = part.series
    return training_seconds(series.game, series.parameters, part.episodes) * len(part.seeds)


def _by_seeds(part: Part) -> Iterator[TrainingJob]:
    """Yield the jobs of a long part: as many seeds each as fit `JOB_SECONDS`."""
    series, seeds = part.series, part.seeds
    size = max(1, int(JOB_SECONDS / (_seconds(part) / len(seeds))))
    learner = series.name.removeprefix(f"{series.game_label}/")
    place = f"{series.game_label}/{safe(learner)}-K{part.episodes}"
    for start in range(0, len(seeds), size):
        own = seeds[start : start + size]
        which = f"seeds {own[0]} to {own[-1]}" if len(own) > 1 else f"seed {own[0]}"
        yield TrainingJob(
            f"{place}/seeds-{own[0]}-{own[-1]}",
            f"{learner} on {series.game_label}, K = {part.episodes:,}, {which}",
            (Part(series, part.episodes, own, part.record),),
        )


def _shared(name: str, parts: Sequence[Part]) -> Iterator[TrainingJob]:
    """Yield the jobs of short parts: a power of two of them, a number that changes seldom."""
    bits = int(sum(map(_seconds, parts)) / JOB_SECONDS).bit_length() if len(parts) > 1 else 0
    groups = _split(parts, bits)
    while any(sum(len(part.seeds) for part in group) > MOST_RUNS for group in groups.values()):
        bits += 1
        groups = _split(parts, bits)
    game, algorithm = name.split("/")
    for j in sorted(groups):
        cells = f"{len(groups[j])} cells" if len(groups[j]) > 1 else "1 cell"
        yield TrainingJob(
            f"{name}-{j + 1}of{1 << bits}" if bits else name,
            f"{algorithm} on {game}, {cells}",
            tuple(groups[j]),
        )


def _split(parts: Sequence[Part], bits: int) -> dict[int, list[Part]]:
    """Return the parts in 2^bits groups by their names; groups without parts are left out."""
    groups: dict[int, list[Part]] = defaultdict(list)
    for part in parts:
        digest = int(_digest(f"{part.series.name}/K{part.episodes}"), 16)
        groups[digest >> (32 - bits)].append(part)
    return groups


def safe(text: str) -> str:
    """Return the text as part of a file's name; one that had to be changed gets a digest."""
    cut = re.sub(r"[^A-Za-z0-9+=._-]", "_", text)[:LONGEST]
    return text if cut == text else f"{cut}-{_digest(text)}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


class SeriesMaker:
    """Makes the series that settings ask for, each once.

    Settings are flat: game, algorithm, episodes, the parameters of the game's builder and those of
    the algorithm.
    """

    COMMON = ("game", "algorithm", "episodes")

    def __init__(self, experiment: str, seeds: int) -> None:
        self.experiment, self.seeds = experiment, seeds
        self._games = Games()
        self._labels: dict[str, str] = {}  # of games, with their specs
        self._series: dict[tuple[str, Parameters, int], Series] = {}

    def make(self, settings: Settings) -> Series:
        """Return the series of a cell; cells that differ in nothing that is read have the same."""
        game, algorithm = str(settings["game"].value), str(settings["algorithm"].value)
        if algorithm not in ALGORITHMS:
            settings["algorithm"].refuse(f"{algorithm!r} is not one of {choices(ALGORITHMS)}")
        of_game = inspect.signature(BUILDERS[game]).parameters if game in BUILDERS else ()
        of_learner = [field.name for field in dataclasses.fields(ALGORITHMS[algorithm])]
        known = (*self.COMMON, *of_game, *of_learner)
        for name, node in settings.items():
            if name not in known:
                node.refuse(f"no parameter of {game} or {algorithm}; there are {choices(known)}")
        on_game = {name: settings[name] for name in settings if name in of_game}
        on_learner = {name: settings[name] for name in settings if name in of_learner}
        spec = _game_spec(game, on_game)
        with _blame(on_game, settings["game"]):
            built = self._games.make(spec)
        with _blame(on_learner, settings["algorithm"]):
            parameters = make_parameters(algorithm, _texts(on_learner))
            parameters.check(built)
        key = json.dumps(spec), parameters.canonical(), _episodes(settings["episodes"])
        if key not in self._series:
            read = {n: t for n, t in _texts(on_learner).items() if n not in parameters.unread()}
            self._series[key] = Series(
                experiment=self.experiment,
                game_label=self._label(spec, _texts(on_game)),
                learner_label=algorithm,
                settings=read,
                game=built,
                game_spec=spec,
                parameters=parameters.canonical(),
                episodes=key[2:],
                seeds=self.seeds,
                record=0,
            )
        return self._series[key]

    def _label(self, spec: dict[str, Any], given: dict[str, str]) -> str:
        """Return a name of the game that no other game of the sweep has."""
        name = spec["builder"] if "builder" in spec else Path(spec["file"]).stem
        label = safe("+".join([name, *(f"{key}={text}" for key, text in given.items())]))
        key = json.dumps(spec)
        if self._labels.setdefault(label, key) != key:
            label = f"{label}-{_digest(key)}"
        return label


def _texts(settings: Settings) -> dict[str, str]:
    return {name: str(node.value) for name, node in settings.items()}


def _game_spec(game: str, settings: Settings) -> dict[str, Any]:
    """Return how the game is made: from a file, or by a builder with parameters."""
    if game.endswith((".yaml", ".yml")):
        return {"file": game}
    return {"builder": game, "parameters": {k: _whole(t) for k, t in _texts(settings).items()}}


def _whole(text: str) -> int | str:
    """Return a whole number as one, and any other text as it was written."""
    try:
        value = exact(text)
    except ValueError:
        return text
    return int(value) if value.denominator == 1 else text


def _episodes(node: Node) -> int:
    low, high = LIMITS["episodes"]
    value = _whole(str(node.value))
    if not (isinstance(value, int) and low <= value <= high):
        node.refuse(f"{node.shown} must be a whole number from {low} to {high:.0e}")
    return value


@contextmanager
def _blame(settings: Settings, other: Node) -> Iterator[None]:
    """Give an error the place of the setting that it names, or that of `other`."""
    try:
        yield
    except AmgError as error:
        named = (node for name, node in settings.items() if f" {name} = " in str(error))
        next(named, other).refuse(str(error))
