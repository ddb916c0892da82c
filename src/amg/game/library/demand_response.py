"""A day on a power grid: states and action sets that change by step, agents that differ.

A household, a factory and an electric car draw power in four parts of a day. An agent that draws
e_i while the others draw σ is paid the worth of its energy less its bill, at a price that
rises with the load and with the tension τ of the grid,

    r_i^t(s, e_i, σ) = w_i^t e_i − price · τ^t(s) · e_i (e_i + σ).

The chance of a scarce state at the next step grows with the load L:

    morning   P(tight)      = L/6 (cool), 1/4 + L/6 (hot)
    midday    P(emergency)  = L/24 (normal), L/12 (tight)
              P(tight)      = L/12 (normal), 1/2 (tight)
    evening   P(rationed)   = L/12 (normal), 1/6 + L/12 (tight), 1/2 + L/12 (emergency)

and scarcity takes actions away: no full production and no boost in a tight evening, neither
those nor charging in an emergency. In the morning the car is on the road and nothing is worth a
boost; at night the factory is closed. The day starts hot with probability `heat`.
"""

from fractions import Fraction

from amg.base.rational import Number
from amg.game.model import Game
from amg.game.tabulation import between, tabulate

AGENTS = ("household", "factory", "car")
EFFORT = (
    {"save": 0, "normal": 1, "boost": 2},
    {"idle": 0, "half": 1, "full": 2},
    {"wait": 0, "charge": 2},
)
WORTH = ((2, 2, 4, 4), (4, 4, 2, 0), (0, 2, 4, 4))  # of a unit of energy, by agent and step
MORNING = ("save normal", "idle half full", "wait")
FULL = ("save normal boost", "idle half full", "wait charge")
MENUS = (  # what the household, the factory and the car can do, by step and state
    {"cool": MORNING, "hot": MORNING},
    {"normal": FULL, "tight": FULL},
    {
        "normal": FULL,
        "tight": ("save normal", "idle half", "wait charge"),
        "emergency": ("save normal", "idle half", "wait"),
    },
    {
        "quiet": ("normal boost", "idle", "wait charge"),
        "rationed": ("normal", "idle", "wait charge"),
    },
)
TENSION = (  # in quarters
    {"cool": 3, "hot": 5},
    {"normal": 3, "tight": 5},
    {"normal": 3, "tight": 5, "emergency": 7},
    {"quiet": 5, "rationed": 7},
)
SCARCITY = (  # P(next | state, L) = (base + slope · L)/24; the next step's first state has the rest
    {"cool": {"tight": (0, 4)}, "hot": {"tight": (6, 4)}},
    {
        "normal": {"tight": (0, 2), "emergency": (0, 1)},
        "tight": {"tight": (12, 0), "emergency": (0, 2)},
    },
    {
        "normal": {"rationed": (0, 2)},
        "tight": {"rationed": (4, 2)},
        "emergency": {"rationed": (12, 2)},
    },
)


def demand_response(heat: Number = "2/5", price: Number = 1) -> Game:
    """Return the game; `heat` is the chance of a hot morning, `price` scales the bills."""
    hot = between("demand_response", "heat", heat, 0, 1)
    slope = between("demand_response", "price", price, 0, 100)

    def menu(t: int, state: str, i: int) -> dict[str, int]:
        return {action: EFFORT[i][action] for action in MENUS[t][state][i].split()}

    def pay(t: int, state: str, i: int, action: str, others: Fraction) -> Fraction:
        own = EFFORT[i][action]
        return WORTH[i][t] * own - slope * TENSION[t][state] / 4 * own * (own + others)

    def grid(t: int, state: str, load: Fraction) -> dict[str, Fraction]:
        scarce = {s: (base + k * load) / 24 for s, (base, k) in SCARCITY[t][state].items()}
        plain = next(iter(MENUS[t + 1]))
        return {plain: 1 - sum(scarce.values(), Fraction(0)), **scarce}

    return tabulate(
        name="demand_response",
        agents=AGENTS,
        states=[tuple(step) for step in MENUS],
        efforts=menu,
        reward=pay,
        transition=grid,
        initial={"cool": 1 - hot, "hot": hot},
        parameters={"heat": str(hot), "price": str(slope)},
    )
