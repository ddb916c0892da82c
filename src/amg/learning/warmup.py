"""Compile kernels once, so that jobs that start together find them in numba's cache."""

from __future__ import annotations

from amg.game.library import build
from amg.learning.parameters import ALGORITHMS, make_parameters
from amg.learning.train import train_run


def kernel_of(algorithm: str) -> str:
    """Return the name of the kernels that an algorithm runs on: that of its learner's module."""
    return ALGORITHMS[algorithm].learner.split(".")[-2]


EVALUATION = "evaluation"
KERNELS: dict[str, str] = {  # the modules that the kernels belong to
    **{kernel_of(name): kind.learner.rpartition(".")[0] for name, kind in ALGORITHMS.items()},
    EVALUATION: "amg.evaluation.evaluation",
}


def warm_up(kernel: str) -> None:
    """Run a few episodes of the algorithms of a kernel, or evaluate a policy."""
    for game in (build("fishermen"), build("fishermen", {"agents": 3})):  # special and general
        if kernel == EVALUATION:
            from amg.results.evaluate import evaluate

            evaluate(game, game.uniform_policy())
        for algorithm in ALGORITHMS:
            if kernel_of(algorithm) == kernel:
                train_run(game, make_parameters(algorithm, {}), 10, seed=0)
