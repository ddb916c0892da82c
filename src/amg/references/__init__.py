"""Exact reference values of a game, computed independently of any learning, in raw units."""

from amg.references.correlated import CceRange, cce_range
from amg.references.dominance import DominanceEquilibrium, dominance_equilibrium
from amg.references.summary import References, Row, references
from amg.references.team import TeamOptimum, team_optimum
from amg.references.uniform import uniform_play
from amg.references.zero_sum import Minimax, minimax

__all__ = [
    "CceRange",
    "DominanceEquilibrium",
    "Minimax",
    "References",
    "Row",
    "TeamOptimum",
    "cce_range",
    "dominance_equilibrium",
    "minimax",
    "references",
    "team_optimum",
    "uniform_play",
]
