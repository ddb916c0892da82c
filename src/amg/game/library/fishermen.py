"""The Fishermen Game of the paper's Section IV, and its N-agent form.

Two stock levels, two efforts: 5 (intensive) and 3 (mild). With a the total effort scaled to
2 · (mean effort), so that for two agents a = a_1 + a_2,

    r_i(s, a_i, a) = f(a_i) − g(a) − c(s),
    f(x) = −x²/2 + 23x/2 + 1,   g(a) = a²/4 − a/2 + 16,   c(high) = 0, c(low) = 1,

and P(high | s, a) runs linearly between the paper's three points a = 6, 8, 10.
"""

from fractions import Fraction
from functools import cache

from amg.base.rational import Number
from amg.game.model import Game
from amg.game.tabulation import one_of, tabulate, whole

EFFORT = {"intensive": 5, "mild": 3}
COST = {"high": 0, "low": 1}
FIRST: dict[str, dict[str, Number]] = {
    "high": {"high": 1},
    "low": {"low": 1},
    "uniform": {"high": Fraction(1, 2), "low": Fraction(1, 2)},
}
STAYS_HIGH = {
    "high": (Fraction(1), Fraction(2, 3), Fraction(1, 5)),  # at a = 6, 8, 10
    "low": (Fraction(1), Fraction(1, 2), Fraction(0)),
}


def fishermen(agents: int = 2, horizon: int = 2, first: str = "high") -> Game:
    """Return the Fishermen Game; `agents=2, horizon=2` is the paper's, to the last digit.

    The paper does not say which state is the first: it is high, low, or either at random (uniform).
    """
    agents = whole("fishermen", "agents", agents, least=2)
    horizon = whole("fishermen", "horizon", horizon, least=1)
    first = one_of("fishermen", "first", first, FIRST)

    @cache
    def pay(state: str, action: str, others: Fraction) -> Fraction:
        own = Fraction(EFFORT[action])
        a = (own + others) * 2 / agents
        f = -own * own / 2 + Fraction(23, 2) * own + 1
        g = a * a / 4 - a / 2 + 16
        return f - g - COST[state]

    def stock(t: int, state: str, total: Fraction) -> dict[str, Fraction]:
        a = total * 2 / agents
        left, middle, right = STAYS_HIGH[state]
        left, right, least = (left, middle, 6) if a <= 8 else (middle, right, 8)
        high = left + (right - left) * (a - least) / 2
        return {"high": high, "low": 1 - high}

    return tabulate(
        name="fishermen",
        agents=[f"fisher {i + 1}" for i in range(agents)],
        states=[("high", "low")] * horizon,
        efforts=lambda t, state, i: EFFORT,
        reward=lambda t, state, i, action, others: pay(state, action, others),
        transition=stock,
        initial=FIRST[first],
        origin=3,
        unit=2,
        aggregator="2·mean",
        aggregate_scale=Fraction(2, agents),
        parameters={"agents": agents, "horizon": horizon, "first": first},
    )
