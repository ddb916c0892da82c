"""Compile kernels once, so that jobs that start together find them in numba's cache."""

from __future__ import annotations

from amg.certification.controller import from_policies
from amg.certification.evaluation import evaluate
from amg.game import Game
from amg.games import build
from amg.learning.parameters import ALGORITHMS, make_parameters
from amg.learning.training import LEARNERS, train

EVALUATION = "amg.certification.evaluation"
KERNELS = (*dict.fromkeys(module for module, _ in LEARNERS.values()), EVALUATION)


def warm_up(kernel: str) -> None:
    """A few episodes of the learners of a module, or the evaluation of a policy."""
    for game in (build("fishermen"), build("fishermen", {"agents": 3})):  # special and general
        if kernel == EVALUATION:
            evaluate(game, from_policies(game, game.uniform_policy()[None]))
        else:
            _learn(kernel, game)


def _learn(module: str, game: Game) -> None:
    for algorithm in ALGORITHMS:
        if LEARNERS[algorithm][0] == module:
            train(game, make_parameters(algorithm, {}), 10, seed=0)
