"""A study: the config as series of runs, and the jobs that make them.

An *experiment* crosses games, learners and numbers of episodes, over seeds 1 … n. One game with one
learner in it is a *series*. Two experiments that ask for the same run share it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from amg.base.errors import AmgError, ParameterError
from amg.base.text import choices
from amg.game.model import Game
from amg.inputs.document import Node
from amg.learning.parameters import IndependentQ, Parameters, VLearning, make_parameters
from amg.study.config import Config, EpisodeRange, Experiment
from amg.study.plan import MOST_RUNS, Games, Part, Series, TrainingJob

MOST = 1_000_000  # runs of a study; a typing error of a few digits should not fill the memory
OWN = ("runs", "evaluations", "tables", "compiled", "logs", "benchmarks", "report", "sweeps")
LONGEST = 200  # characters of a name that becomes a file
NEEDED = ("rewards", "sample-complexity", "exploration")  # experiments that the figures show


class Study:
    """The config, and what follows from it."""

    def __init__(self, config: Config, document: Node | None = None) -> None:
        """Build games and series; `document` knows the places of mistakes in the config."""
        self.config = config
        self.document = document or Node("config")
        self._check_places()
        self.games: dict[str, Game] = {}
        games = Games()
        for name, entry in config.games.items():
            try:
                self.games[name] = games.make(entry.spec)
            except AmgError as error:
                raise ParameterError(f"{self._at('games', name)}: {error}") from None
        self.requested = 0  # runs; a shared run counts once for each experiment
        self.series = [
            series
            for name, experiment in config.experiments.items()
            for series in self._experiment(name, experiment)
        ]
        for name in NEEDED:
            if name not in config.experiments:
                raise ParameterError(f"{self._at('experiments', name)}: is missing; add it")
        self.mechanism = self._mechanism()
        self.single = self._first_v_learner("rewards")  # what figures of single runs show
        self.learned = self._first_v_learner("sample-complexity")

    @property
    def game_specs(self) -> dict[str, Mapping[str, Any]]:
        """Return how each game is made."""
        return {name: entry.spec for name, entry in self.config.games.items()}

    def experiment(self, name: str) -> list[Series]:
        """Return the series of one experiment; none if the config does not have it."""
        return [series for series in self.series if series.experiment == name]

    @property
    def failure_probability(self) -> float:
        """Return p of the theorem's rate: that of the first V-learner."""
        assert isinstance(self.learned.parameters, VLearning)
        return self.learned.parameters.p

    @property
    def roles(self) -> dict[str, str | None]:
        """Return which learner of `sample-complexity` plays which part in the findings."""
        series = self.experiment("sample-complexity")

        def first(fits: Callable[[Parameters], bool]) -> str | None:
            return next((one.learner_label for one in series if fits(one.parameters)), None)

        return {
            "adaptive": first(lambda p: isinstance(p, VLearning) and p.fluctuation != "fixed")
            or self.learned.learner_label,
            "fixed": first(lambda p: isinstance(p, VLearning) and p.fluctuation == "fixed"),
            "independent": first(lambda p: isinstance(p, IndependentQ)),
        }

    def jobs(self) -> list[TrainingJob]:
        """Return the training jobs: one for each game, learner and batch of seeds."""
        parts: dict[tuple[str, str], dict[tuple[str, int], Part]] = {}
        for series in self.series:
            own = parts.setdefault((series.game_label, series.learner_label), {})
            for K in series.episodes:
                same = own.get((series.name, K))
                seeds = max(series.seeds, len(same.seeds) if same else 0)
                record = max(min(series.record, K), same.record if same else 0)
                own[series.name, K] = Part(series, K, tuple(range(1, seeds + 1)), record)
        return [
            job
            for (game, learner), own in parts.items()
            for job in self._batches(f"{game}/{learner}", list(own.values()))
        ]

    def _batches(self, place: str, parts: list[Part]) -> Iterator[TrainingJob]:
        """Yield the jobs of one game and learner, `batch` seeds each."""
        size = min(self.config.batch, max(MOST_RUNS // len(parts), 1))
        for first in range(1, max(len(part.seeds) for part in parts) + 1, size):
            own = []
            for part in parts:
                seeds = part.seeds[first - 1 : first - 1 + size]
                if seeds:
                    own.append(Part(part.series, part.episodes, seeds, part.record))
            last = max(part.seeds[-1] for part in own)
            game, learner = place.split("/")
            title = f"{learner} on {game}, seeds {first} to {last}"
            yield TrainingJob(f"{place}/seeds-{first}-{last}", title, tuple(own))

    # --- reading the config ----------------------------------------------------------------------

    def _at(self, *keys: str) -> str:
        """Return the place of these keys in the config, for messages."""
        return self.document.at(*keys).place

    def _check_places(self) -> None:
        """Refuse a directory of figures in which the study writes files of its own."""
        results, figures = Path(self.config.results), Path(self.config.figures)
        if any(figures.is_relative_to(results / name) for name in OWN) or figures == results:
            raise ParameterError(
                f"{self._at('figures')}: '{figures}' is a directory of the results; give another, "
                f"such as {results / 'figures'}"
            )

    def _experiment(self, name: str, experiment: Experiment) -> Iterator[Series]:
        where = self._at("experiments", name)
        episodes = self._episodes(name, experiment)
        vary, seeds = experiment.vary, experiment.seeds or self.config.seeds
        lists = (experiment.games, experiment.learners, episodes, *vary.values())
        self.requested += math.prod(map(len, lists)) * seeds
        if self.requested > MOST:
            raise ParameterError(
                f"{where}: brings the study to more than {MOST:,} runs, the limit; use fewer "
                f"seeds, values or numbers of episodes"
            )
        for game, learner in itertools.product(experiment.games, experiment.learners):
            self._check_known(self._at("experiments", name, "games"), game, self.games)
            self._check_known(self._at("experiments", name, "learners"), learner,
                              self.config.learners)  # fmt: skip
            for values in itertools.product(*vary.values()):
                settings = dict(zip(vary, values, strict=True))
                series = Series(
                    experiment=name,
                    game_label=game,
                    learner_label=learner,
                    settings=settings,
                    game=self.games[game],
                    game_spec=self.config.games[game].spec,
                    parameters=self._parameters(where, game, learner, settings),
                    episodes=episodes,
                    seeds=seeds,
                    record=experiment.record,
                )
                if len(Path(series.name).name) > LONGEST:
                    raise ParameterError(
                        f"{self._at('experiments', name, 'vary')}: makes names of more than "
                        f"{LONGEST} characters; write shorter values or vary less"
                    )
                yield series

    def _episodes(self, name: str, experiment: Experiment) -> tuple[int, ...]:
        """Return ascending numbers of episodes, from a list or a range of so many a decade."""
        wanted = experiment.episodes
        values = wanted if isinstance(wanted, list) else _logarithmic(wanted)
        if not values or any(b <= a for a, b in itertools.pairwise(values)):
            place = self._at("experiments", name, "episodes")
            raise ParameterError(f"{place}: numbers of episodes must ascend, not {values}")
        return tuple(values)

    def _parameters(
        self, where: str, game: str, learner: str, settings: Mapping[str, str]
    ) -> Parameters:
        given = {**self.config.learners[learner], **settings}
        try:
            parameters = make_parameters(given.pop("algorithm"), given)
            parameters.check(self.games[game])
        except ParameterError as error:
            raise ParameterError(f"{where}: game {game!r}, learner {learner!r}: {error}") from None
        return parameters

    def _mechanism(self) -> dict[str, Any]:
        """Return the spec of the run, recorded in full, that shows the stage mechanism."""
        wanted = self.config.mechanism
        self._check_known(self._at("mechanism", "game"), wanted.game, self.games)
        self._check_known(self._at("mechanism", "learner"), wanted.learner, self.config.learners)
        parameters = self._parameters(self._at("mechanism"), wanted.game, wanted.learner, {})
        if parameters.algorithm != "v_learning":
            raise ParameterError(
                f"{self._at('mechanism', 'learner')}: {wanted.learner!r} has no stages; name a "
                f"learner with algorithm v_learning"
            )
        return {
            "game": self.config.games[wanted.game].spec,
            "algorithm": parameters.algorithm,
            "parameters": parameters.as_dict(),
            "episodes": wanted.episodes,
            "seed": wanted.seed,
        }

    def _first_v_learner(self, experiment: str) -> Series:
        for series in self.experiment(experiment):
            if isinstance(series.parameters, VLearning):
                return series
        raise ParameterError(
            f"{self._at('experiments', experiment, 'learners')}: the figures need a learner with "
            f"algorithm v_learning; name one"
        )

    @staticmethod
    def _check_known(where: str, name: str, known: Mapping[str, Any]) -> None:
        if name not in known:
            raise ParameterError(f"{where}: {name!r} is not known; there are {choices(known)}")


def _logarithmic(span: EpisodeRange) -> list[int]:
    """Return numbers that grow by a constant factor, rounded."""
    grid = (round(span.first * 10 ** (j / span.per_decade)) for j in itertools.count())
    return list(itertools.takewhile(lambda value: value <= span.last, grid))
