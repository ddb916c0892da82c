"""Aggregative Markov games: learn coarse correlated equilibria and evaluate them exactly.

The reference replication of *Decentralized MARL for Coarse Correlated Equilibrium in Aggregative
Markov Games* (Huang, Mu, Chen 2026). The public API:

    import amg

    game = amg.build_game("fishermen")  # or amg.load_game("mine.yaml")
    run = amg.train(game, episodes=1e5, seed=1)
    run.evaluate().gap  # the same as amg.evaluate(game, run).gap
    amg.evaluate(game, policy)  # an array [T, S, N, A], or what else docs/your-policy.md shows

All names are loaded when they are first used, so that `import amg` is quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from amg.base import VERSION as __version__
from amg.kernels import separate_caches

if TYPE_CHECKING:
    from amg.base.errors import AmgError
    from amg.evaluation.evaluation import Evaluation
    from amg.game.file import load_game
    from amg.game.library import build_game
    from amg.game.model import Game
    from amg.learning.train import train
    from amg.results.evaluate import evaluate
    from amg.results.run import Run
    from amg.results.run_file import load_run, load_runs

__all__ = [
    "AmgError",
    "Evaluation",
    "Game",
    "Run",
    "__version__",
    "build_game",
    "evaluate",
    "load_game",
    "load_run",
    "load_runs",
    "train",
]

_MODULES = {
    "AmgError": "amg.base.errors",
    "Evaluation": "amg.evaluation.evaluation",
    "Game": "amg.game.model",
    "Run": "amg.results.run",
    "build_game": "amg.game.library",
    "evaluate": "amg.results.evaluate",
    "load_game": "amg.game.file",
    "load_run": "amg.results.run_file",
    "load_runs": "amg.results.run_file",
    "train": "amg.learning.train",
}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used (PEP 562)."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return __all__


separate_caches()  # before anything is compiled
