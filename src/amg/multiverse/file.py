"""Multiverse files: choices and their readings, and the universes that they span.

The file says which choices are crossed, which are varied one at a time, what each universe runs,
and which claims are judged in it. Two universes that train the same runs share them.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from amg.base.errors import FileError
from amg.base.text import FEWEST_SEEDS, choices
from amg.claims.entries import Claim, read_claims
from amg.claims.evidence import By
from amg.game.library import BUILDERS
from amg.game.model import Game
from amg.inputs import document
from amg.inputs.document import Node
from amg.inputs.models import Model, Real, Text, Whole, validate
from amg.learning.parameters import (
    ALGORITHMS,
    IncrementalVLearning,
    Parameters,
    QLearning,
    VLearning,
)
from amg.study.plan import Part, Series, TrainingJob
from amg.sweep.grid import SeriesMaker, Settings, jobs_of, outlook_of

MOST = 20_000  # universes
REMEDY = "give it seeds, groups, games, learners, choices and parts"
Names = Annotated[list[Text], Field(min_length=1)]
NoNames = Annotated[list[Text], Field()]
FAMILIES: dict[str, type[Parameters]] = {  # of learners, as choices name them
    "v_learning": VLearning,
    "v_learning_incremental": IncrementalVLearning,
    "q_learning": QLearning,
}
Place = tuple[str, str, str]  # experiment, game and learner, by the names in the file


class Choice(Model):
    """Something that the paper leaves open."""

    sets: Literal["v_learning", "v_learning_incremental", "q_learning", "game", "claims"] = Field(
        description="What readings set: parameters of Algorithm 1, of incremental V-learning, of "
        "Q-learning or of the games that have them, or how claims are judged (by, shown)"
    )
    readings: dict[Text, dict[Text, Any]] = Field(
        min_length=2, description="Readings with what each sets; the first is that of the study"
    )
    claims: NoNames = Field([], description="Claims that it concerns, if not all of them")


class Runs(Model):
    """What one experiment of a universe runs: games × learners × numbers of episodes."""

    games: Names = Field(description="Names of `games`")
    learners: Names = Field(description="Names of `learners`")
    episodes: Annotated[list[Whole], Field(min_length=1)] = Field(description="Numbers of episodes")
    seeds: Whole | None = Field(
        None, ge=4, le=1000, description="How many seeds here, if not as many as elsewhere"
    )
    record: Whole = Field(
        0, ge=0, le=10**7, description="How many episodes' returns a run keeps one by one"
    )


class PartEntry(Model):
    """Universes that are made alike."""

    why: Text = Field(description="Why these choices")
    cross: NoNames = Field([], description="Choices whose readings are all combined")
    each: NoNames = Field([], description="Choices that are varied one at a time")
    experiments: dict[Text, Runs] = Field(
        min_length=1, description="What a universe runs, by the experiment of the study"
    )
    claims: Names = Field(description="Claims that are judged, by their ids")


class Judging(Model):
    """What a reading of a choice with `sets: claims` may set."""

    by: list[By] | None = Field(None, description="Measures by which learners are compared")
    shown: Real | None = Field(None, gt=0, description="Largest K at which numbers are read")


class MultiverseFile(Model):
    """The multiverse."""

    seeds: Whole = Field(ge=4, le=1000, description="Seeds of every universe: 1, 2, 3, …")
    groups: Whole = Field(
        ge=2,
        le=50,
        description="Groups of seeds; each is left out for the interval of a share. "
        "Seeds j, j + groups, … are one group",
    )
    names: dict[Text, Text] = Field(
        {}, description="Names of learners and games in claims.yaml, and what they are here"
    )
    games: dict[Text, dict[Text, Text]] = Field(
        min_length=1, description="Games by their names: `game`, and parameters of its builder"
    )
    learners: dict[Text, dict[Text, Text]] = Field(
        min_length=1, description="Learners by their names: `algorithm`, and parameters"
    )
    choices: dict[Text, Choice] = Field(min_length=1, description="Choices by their names")
    parts: dict[Text, PartEntry] = Field(min_length=1, description="Parts by their names")


@dataclass(frozen=True, eq=False)
class Universe:
    """One combination of readings, and the runs that it needs."""

    part: str
    readings: Mapping[str, str]  # of every choice
    games: tuple[str, ...]  # readings of choices that set parameters of games
    judging: Judging
    claims: tuple[Claim, ...]
    runs: Mapping[Place, tuple[Series, ...]]  # one for each number of episodes

    def looks_at(self, claim: Claim) -> tuple[object, ...]:
        """Return what decides the verdict on a claim: the learners it names, games, thresholds.

        A claim that names no learner looks at all V-learners of the gaps.
        """
        every = {learner: series[0] for (_, _, learner), series in self.runs.items()}
        named = every.keys() & set(_words(claim.thresholds.values())) or {
            learner
            for (experiment, _, learner), series in self.runs.items()
            if experiment == "sample-complexity" and isinstance(series[0].parameters, VLearning)
        }
        learners = [(name, every[name].parameters.canonical()) for name in sorted(named)]
        return claim.id, *learners, self.games, self.judging.model_dump_json()


@dataclass(frozen=True, eq=False)
class Multiverse:
    """A multiverse file that has been read."""

    seeds: int
    groups: int
    choices: Mapping[str, tuple[str, ...]]  # readings of each choice
    crossed: Mapping[str, tuple[str, ...]]  # choices that are combined in each part
    reasons: Mapping[str, str]  # why, by part
    claims: tuple[Claim, ...]  # all that are judged, in the order of claims.yaml
    universes: tuple[Universe, ...]
    parts: tuple[Part, ...]  # all runs, each once

    def jobs(self) -> list[TrainingJob]:
        """Return the training jobs."""
        return jobs_of(self.parts)

    @cached_property
    def games(self) -> dict[str, Game]:
        """The games by the labels that runs have."""
        return {part.series.game_label: part.series.game for part in self.parts}

    def runs_of(self, *experiments: str) -> set[tuple[str, int]]:
        """Return name and number of episodes of all series in these experiments."""
        return {
            (one.name, one.episodes[0])
            for universe in self.universes
            for (experiment, _, _), series in universe.runs.items()
            if experiment in experiments
            for one in series
        }

    def outlook(self) -> str:
        """Return what is to be run and how long it takes, for people."""
        return f"multiverse: {len(self.universes):,} universes, {outlook_of(self.parts)}"


def read_multiverse(path: Path, claims_path: Path) -> Multiverse:
    """Return the multiverse of a file, judged by the claims of another; errors are one line."""
    root = document.load(path, REMEDY)
    file = validate(MultiverseFile, root)
    _check_names(file, root)
    claims = {c.id: c for c in read_claims(claims_path, {a: [b] for a, b in file.names.items()})}
    for name, choice in file.choices.items():
        for j, claim in enumerate(choice.claims):
            _known(root.at("choices", name, "claims", j), claim, claims)
    maker = _Maker(file, root)
    universes = []
    for name, part in file.parts.items():
        for j, claim in enumerate(part.claims):
            _known(root.at("parts", name, "claims", j), claim, claims)
        for readings in _combinations(file, part):
            concerned = (claims[c] for c in part.claims if _concerns(file, readings, c))
            universes.append(maker.universe(name, readings, tuple(concerned)))
            if len(universes) > MOST:
                root.at("parts").refuse(f"more than {MOST:,} universes; cross fewer choices")
    judged = {claim.id for universe in universes for claim in universe.claims}
    return Multiverse(
        seeds=file.seeds,
        groups=file.groups,
        choices={name: tuple(choice.readings) for name, choice in file.choices.items()},
        crossed={name: tuple(part.cross) for name, part in file.parts.items()},
        reasons={name: part.why for name, part in file.parts.items()},
        claims=tuple(claim for claim in claims.values() if claim.id in judged),
        universes=tuple(universes),
        parts=tuple(maker.made.values()),
    )


def _combinations(file: MultiverseFile, part: PartEntry) -> Iterator[dict[str, str]]:
    """Yield the readings of all choices, for each universe of a part; the study's own first."""
    study = {name: next(iter(choice.readings)) for name, choice in file.choices.items()}
    for crossed in itertools.product(*(file.choices[name].readings for name in part.cross)):
        yield {**study, **dict(zip(part.cross, crossed, strict=True))}
    for name in part.each:
        for reading in list(file.choices[name].readings)[1:]:
            yield {**study, name: reading}


