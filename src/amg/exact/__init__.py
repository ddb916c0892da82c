"""All exact reference values of a game together, in raw reward units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amg.exact.correlated import BUDGET, CceRange, cce_range
from amg.exact.dominance import DominanceEquilibrium, dominance_equilibrium
from amg.exact.stage import uniform_play
from amg.exact.team import TeamOptimum, team_optimum
from amg.exact.zero_sum import Minimax, minimax
from amg.game.model import Game

ONE_VALUE = 1e-7  # A CCE range narrower than this share of the reward scale counts as one value


class Row(NamedTuple):
    """One line of a table of reference values."""

    label: str
    per_agent: NDArray[np.float64]
    average: float


@dataclass(frozen=True)
class References:
    """The reference values of a game; None where one does not apply or is too costly."""

    scale: float  # of the game's rewards, as a unit for tolerances
    uniform: NDArray[np.float64]  # [N]
    team: TeamOptimum
    dominance: DominanceEquilibrium | None
    minimax: Minimax | None
    cce: CceRange | None

    @property
    def equilibrium(self) -> NDArray[np.float64] | None:
        """What each agent gets in *every* CCE [N], or None if it is not proved to be the same."""
        if self.minimax is not None:
            return self.minimax.per_agent
        if self.dominance is not None and self.dominance.unique_cce:
            return self.dominance.per_agent
        if self.cce is not None and self.cce.width <= ONE_VALUE * self.scale:
            return (self.cce.low + self.cce.high) / 2
        return None

    def rows(self) -> list[Row]:
        """Return a row for every reference value that the game has.

        The lowest average over CCE is not the average of the agents' lowest values: no single
        equilibrium need be the worst for everyone.
        """
        rows = [
            Row("uniform play", self.uniform, float(self.uniform.mean())),
            Row("team optimum", self.team.per_agent, self.team.average),
        ]
        if self.dominance is not None:
            equilibrium = self.dominance
            rows.append(Row("dominance equilibrium", equilibrium.per_agent, equilibrium.average))
        if self.minimax is not None:
            rows.append(Row("minimax", self.minimax.per_agent, self.minimax.average))
        if self.cce is not None:
            rows.append(Row("lowest CCE", self.cce.low, self.cce.average_low))
            rows.append(Row("highest CCE", self.cce.high, self.cce.average_high))
        return rows


def references(game: Game, *, budget: int = BUDGET) -> References:
    """Return all reference values of a game; `budget` is that of `cce_range`."""
    return References(
        scale=game.scale,
        uniform=uniform_play(game),
        team=team_optimum(game),
        dominance=dominance_equilibrium(game),
        minimax=minimax(game),
        cce=cce_range(game, budget),
    )
