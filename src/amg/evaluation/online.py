"""The certificate of an α-weighted policy, kept while learning.

Incremental V-learning puts out this policy: draw an episode k uniformly; at (t, s), visited n times
before that episode, draw one of these visits, the i-th with weight

    α_n^i = α_i Π_{j=i+1}^n (1 − α_j),    α_n = (T+1)/(T+n),

play as in it, and go on with its episode as k. There is a node (t, s, n) for each visit, too many
to store. But all that is needed of them obeys recursions (learning/averages.py). This class holds
what they give in the end, for each initial state:

* the policy's value, and what the informed deviator earns, who knows the draws;
* for T ≤ 2 the law of all that a deviator can see, so that the best response is exact;
* for T > 2 what one Markov deviation earns, a lower bound of the best response.
"""

from dataclasses import dataclass, fields

import numpy as np

from amg.base.errors import FileError
from amg.evaluation.certificate import TOLERANCE
from amg.game.model import Game
from amg.kernels.sums import Floats


@dataclass(frozen=True, eq=False)
class OnlineCertificate:
    """Averages over the draw of k, normalised; B is the number of initial states.

    The constructor checks them.
    """

    game: Game
    value: Floats  # [B, N] what the policy earns
    informed: Floats  # [B, N] what a deviator earns who knows the draws
    law: Floats  # [B, N, D] P(σ), the others' sum at the first step; T ≤ 2
    following: Floats  # [B, N, D, S, A] P(σ) times the pay of action a in the next state s'; T = 2
    deviation: Floats  # [B, N] what one Markov deviation earns; T > 2

    def __post_init__(self) -> None:
        for name, shape in online_shapes(self.game).items():
            if getattr(self, name).shape != shape:
                actual = list(getattr(self, name).shape)
                raise FileError(
                    f"array 'online_{name}' has the shape {actual}, expected {list(shape)}; "
                    f"train the run again"
                )
        wrong = (abs(self.law.sum(axis=-1) - 1.0) > TOLERANCE) & (self.game.T <= 2)
        if wrong.any() or (self.law < 0).any():
            raise FileError("array 'online_law' is not a law of sums; train the run again")

    def best_response(self) -> tuple[Floats, Floats]:
        """Return the lower and the upper bound of the best response, [B, N]; equal if T ≤ 2."""
        if self.game.T > 2:
            return self.deviation, self.informed
        exact = np.array(
            [
                [self._best_response(b, s, i) for i in range(self.game.N)]
                for b, s in enumerate(np.flatnonzero(self.game.initial).tolist())
            ]
        )
        return exact, exact

    def _best_response(self, b: int, s: int, i: int) -> float:
        """Return max_a Σ_σ ( P(σ) r(a, σ) + Σ_s' p(s' | a, σ) max_a' following[σ, s', a'] )."""
        game, tables = self.game, self.game.tables
        later = np.zeros((game.D, game.S))
        if game.T == 2:
            real = np.arange(game.A_max) < game.n_actions[1, :, i, None]  # [S, A]
            later = np.where(real, self.following[b, i], -np.inf).max(axis=2)
            later[:, ~game.exists[1]] = 0.0
        best = -np.inf
        for a in range(game.n_actions[0, s, i]):
            own = int(game.effort[0, s, i, a])
            total = float(self.law[b, i] @ tables.reward[0, s, i, a])
            for d in np.flatnonzero(self.law[b, i]).tolist():
                total += float(game.transition[0, s, d + own] @ later[d])
            best = max(best, total)
        return best


PARTS = tuple(field.name for field in fields(OnlineCertificate) if field.name != "game")


def online_shapes(game: Game) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the arrays of such a certificate of this game."""
    B, N = int((game.initial > 0).sum()), game.N
    return {
        "value": (B, N),
        "informed": (B, N),
        "law": (B, N, game.D if game.T <= 2 else 0),
        "following": (B, N, *((game.D, game.S, game.A_max) if game.T == 2 else (0, 0, 0))),
        "deviation": (B, N if game.T > 2 else 0),
    }
