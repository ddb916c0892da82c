"""A Cournot market: no action dominates, and how many firms make much decides what pays.

N firms each make few units (effort 1) or many (2) and sell them all at one price. It falls with the
total quantity Q = e_i + σ. Firm i earns its units times the margin, the price less the unit cost:

    r_i(s, e_i, σ) = e_i (m(s) − 4 Q/(N+1)),    m(high) = 13/2, m(low) = 11/2.

A firm that could make any quantity would make m/4 units in the Cournot equilibrium, for any N: more
than 3/2 when demand is high and less when it is low. A flooded market dampens demand:

    P(high | s, Q) = κ(s) − 3/5 · (Q/N − 1),    κ(high) = 9/10, κ(low) = 7/10.

At the last step many units pay more where all others make few, and few units where all others make
many. With three firms, two make many in a pure equilibrium of high demand, and one in that of low.
"""

from fractions import Fraction
from functools import cache

from amg.game.model import Game
from amg.game.tabulation import tabulate, whole

EFFORT = {"few": 1, "many": 2}
MARGIN = {"high": Fraction(13, 2), "low": Fraction(11, 2)}  # at quantity 0
DEMAND = {"high": Fraction(9, 10), "low": Fraction(7, 10)}
FLOOD = Fraction(3, 5)


def market(agents: int = 3, horizon: int = 2) -> Game:
    """Return the market of `agents` firms over `horizon` steps, from high demand."""
    agents = whole("market", "agents", agents, least=2)
    horizon = whole("market", "horizon", horizon, least=1)

    @cache  # all firms are paid alike
    def pay(state: str, action: str, others: Fraction) -> Fraction:
        own = EFFORT[action]
        return own * (MARGIN[state] - 4 * (own + others) / (agents + 1))

    def demand(t: int, state: str, total: Fraction) -> dict[str, Fraction]:
        high = DEMAND[state] - FLOOD * (total / agents - 1)
        return {"high": high, "low": 1 - high}

    return tabulate(
        name="market",
        agents=[f"firm {i + 1}" for i in range(agents)],
        states=[("high", "low")] * horizon,
        efforts=lambda t, state, i: EFFORT,
        reward=lambda t, state, i, action, others: pay(state, action, others),
        transition=demand,
        initial={"high": 1},
        origin=1,
        parameters={"agents": agents, "horizon": horizon},
    )
