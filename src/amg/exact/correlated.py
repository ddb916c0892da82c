"""The range of payoffs over all coarse correlated equilibria (CCE).

A correlated policy is a distribution q over joint pure strategies x. It is a CCE if no agent gains
by playing one fixed pure strategy y_i instead, chosen without seeing the draw:

    Σ_x q(x) (R_i(y_i, x_-i) − R_i(x)) ≤ 0   for every i and every y_i.

The CCE form a polytope. The lowest and the highest payoff of each agent, and of their average, are
one linear program each. A program has one variable per joint strategy, so games must be tiny.

The bounds are certified: they do not depend on the solver's tolerance. For any weights y ≥ 0 on the
constraints G q ≤ 0, weak duality gives c·q ≥ min_x (c + Gᵀy)_x for every CCE q; the solver only
proposes y. So the reported range contains the payoffs of every CCE, up to rounding (about 1e-14
relative). `slack` bounds by how much the range may be too wide, except for the feasibility
tolerance (1e-10 of the payoffs' spread) of the solver's extreme points.

Agents see states, their own actions and totals (see `strategic_form`). For two agents that is
everything. With more agents, a policy that saw who did what could aim its threats better, so the
range over such policies may be wider.

As in the paper, a CCE must be one from every initial state. Each initial state has its own
programs, and the ranges are averaged over the initial distribution.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from amg.exact.strategic_form import StrategicForm
from amg.game.model import Game

BUDGET = 10_000  # default limit of joint pure strategies per initial state: about ten seconds


@dataclass(frozen=True)
class CceRange:
    """The lowest and the highest payoff of a coarse correlated equilibrium, from the start."""

    low: NDArray[np.float64]  # [N] lowest payoff of each agent, perhaps in different equilibria
    high: NDArray[np.float64]  # [N]
    average_low: float  # lowest average over agents: at least the mean of `low`
    average_high: float
    slack: float  # how far a bound may lie outside of the exact range

    @property
    def width(self) -> float:
        """The widest range of an agent's payoff; about 0 if every CCE pays the same."""
        return float((self.high - self.low).max())


def cce_range(game: Game, budget: int = BUDGET) -> CceRange | None:
    """Return the range of payoffs over all CCE, or None above `budget` joint pure strategies.

    Time grows about as the budget squared. The Fishermen Game of the paper has 576 of them.
    """
    form = StrategicForm(game)
    starts = np.flatnonzero(game.initial).tolist()
    for s in starts:
        size = 1.0
        for i in range(game.N):
            size *= form.count(0, s, i)
            if size > budget:
                return None
    low, high, slack = np.zeros(game.N + 1), np.zeros(game.N + 1), 0.0
    for s in starts:
        payoffs = form.payoffs(0, s)
        gains = deviation_gains(payoffs)
        each = payoffs.reshape(game.N, -1)
        for k, target in enumerate([*each, each.mean(axis=0)]):
            below, slack_below = _minimum(target, gains)
            above, slack_above = _minimum(-target, gains)
            low[k] += game.initial[s] * below
            high[k] -= game.initial[s] * above
            slack = max(slack, slack_below, slack_above)
    return CceRange(low[:-1], high[:-1], float(low[-1]), float(high[-1]), slack)


def deviation_gains(payoffs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return R_i(y_i, x_-i) − R_i(x): a row for every (i, y_i), a column for every x."""
    rows = []
    for i, payoff in enumerate(payoffs):
        own_first = np.moveaxis(payoff, i, 0)
        gain = own_first[:, None] - own_first[None]  # [y_i, x_i, x_-i]
        rows.append(np.moveaxis(gain, 1, i + 1).reshape(payoff.shape[i], -1))
    return np.concatenate(rows)


def _minimum(target: NDArray[np.float64], gains: NDArray[np.float64]) -> tuple[float, float]:
    """Return a certified lower bound of target·q over CCE q, and its distance to the solver's."""
    spread = float(np.ptp(target)) or 1.0
    gain_unit = float(np.abs(gains).max()) or 1.0
    program = linprog(
        c=(target - target.min()) / spread,
        A_ub=gains / gain_unit,
        b_ub=np.zeros(len(gains)),
        A_eq=np.ones((1, target.size)),
        b_eq=[1.0],
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if not program.success:
        raise ArithmeticError(f"CCE program not solved: {program.message}")
    weights = np.maximum(-program.ineqlin.marginals, 0.0) * spread / gain_unit
    bound = float((target + weights @ gains).min())
    return bound, float(target @ program.x) - bound
