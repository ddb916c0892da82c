"""An inspection game: two agents with exactly opposed interests, nothing but mixed equilibria.

Each step the inspector rests (effort 0) or inspects (1) and the inspectee complies (0) or
violates (1). In the routine state an undetected violation does little harm and an inspection of
an honest inspectee disturbs much; in the alert state it is the other way round:

    routine   comply  violate        alert     comply  violate
    rest         5       3           rest         4       0
    inspect      1       5           inspect      2       4         r_1(s, e_1, e_2)

    r_2 = 5 − r_1,

and effort keeps the alert up, P(alert | s, e_1 + e_2) for e_1 + e_2 = 0, 1, 2:

    routine  1/10  1/2  4/5
    alert     2/5  1/2  9/10.

At the last step the inspector rests with probability 2/3 and the inspectee complies with 1/3 in
the routine state, 1/3 and 2/3 in the alert state; with the value of what follows added to the
pay the stage games of earlier steps are fully mixed too, at other probabilities.
"""

from fractions import Fraction

from amg.game.model import Game
from amg.game.tabulation import tabulate, whole

EFFORTS = ({"rest": 0, "inspect": 1}, {"comply": 0, "violate": 1})
PAY = {  # the inspector's, by the two efforts
    "routine": ((5, 3), (1, 5)),
    "alert": ((4, 0), (2, 4)),
}
STAKE = 5  # the sum of the two rewards
ALERT = {  # the probability of an alert next, by the total effort
    "routine": (Fraction(1, 10), Fraction(1, 2), Fraction(4, 5)),
    "alert": (Fraction(2, 5), Fraction(1, 2), Fraction(9, 10)),
}


def inspection(horizon: int = 2) -> Game:
    """Return the inspection game over `horizon` steps, from the routine state."""
    horizon = whole("inspection", "horizon", horizon, least=1)

    def pay(t: int, state: str, i: int, action: str, others: Fraction) -> int:
        own, other = EFFORTS[i][action], int(others)
        return PAY[state][own][other] if i == 0 else STAKE - PAY[state][other][own]

    def law(t: int, state: str, total: Fraction) -> dict[str, Fraction]:
        alert = ALERT[state][int(total)]
        return {"routine": 1 - alert, "alert": alert}

    return tabulate(
        name="inspection",
        agents=("inspector", "inspectee"),
        states=[("routine", "alert")] * horizon,
        efforts=lambda t, state, i: EFFORTS[i],
        reward=pay,
        transition=law,
        initial={"routine": 1},
        parameters={"horizon": horizon},
    )
