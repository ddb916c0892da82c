"""A study: the config as runs to make, each named by what it is.

An *experiment* crosses games, learners and numbers of episodes, over seeds 1 … n; one game with one
learner in it is a *series*. Two experiments that ask for the same run share it.
"""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from amg.documents import Node
from amg.errors import AmgError, ParameterError
from amg.game import Game
from amg.learning.parameters import IndependentQ, Parameters, VLearning, make_parameters
from amg.numbers import exact
from amg.plan import Batch, Games, Item, Lot, Series, batch_of_seeds

MOST_RUNS = 1_000_000  # of a study; a typing error of a few digits should not fill the memory
OWN = ("runs", "evaluations", "tables", "compiled", "logs", "benchmarks", "report", "sweeps")
LONGEST = 200  # characters of a name that becomes a file; systems take 255 bytes with a suffix


class Study:
    """The validated config, and what follows from it."""

    def __init__(
        self, config: Mapping[str, Any], root: Path = Path(), document: Node | None = None
    ) -> None:
        """`document` is what the config was read from: it knows the places of mistakes."""
        self.config = config
        self.document = document or Node("config")
        self._check_places()
        self.games: dict[str, Game] = {}
        self.game_specs: dict[str, Mapping[str, Any]] = {}
        games = Games()
        for name, spec in config["games"].items():
            if "file" in spec:  # from here, wherever the config stands
                spec = {"file": os.path.relpath(root / spec["file"])}
            self.game_specs[name] = spec
            try:
                self.games[name] = games.make(spec)
            except AmgError as error:
                raise ParameterError(f"{self._at('games', name)}: {error}") from None
        self.learners = dict(config["learners"])
        self.asked = 0  # runs, shared ones as often as they are asked for
        self.series = [
            series
            for name, experiment in config["experiments"].items()
            for series in self._experiment(name, experiment)
        ]
        self.mechanism = self._mechanism()
        self.shown = self._first_learned("rewards")
        self.learned = self._first_learned("sample-complexity")

    def _check_places(self) -> None:
        """Figures may lie below the results, but not where files of the same names are."""
        results, figures = (Path(self.config[key]) for key in ("results", "figures"))
        if any(figures.is_relative_to(results / name) for name in OWN) or figures == results:
            raise ParameterError(
                f"{self._at('figures')}: '{figures}' is a directory of the results; give another, "
                f"such as {results / 'figures'}"
            )

    def experiment(self, name: str) -> list[Series]:
        """The series of one experiment."""
        return [series for series in self.series if series.experiment == name]

    def one(self, experiment: str, game: str, learner: str) -> Series:
        """The series of this game and learner."""
        for series in self.experiment(experiment):
            if (series.game_label, series.learner_label) == (game, learner):
                return series
        raise ParameterError(
            f"{self._at('experiments', experiment)}: has no series of game {game!r} with learner "
            f"{learner!r}; add them to its lists"
        )

    def _mechanism(self) -> dict[str, Any]:
        """The run, recorded in full, that shows the stage mechanism."""
        spec = self.config["mechanism"]
        self._known(self._at("mechanism", "game"), spec["game"], self.games)
        self._known(self._at("mechanism", "learner"), spec["learner"], self.learners)
        parameters = self._parameters(self._at("mechanism"), spec["game"], spec["learner"], {})
        if parameters.algorithm != "v_learning":
            raise ParameterError(
                f"{self._at('mechanism', 'learner')}: {spec['learner']!r} has no stages; "
                f"name a learner with algorithm v_learning"
            )
        return {
            "game": self.game_specs[spec["game"]],
            "algorithm": parameters.algorithm,
            "parameters": parameters.as_dict(),
            "episodes": _whole(self._at("mechanism", "episodes"), spec["episodes"]),
            "seed": spec["seed"],
        }

    @property
    def largest(self) -> str:
        """The run that shows the confidence lemma: most episodes, first seed."""
        return self.learned.run(self.learned.episodes[-1], 1)

    @property
    def failure_probability(self) -> float:
        """p of the theorem's rate: that of the first V-learner."""
        assert isinstance(self.learned.parameters, VLearning)
        return self.learned.parameters.p

    @property
    def roles(self) -> dict[str, str | None]:
        """Which learner of `sample-complexity` plays which part in the findings."""
        series = self.experiment("sample-complexity")

        def first(fits: Callable[[Parameters], bool]) -> str | None:
            return next((one.learner_label for one in series if fits(one.parameters)), None)

        return {
            "adaptive": first(lambda p: isinstance(p, VLearning) and p.fluctuation != "fixed")
            or self.learned.learner_label,
            "fixed": first(lambda p: isinstance(p, VLearning) and p.fluctuation == "fixed"),
            "independent": first(lambda p: isinstance(p, IndependentQ)),
        }

    def _first_learned(self, experiment: str) -> Series:
        """The series of the first V-learner, which figures of single runs show."""
        for series in self.experiment(experiment):
            if isinstance(series.parameters, VLearning):
                return series
        raise ParameterError(
            f"{self._at('experiments', experiment, 'learners')}: none has the algorithm "
            f"v_learning, which the figures show; name one that has"
        )

    def batches(self) -> list[Batch]:
        """Every run once, in batches of the configured size; a shared run keeps most returns."""
        wanted: dict[tuple[str, int], tuple[Series, set[int], int]] = {}
        for series in self.series:
            for K in series.episodes:
                key = (series.place, K)
                _, seeds, record = wanted.get(key, (series, set(), 0))
                seeds |= set(range(1, series.seeds + 1))
                wanted[key] = (series, seeds, max(record, min(series.record, K)))
        size = self.config["batch"]
        return [
            batch_of_seeds(Item(series, K, tuple(chunk), record))
            for (_, K), (series, seeds, record) in wanted.items()
            for chunk in _chunks(sorted(seeds), size)
        ]

    def lots(self) -> list[Lot]:
        """Each series is evaluated by a job of its own."""
        return [Lot(series.name, ((series.labels, series),)) for series in self.series]

    # --- reading the config ----------------------------------------------------------------------

    def _at(self, *keys: str) -> str:
        """Where in the config this is, for messages."""
        return self.document.at(*keys).place

    def _experiment(self, name: str, spec: Mapping[str, Any]) -> Iterator[Series]:
        where = self._at("experiments", name)
        episodes = _episodes(self._at("experiments", name, "episodes"), spec["episodes"])
        vary, seeds = spec.get("vary", {}), spec.get("seeds", self.config["seeds"])
        lists = (spec["games"], spec["learners"], episodes, *vary.values())
        self.asked += math.prod(map(len, lists)) * seeds
        if self.asked > MOST_RUNS:
            raise ParameterError(
                f"{where}: brings the study to more than {MOST_RUNS:,} runs, the most that can be "
                f"made; take fewer seeds, values or numbers of episodes"
            )
        for game, learner in itertools.product(spec["games"], spec["learners"]):
            self._known(self._at("experiments", name, "games"), game, self.games)
            self._known(self._at("experiments", name, "learners"), learner, self.learners)
            for values in itertools.product(*vary.values()):
                settings = dict(zip(vary, values, strict=True))
                series = Series(
                    experiment=name,
                    game_label=game,
                    learner_label=learner,
                    settings=settings,
                    game=self.games[game],
                    game_spec=self.game_specs[game],
                    parameters=self._parameters(where, game, learner, settings),
                    episodes=episodes,
                    seeds=seeds,
                    record=spec.get("record", 0),
                )
                self._check_name(name, series)
                yield series

    def _check_name(self, experiment: str, series: Series) -> None:
        """What is varied becomes part of a file's name."""
        length = len(Path(series.name).name)
        if length > LONGEST:
            raise ParameterError(
                f"{self._at('experiments', experiment, 'vary')}: makes names of {length} "
                f"characters; at most {LONGEST} fit, so write shorter values or vary less"
            )

    def _parameters(
        self, where: str, game: str, learner: str, settings: dict[str, Any]
    ) -> Parameters:
        given = {**self.learners[learner], **settings}
        algorithm = given.pop("algorithm")
        try:
            parameters = make_parameters(algorithm, given)
            parameters.check(self.games[game])
        except ParameterError as error:
            raise ParameterError(f"{where}: game {game!r}, learner {learner!r}: {error}") from None
        return parameters

    @staticmethod
    def _known(where: str, name: str, there: Mapping[str, Any]) -> None:
        if name not in there:
            raise ParameterError(f"{where}: {name!r} is not known; there are {', '.join(there)}")


def _chunks(seeds: list[int], size: int) -> Iterator[list[int]]:
    for first in range(0, len(seeds), size):
        yield seeds[first : first + size]


def _episodes(where: str, spec: Any) -> tuple[int, ...]:
    """Ascending numbers of episodes, from a list or a range of so many a decade."""
    if isinstance(spec, Mapping):
        first, last = _whole(where, spec["from"]), _whole(where, spec["to"])
        grid = (round(first * 10 ** (j / spec["per_decade"])) for j in itertools.count())
        values = list(itertools.takewhile(lambda value: value <= last, grid))
    else:
        values = [_whole(where, value) for value in spec]
    if not values or any(b <= a for a, b in itertools.pairwise(values)):
        raise ParameterError(f"{where}: numbers of episodes must ascend, not {spec}")
    return tuple(values)


def _whole(where: str, value: Any) -> int:
    """A positive whole number, however written: 1000000 or 1e6."""
    try:
        number = exact(value)
    except ValueError as error:
        raise ParameterError(f"{where}: {error}") from None
    if number.denominator != 1 or number < 1:
        raise ParameterError(f"{where}: {value} is not a whole number of at least 1")
    return int(number)
