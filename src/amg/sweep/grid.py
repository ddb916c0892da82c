"""The grid of a sweep: its cells, the runs they need, and the jobs that train them."""

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
from typing import TYPE_CHECKING

from amg.base.errors import AmgError
from amg.base.rational import exact, whole_or_text
from amg.base.text import choices, duration, number, quote
from amg.game.library import BUILDERS
from amg.inputs.document import Node
from amg.kernels.lanes import LANES
from amg.learning.group import lockstep_pays
from amg.learning.parameters import ALGORITHMS, Parameters, make_parameters
from amg.learning.train import LIMITS
from amg.study.plan import MOST_RUNS, Games, Part, Series, TrainingJob

if TYPE_CHECKING:
    from amg.sweep.findings import Finding

JOB_SECONDS = 10.0  # what a job should train for; starting it costs about one
LONGEST = 100  # characters of a part of a name
COMMON = ("game", "algorithm", "episodes")  # settings that every cell needs

Settings = dict[str, Node]  # COMMON, and parameters of the game and the algorithm


@dataclass(frozen=True)
class Point:
    """One value of an axis, or one variant: its text and what it sets."""

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
    measures: tuple[str, ...]  # with a target, also the episodes to it
    target: float | None
    cells: tuple[Cell, ...]
    findings: tuple[Finding, ...]

    @cached_property
    def parts(self) -> list[Part]:
        """All runs, each once: cells that differ only in unused settings share their runs."""
        seeds = tuple(range(1, self.seeds + 1))
        series = {(cell.series.name, cell.episodes): cell.series for cell in self.cells}
        return [Part(one, K, seeds, record=0) for (_, K), one in series.items()]

    def jobs(self) -> list[TrainingJob]:
        """Return the training jobs."""
        return jobs_of(self.parts)

    def outlook(self) -> str:
        """Return what is to be run and how long it takes, for people."""
        cells = f"{len(self.cells):,} cells × {self.seeds:,} seeds"
        return f"sweep {self.name}: {cells}, {outlook_of(self.parts)}"


def outlook_of(parts: Sequence[Part]) -> str:
    """Return how many runs these are and how long they take, for people."""
    runs = sum(len(part.seeds) for part in parts)
    episodes = sum(part.episodes * len(part.seeds) for part in parts)
    seconds = max(sum(part.seconds for part in parts), 1.0)
    return (
        f"{runs:,} different runs with {number(episodes)} episodes in all; training takes about "
        f"{duration(seconds)} on one core, less for runs that exist already"
    )


def jobs_of(parts: Sequence[Part]) -> list[TrainingJob]:
    """Return the training jobs of these runs, of about `JOB_SECONDS` each.

    Short parts of one game and algorithm share jobs. A long part has jobs of its own, for a few
    seeds each. The names of short parts decide which go together, so a part that is added later
    leaves nearly all jobs as they are.
    """
    short: dict[tuple[str, str], list[Part]] = defaultdict(list)
    jobs: list[TrainingJob] = []
    for part in parts:
        if part.seconds < JOB_SECONDS:
            short[part.series.game_label, part.series.learner_label].append(part)
        else:
            jobs += _by_seeds(part)
    return jobs + [job for names, parts in short.items() for job in _shared(*names, parts)]


def _by_seeds(part: Part) -> Iterator[TrainingJob]:
    """Yield the jobs of a long part: as many seeds each as go together, or fit `JOB_SECONDS`."""
    series, seeds = part.series, part.seeds
    if lockstep_pays(series.game, series.parameters, part.episodes, len(seeds)):
        size = LANES
    else:
        size = max(1, int(JOB_SECONDS / (part.seconds / len(seeds))))
    learner = series.name.removeprefix(f"{series.game_label}/")
    place = f"{series.game_label}/{_file_name(learner)}-K{part.episodes}"
    for start in range(0, len(seeds), size):
        own = seeds[start : start + size]
        batch = dataclasses.replace(part, seeds=own)
        yield TrainingJob(f"{place}/seeds-{own[0]}-{own[-1]}", (batch,))


