"""Two farms on one reservoir: the season decides what a farm can do.

In spring each farm draws little or much; in the dry summer it can flood its fields too; in autumn
it leaves them fallow or sows a winter crop:

    spring   little 1, much 2
    summer   little 1, much 2, flood 3
    autumn   fallow 0, sow 2.

A farm pays for each unit that it asks for. If both together ask for more than the reservoir gives,
each gets its share of that:

    r_i^t(s, e_i, σ) = w^t e_i · min(1, C^t(s)/L) − cost · e_i,    L = e_i + σ,

with the worth of a unit w = 3, 4, 3 in spring, summer and autumn. The reservoir is full in spring,
after the snow melts, but gives only C = 3, because some must last for the summer. Later it gives
C(full) = 4, C(low) = 2. The more is asked for, the lower it gets:

    P(full | s, L) = κ^t(s) − L/8,    κ = 9/8 in spring; 1 (full), 3/4 (low) in summer.

Everyone reads the gauge, d = 2L. Algorithm 3 compares the spread of d with a limit in its units.
With d = L no three visits in spring could reach the default limit of 1, and the printed rule would
never lengthen the first stage.
"""

from fractions import Fraction

from amg.base.rational import Number
from amg.game.model import Game
from amg.game.tabulation import between, tabulate

EFFORT = ({"little": 1, "much": 2}, {"little": 1, "much": 2, "flood": 3}, {"fallow": 0, "sow": 2})
WORTH = (3, 4, 3)
SUPPLY = ({"full": 3}, {"full": 4, "low": 2}, {"full": 4, "low": 2})
LEVEL = ({"full": Fraction(9, 8)}, {"full": Fraction(1), "low": Fraction(3, 4)})


def reservoir(cost: Number = 2) -> Game:
    """Return the game; `cost` is what a farm pays for each unit that it asks for."""
    price = between("reservoir", "cost", cost, 0, 100)

    def pay(t: int, state: str, i: int, action: str, others: Fraction) -> Fraction:
        own = EFFORT[t][action]
        asked, supply = own + others, SUPPLY[t][state]
        share = Fraction(1) if asked <= supply else supply / asked
        return own * (WORTH[t] * share - price)

    def level(t: int, state: str, total: Fraction) -> dict[str, Fraction]:
        full = LEVEL[t][state] - total / 8
        return {"full": full, "low": 1 - full}

    return tabulate(
        name="reservoir",
        agents=("farm 1", "farm 2"),
        states=[tuple(step) for step in SUPPLY],
        efforts=lambda t, state, i: EFFORT[t],
        reward=pay,
        transition=level,
        initial={"full": 1},
        aggregator="gauge",
        aggregate_scale=2,
        parameters={"cost": str(price)},
    )
