"""Users of one link: anti-coordination with many pure equilibria, for any number of agents.

N users send nothing (effort 0), stream (1) or download (2). A link that fits its load L serves
everyone. An overloaded link collapses: each user loses its traffic times the share of the load
that does not fit:

    r_i(s, e_i, σ) = e_i                      if L = e_i + σ ≤ C(s),
                   = −e_i (L − C(s)) / L      otherwise,

with the capacity C(clear) = N, C(degraded) = ⌈N/2⌉. Load wears the link:

    P(clear | s, L) = κ(s) − 3/4 · L/(2N),    κ(clear) = 1, κ(degraded) = 3/4.

At the last step every profile that fills the link exactly (L = C) is a strict equilibrium: one
more unit spoils the link, one less earns less. Pay, probabilities and capacity depend on loads
only relative to N.
"""

from fractions import Fraction
from functools import cache

from amg.game.model import Game
from amg.game.tabulation import tabulate, whole

EFFORT = {"idle": 0, "stream": 1, "download": 2}
RECOVERY = {"clear": Fraction(1), "degraded": Fraction(3, 4)}
WEAR = Fraction(3, 4)


def congestion(agents: int = 3, horizon: int = 3) -> Game:
    """Return the congestion game of `agents` users over `horizon` steps, from the clear state."""
    agents = whole("congestion", "agents", agents, least=2)
    horizon = whole("congestion", "horizon", horizon, least=1)
    capacity = {"clear": agents, "degraded": (agents + 1) // 2}

    @cache  # all agents are paid alike
    def pay(state: str, action: str, others: int) -> float:
        own = EFFORT[action]
        load, excess = own + others, own + others - capacity[state]
        return own if excess <= 0 else float(Fraction(-own * excess, load))

    def link(t: int, state: str, total: Fraction) -> dict[str, Fraction]:
        clear = RECOVERY[state] - WEAR * total / (2 * agents)
        return {"clear": clear, "degraded": 1 - clear}

    return tabulate(
        name="congestion",
        agents=[f"user {i + 1}" for i in range(agents)],
        states=[("clear", "degraded")] * horizon,
        efforts=lambda t, state, i: EFFORT,
        reward=lambda t, state, i, action, others: pay(state, action, others.numerator),
        transition=link,
        initial={"clear": 1},
        aggregator="mean",
        parameters={"agents": agents, "horizon": horizon},
    )
