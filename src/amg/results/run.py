"""A run: what training leaves behind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from amg.evaluation.certificate import Certificate
from amg.evaluation.online import OnlineCertificate
from amg.evaluation.sampler import Trace
from amg.game.model import Game

if TYPE_CHECKING:
    from amg.evaluation.evaluation import Evaluation


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """One training run: a function of game, algorithm, parameters, episodes, seed and sources.

    Attributes
    ----------
    episodes : int
        K, the number of episodes.
    returns_edge : array [entries + 1]
        Entry j of `returns` covers the episodes returns_edge[j] + 1 … returns_edge[j + 1].
    returns : array [entries, N]
        Mean return of each agent over these episodes, in the game's raw units.
    certificate : Certificate or None
        The certified policy, if the algorithm is stage-based V-learning.
    online : OnlineCertificate or None
        What is known of the certified policy, if its weights change at every visit.
    policy : array [T, S, N, A] or None
        The greedy policy, if the algorithm is Q-learning.
    trace : Trace or None
        Everything that happened, if it was recorded.
    source : str
        SHA-256 of the sources that made the run; empty if it is not known.
    """

    game: Game
    algorithm: str
    parameters: dict[str, float | str]
    episodes: int
    seed: int
    returns_edge: NDArray[np.int64]
    returns: NDArray[np.float64]
    certificate: Certificate | None = None
    online: OnlineCertificate | None = None
    policy: NDArray[np.float64] | None = None
    trace: Trace | None = None
    package: str = ""
    source: str = ""

    def __repr__(self) -> str:
        what = f"{self.algorithm} on {self.game.name}"
        return f"Run({what}, {self.episodes:,} episodes, seed {self.seed})"

    @property
    def identity(self) -> dict[str, Any]:
        """All that the run is a function of, apart from the sources."""
        names = ("algorithm", "parameters", "episodes", "seed")
        return {"game": self.game.digest, **{name: getattr(self, name) for name in names}}

    def evaluate(self) -> Evaluation:
        """Return the exact value, best response and equilibrium gap of the learned policy."""
        from amg.results.evaluate import evaluate

        return evaluate(self.game, self)
