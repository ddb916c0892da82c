"""What is known of a game without learning: its exact reference values, in raw reward units."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amg.exact.correlated import BUDGET, cce_range
from amg.exact.dominance import dominance_equilibrium
from amg.exact.stage import uniform_play
from amg.exact.team import team_optimum
from amg.exact.zero_sum import minimax
from amg.game.model import Game

ONE_VALUE = 1e-7  # A CCE range narrower than this share of the reward scale counts as one value


class Row(NamedTuple):
    """One line of a table of reference values."""

    label: str
    per_agent: NDArray[np.float64]  # [N]
    average: float


class References(NamedTuple):
    """The reference values of a game."""

    rows: list[Row]  # one for each value that applies and is not too costly
    equilibrium: NDArray[np.float64] | None  # [N] paid by *every* CCE; None if it is not proved


def references(game: Game, *, budget: int = BUDGET) -> References:
    """Return all reference values of a game; `budget` is that of `cce_range`.

    The lowest average over CCE is not the average of the agents' lowest values: no single
    equilibrium need be the worst for everyone.
    """
    uniform, team, equilibrium = uniform_play(game), team_optimum(game), None
    rows = [
        Row("uniform play", uniform, float(uniform.mean())),
        Row("team optimum", team.per_agent, team.average),
    ]
    dominance, value, cce = dominance_equilibrium(game), minimax(game), cce_range(game, budget)
    if dominance is not None:
        per_agent = dominance.per_agent
        rows.append(Row("dominance equilibrium", per_agent, float(per_agent.mean())))
    if value is not None:
        rows.append(Row("minimax", value, float(value.mean())))
    if cce is not None:
        rows.append(Row("lowest CCE", cce.low, cce.average_low))
        rows.append(Row("highest CCE", cce.high, cce.average_high))
    if value is not None:
        equilibrium = value
    elif dominance is not None and dominance.unique_cce:
        equilibrium = dominance.per_agent
    elif cce is not None and cce.width <= ONE_VALUE * game.scale:
        equilibrium = (cce.low + cce.high) / 2
    return References(rows, equilibrium)
