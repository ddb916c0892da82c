"""From settings, flat and as written, to a game, a learner and a number of episodes.

The one namespace of a sweep file has `game`, `algorithm`, `episodes`, the parameters of the game's
builder and those of the algorithm.
"""

from __future__ import annotations

import dataclasses
import inspect
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import quote

from amg.documents import Node
from amg.errors import AmgError, ParameterError
from amg.game import Game
from amg.games import BUILDERS
from amg.learning.parameters import ALGORITHMS, Parameters, make_parameters
from amg.learning.training import LIMITS
from amg.plan import Games
from amg.sweep.axes import Settings

COMMON = ("game", "algorithm", "episodes")
LONGEST = 120  # characters of a name that becomes a directory


@dataclass(frozen=True)
class Chosen:
    """What a cell of a sweep runs; labels are the names of its directories."""

    game: Game
    game_spec: dict[str, Any]
    game_label: str
    parameters: Parameters  # canonical: cells that differ in nothing that is read are the same run
    learner_label: str
    episodes: int


class Chooser:
    """Makes what settings ask for; equal games and parameters are made once."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._games = Games()
        self._parameters = cache(make_parameters_of)

    def choose(self, settings: Settings) -> Chosen:
        for name in COMMON:
            if name not in settings:
                raise ParameterError(f"{name} is not set; set it under base")
        game, algorithm = settings["game"].text(), settings["algorithm"]
        if algorithm.text() not in ALGORITHMS:
            algorithm.refuse(f"{algorithm.shown} is not known; there are {', '.join(ALGORITHMS)}")
        of_game = {name: settings[name] for name in settings if name in builder_parameters(game)}
        of_learner = {name: settings[name] for name in settings if name in fields(algorithm.text())}
        for name, node in settings.items():
            if name not in (*COMMON, *of_game, *of_learner):
                self._unknown(node, name, game, algorithm.text())
        spec = self._spec(settings["game"], of_game)
        built = self._build(spec, settings["game"], of_game)
        parameters = self._learner(built, algorithm.text(), of_learner)
        label = game if "builder" in spec else Path(spec["file"]).stem
        read = {n: node for n, node in of_learner.items() if n not in parameters.unread()}
        return Chosen(
            game=built,
            game_spec=spec,
            game_label=_label(label, of_game),
            parameters=parameters.canonical(),
            learner_label=_label(algorithm.text(), read),
            episodes=settings["episodes"].count(LIMITS["episodes"][1]),
        )

    def _unknown(self, node: Node, name: str, game: str, algorithm: str) -> NoReturn:
        known = [*COMMON, *builder_parameters(game), *fields(algorithm)]
        node.refuse(f"{name} is not a parameter of {game} or {algorithm}; there are "
                    f"{', '.join(known)}")  # fmt: skip

    def _spec(self, game: Node, given: Settings) -> dict[str, Any]:
        if game.text().endswith((".yaml", ".yml")):
            return {"file": os.path.relpath(self.root / game.text())}
        kinds = builder_parameters(game.text())
        parameters = {
            name: node.count(10**9) if kinds[name] == "int" else node.text()
            for name, node in given.items()
        }
        return {"builder": game.text(), "parameters": parameters}

    def _build(self, spec: dict[str, Any], game: Node, given: Settings) -> Game:
        try:
            return self._games.make(spec)
        except AmgError as error:
            place = next(iter(given.values())) if len(given) == 1 else game
            place.refuse(str(error))

    def _learner(self, game: Game, algorithm: str, given: Settings) -> Parameters:
        values = tuple((name, _value(algorithm, name, node)) for name, node in given.items())
        try:
            parameters = self._parameters(algorithm, values)
            parameters.check(game)
        except ParameterError as error:
            named = [node for name, node in given.items() if name in str(error)]
            if named:
                named[0].refuse(str(error))
            raise
        return parameters


def make_parameters_of(algorithm: str, values: tuple[tuple[str, Any], ...]) -> Parameters:
    return make_parameters(algorithm, dict(values))


def builder_parameters(game: str) -> dict[str, str]:
    """Names of a builder's parameters with their types; none for a file or an unknown name."""
    if game not in BUILDERS:
        return {}
    known = inspect.signature(BUILDERS[game]).parameters
    return {name: str(parameter.annotation) for name, parameter in known.items()}


def fields(algorithm: str) -> dict[str, dataclasses.Field[Any]]:
    """An algorithm's parameters by name."""
    return {f.name: f for f in dataclasses.fields(ALGORITHMS[algorithm])}


def _value(algorithm: str, name: str, node: Node) -> float | str:
    return node.text() if "choices" in fields(algorithm)[name].metadata else node.real()


def _label(name: str, given: Settings) -> str:
    """A name with what was set, as it was written; too long a one is cut, a digest follows it."""
    parts = [quote(name, safe="")]
    parts += [f"{key}={quote(node.text(), safe='')}" for key, node in given.items()]
    label = "+".join(parts)
    return label if len(label) <= LONGEST else parts[0][:LONGEST]
