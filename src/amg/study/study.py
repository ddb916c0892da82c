"""A study: the config as series of runs, and the jobs that make them.

An *experiment* crosses games, learners and numbers of episodes, over seeds. One game with one
learner in it is a *series*. Two experiments that ask for the same run share it.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

from amg.base.errors import AmgError
from amg.base.text import choices
from amg.game.model import Game
from amg.inputs.document import Node
from amg.learning.parameters import IndependentQ, Parameters, VLearning, make_parameters
from amg.study.config import Config, Experiment
from amg.study.plan import MOST_RUNS, Games, Part, Series, TrainingJob

MOST = 1_000_000  # runs of an experiment; a typing error of a few digits should not fill the memory
NEEDED = ("rewards", "sample-complexity", "exploration")  # experiments that the figures show


class Study:
    """The config, and what follows from it."""

    def __init__(self, config: Config, document: Node) -> None:
        """Build games and series; `document` knows the places of mistakes in the config."""
        self.config, self.document = config, document
        if config.figures == config.results:
            document.at("figures").refuse(f"{config.figures!r} holds the results; give another")
        self.games: dict[str, Game] = {}
        games = Games()
        for name, entry in config.games.items():
            try:
                self.games[name] = games.make(entry.spec)
            except AmgError as error:
                document.at("games", name).refuse(str(error))
        self.series: list[Series] = []
        for name, experiment in config.experiments.items():
            self.series += self._experiment(name, experiment)
        for name in NEEDED:
            if name not in config.experiments:
                document.at("experiments", name).refuse("is missing; add it")
        self.mechanism = self._mechanism()
        self.single = self._first_v_learner("rewards")  # what figures of single runs show
        self.learned = self._first_v_learner("sample-complexity")

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
        roles: dict[str, str | None]
        roles = {"adaptive": self.learned.learner_label, "fixed": None, "independent": None}
        for series in reversed(self.experiment("sample-complexity")):  # the first one counts
            match series.parameters:
                case VLearning(fluctuation="fixed"):
                    roles["fixed"] = series.learner_label
                case VLearning():
                    roles["adaptive"] = series.learner_label
                case IndependentQ():
                    roles["independent"] = series.learner_label
        return roles

    def jobs(self) -> list[TrainingJob]:
        """Return the training jobs: one for each game, learner and batch of seeds."""
        parts: dict[tuple[str, str], dict[tuple[str, int], Part]] = {}
        for series in self.series:
            own = parts.setdefault((series.game_label, series.learner_label), {})
            for K in series.episodes:
                same = own.get((series.name, K))
                seeds = max(series.all_seeds, same.seeds if same else (), key=len)
                record = max(min(series.record, K), same.record if same else 0)
                own[series.name, K] = Part(series, K, seeds, record)
        return [
            job
            for (game, learner), own in parts.items()
            for job in self._batches(game, learner, list(own.values()))
        ]

    def _batches(self, game: str, learner: str, parts: list[Part]) -> Iterator[TrainingJob]:
        """Yield the jobs of one game and learner, `batch` seeds each."""
        size = min(self.config.batch, max(MOST_RUNS // len(parts), 1))
        for begin in range(0, max(len(part.seeds) for part in parts), size):
            own = tuple(
                replace(part, seeds=part.seeds[begin : begin + size])
                for part in parts
                if len(part.seeds) > begin
            )
            first, last = own[0].seeds[0], max(part.seeds[-1] for part in own)
            yield TrainingJob(f"{game}/{learner}/seeds-{first}-{last}", own)

    # --- reading the config ----------------------------------------------------------------------

    def _experiment(self, name: str, experiment: Experiment) -> Iterator[Series]:
        node, vary = self.document.at("experiments", name), experiment.vary
        wanted, seeds = experiment.episodes, experiment.seeds or self.config.seeds
        episodes = tuple(wanted if isinstance(wanted, list) else wanted.values())
        pairs = list(product(experiment.games, experiment.learners))
        runs = len(pairs) * math.prod(map(len, vary.values())) * len(episodes) * seeds
        if runs > MOST:
            node.refuse(
                f"asks for more than {MOST:,} runs, the limit; use fewer seeds, values or numbers "
                f"of episodes"
            )
        for game, learner in pairs:
            _check_known(node.at("games"), game, self.games)
            _check_known(node.at("learners"), learner, self.config.learners)
            for values in product(*vary.values()):
                settings = dict(zip(vary, values, strict=True))
                yield Series(
                    experiment=name,
                    game_label=game,
                    learner_label=learner,
                    settings=settings,
                    game=self.games[game],
                    game_spec=self.config.games[game].spec,
                    parameters=self._parameters(node, game, learner, settings),
                    episodes=episodes,
                    seeds=seeds,
                    record=experiment.record,
                    first_seed=self.config.first_seed,
                )

    def _parameters(
        self, node: Node, game: str, learner: str, settings: Mapping[str, str]
    ) -> Parameters:
        given = {**self.config.learners[learner], **settings}
        try:
            parameters = make_parameters(given.pop("algorithm"), given)
            parameters.check(self.games[game])
        except AmgError as error:
            node.refuse(f"game {game!r}, learner {learner!r}: {error}")
        return parameters

    def _mechanism(self) -> dict[str, Any]:
        """Return the spec of the run, recorded in full, that shows the stage mechanism."""
        wanted, node = self.config.mechanism, self.document.at("mechanism")
        _check_known(node.at("game"), wanted.game, self.games)
        _check_known(node.at("learner"), wanted.learner, self.config.learners)
        parameters = self._parameters(node, wanted.game, wanted.learner, {})
        if not isinstance(parameters, VLearning):
            node.at("learner").refuse(
                f"{wanted.learner!r} has no stages; name a learner with algorithm v_learning"
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
        self.document.at("experiments", experiment, "learners").refuse(
            "the figures need a learner with algorithm v_learning; name one"
        )


def _check_known(node: Node, name: str, known: Mapping[str, Any]) -> None:
    if name not in known:
        node.refuse(f"{name!r} is not known; there are {choices(known)}")