def _concerns(file: MultiverseFile, readings: Mapping[str, str], claim: str) -> bool:
    """Return whether every choice in which the universe differs from the study is for this claim.

    So a universe that differs in the wrong thing only is not counted as another one.
    """
    different = (
        choice
        for name, choice in file.choices.items()
        if readings[name] != next(iter(choice.readings))
    )
    return all(claim in choice.claims or not choice.claims for choice in different)


class _Maker:
    """Makes universes, and the series of their runs."""

    def __init__(self, file: MultiverseFile, root: Node) -> None:
        self.file, self.root = file, root
        self.makers: dict[int, SeriesMaker] = {}  # by the number of seeds
        self.made: dict[tuple[str, int], Part] = {}  # all runs, by series and K

    def universe(
        self, part: str, readings: Mapping[str, str], claims: tuple[Claim, ...]
    ) -> Universe:
        """Return one universe of a part."""
        settings: dict[str, Settings] = {name: {} for name in (*FAMILIES, "game")}
        judging: Settings = {}
        for name, reading in readings.items():
            node = self.root.at("choices", name, "readings", reading)
            settings.get(self.file.choices[name].sets, judging).update(_children(node))
        runs = {}
        for experiment, entry in self.file.parts[part].experiments.items():
            node = self.root.at("parts", part, "experiments", experiment, "episodes")
            for game, learner in itertools.product(entry.games, entry.learners):
                series = (
                    self._series(game, learner, node.at(j), settings, entry)
                    for j in range(len(entry.episodes))
                )
                runs[experiment, game, learner] = tuple(series)
        plain = {name: node.plain for name, node in judging.items()}
        games = tuple(r for name, r in readings.items() if self.file.choices[name].sets == "game")
        return Universe(part, readings, games, Judging.model_validate(plain), claims, runs)

    def _series(
        self, game: str, learner: str, episodes: Node, settings: dict[str, Settings], entry: Runs
    ) -> Series:
        """Return the series of one game, learner and K; what the file sets for both goes last."""
        of_game = _children(self.root.at("games", game))
        of_learner = _children(self.root.at("learners", learner))
        algorithm = ALGORITHMS[str(of_learner["algorithm"].value)]
        readings = (settings[x] for x, kind in FAMILIES.items() if issubclass(algorithm, kind))
        builder = BUILDERS.get(str(of_game["game"].value))
        known = builder.__code__.co_varnames if builder else ()
        from_readings = {k: v for k, v in settings["game"].items() if k in known}
        seeds = entry.seeds or self.file.seeds
        maker = self.makers.setdefault(seeds, SeriesMaker("multiverse", seeds))
        series = maker.make(
            {**from_readings, **next(readings, {}), **of_game, **of_learner, "episodes": episodes}
        )
        K, record = series.episodes[0], min(entry.record, series.episodes[0])
        before = self.made.get((series.name, K))
        if before is not None:
            seeds, record = max(seeds, len(before.seeds)), max(record, before.record)
        own = tuple(range(1, seeds + 1))
        self.made[series.name, K] = Part(series, K, own, record)
        return series