def _shared(game: str, learner: str, parts: Sequence[Part]) -> Iterator[TrainingJob]:
    """Yield the jobs of short parts: 2^bits of them, a number that changes seldom."""
    most = max(1, MOST_RUNS // len(parts[0].seeds))  # parts of a job
    bits = (
        int(sum(part.seconds for part in parts) / JOB_SECONDS).bit_length() if len(parts) > 1 else 0
    )
    while max(map(len, _split(parts, bits).values())) > most:
        bits += 1
    groups = _split(parts, bits)
    for j, group in sorted(groups.items()):
        name = f"{game}/{learner}-{j + 1}of{1 << bits}" if bits else f"{game}/{learner}"
        yield TrainingJob(name, tuple(group))


def _split(parts: Sequence[Part], bits: int) -> dict[int, list[Part]]:
    """Return the parts in at most 2^bits groups by their names."""
    groups: dict[int, list[Part]] = defaultdict(list)
    for part in parts:
        digest = int(_digest(f"{part.series.name}/K{part.episodes}"), 16)
        groups[digest >> (32 - bits)].append(part)
    return groups


def _file_name(text: str) -> str:
    """Return the text as part of a file's name; one that had to be changed gets a digest."""
    cut = re.sub(r"[^A-Za-z0-9+=._-]", "_", text)[:LONGEST]
    return text if cut == text else f"{cut}-{_digest(text)}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


class SeriesMaker:
    """Makes the series of cells; cells that differ only in unused settings get the same one."""

    def __init__(self, experiment: str, seeds: int) -> None:
        self.experiment, self.seeds = experiment, seeds
        self._games = Games()
        self._series: dict[tuple[str, Parameters, int], Series] = {}

    def make(self, settings: Settings) -> Series:
        """Return the series of a cell with these settings."""
        texts = {name: str(node.value) for name, node in settings.items()}
        game, algorithm = texts["game"], texts["algorithm"]
        if algorithm not in ALGORITHMS:
            settings["algorithm"].refuse(f"{quote(algorithm)} is not one of {choices(ALGORITHMS)}")
        of_game = inspect.signature(BUILDERS[game]).parameters if game in BUILDERS else ()
        of_learner = [field.name for field in dataclasses.fields(ALGORITHMS[algorithm])]
        known = (*COMMON, *of_game, *of_learner)
        for name, node in settings.items():
            if name not in known:
                node.refuse(f"no parameter of {game} or {algorithm}; there are {choices(known)}")
        on_game = {name: text for name, text in texts.items() if name in of_game}
        on_learner = {name: text for name, text in texts.items() if name in of_learner}
        values = {name: whole_or_text(text) for name, text in on_game.items()}
        file = game.endswith((".yaml", ".yml"))
        spec = {"file": game} if file else {"builder": game, "parameters": values}
        with _blame(settings, on_game, "game"):
            built = self._games.make(spec)
        with _blame(settings, on_learner, "algorithm"):
            parameters = make_parameters(algorithm, on_learner)
            parameters.check(built)
        key = json.dumps(spec), parameters.canonical(), _episodes(settings["episodes"])
        if key not in self._series:
            unused = parameters.unread()
            self._series[key] = Series(
                experiment=self.experiment,
                game_label=_file_name("+".join([game, *(f"{n}={t}" for n, t in on_game.items())])),
                learner_label=algorithm,
                settings={name: t for name, t in on_learner.items() if name not in unused},
                game=built,
                game_spec=spec,
                parameters=key[1],
                episodes=key[2:],
                seeds=self.seeds,
                record=0,
            )
        return self._series[key]


def _episodes(node: Node) -> int:
    low, high = LIMITS["episodes"]
    value = whole_or_text(str(node.value))
    if not (isinstance(value, int) and low <= value <= high):
        node.refuse(f"{node.shown} must be a whole number from {low} to {high:.0e}")
    return value


@contextmanager
def _blame(settings: Settings, names: dict[str, str], other: str) -> Iterator[None]:
    """Give an error the place of the first setting that it names, or that of `other`."""
    try:
        yield
    except AmgError as error:
        named = (word for word in re.findall(r"\w+", str(error)) if word in names)
        settings[next(named, other)].refuse(str(error))
