"""Compile every kernel once, so that jobs that start together find them in numba's cache."""

from __future__ import annotations

from amg.certification.controller import controller_of
from amg.certification.evaluation import evaluate
from amg.games import build
from amg.learning.parameters import ALGORITHMS, make_parameters
from amg.learning.training import train
from amg.references import references


def warm_up() -> None:
    """A few episodes of everything: two agents with two actions, and the general case."""
    for game in (build("fishermen"), build("fishermen", {"agents": 3})):
        for algorithm in ALGORITHMS:
            run = train(game, make_parameters(algorithm, {}), 10, seed=0)
            evaluate(game, controller_of(run))
        references(game)


if __name__ == "__main__":
    warm_up()