def _check_names(file: MultiverseFile, root: Node) -> None:
    """Refuse names that the file does not explain, and readings of claims that set nothing."""
    fewest = min([file.seeds, *(r.seeds or file.seeds for p in file.parts.values()
                                for r in p.experiments.values())])  # fmt: skip
    if fewest - -(-fewest // file.groups) < FEWEST_SEEDS:
        root.at("groups").refuse(
            f"without a group fewer than {FEWEST_SEEDS} of {fewest} seeds are left; use more seeds "
            f"or groups"
        )
    for name, game in file.games.items():
        if "game" not in game:
            root.at("games", name).refuse("has no key 'game'; name a builder or a game file")
    for name, learner in file.learners.items():
        _known(root.at("learners", name, "algorithm"), learner.get("algorithm", ""), ALGORITHMS)
    for name, choice in file.choices.items():
        for reading in choice.readings if choice.sets == "claims" else ():
            validate(Judging, root.at("choices", name, "readings", reading))
    for name, part in file.parts.items():
        node = root.at("parts", name)
        for key in ("cross", "each"):
            for j, choice_name in enumerate(getattr(part, key)):
                _known(node.at(key, j), choice_name, file.choices)
        for experiment, runs in part.experiments.items():
            for j, game_name in enumerate(runs.games):
                _known(node.at("experiments", experiment, "games", j), game_name, file.games)
            for j, learner_name in enumerate(runs.learners):
                at = node.at("experiments", experiment, "learners", j)
                _known(at, learner_name, file.learners)


def _known(node: Node, name: str, known: Iterable[str]) -> None:
    if name not in known:
        node.refuse(f"{name!r} is not known; there are {choices(known)}", FileError)


def _children(node: Node) -> Settings:
    return dict(node.value) if isinstance(node.value, dict) else {}


def _words(values: Iterable[Any]) -> Iterator[str]:
    """Yield the texts among these values and in lists among them."""
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            yield from _words(value)
