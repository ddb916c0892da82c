"""The range of what coarse correlated equilibria pay, over all of them.

A correlated policy is a distribution q over joint pure strategies x, and it is a CCE if no agent
gains by playing one fixed pure strategy y_i instead, chosen without sight of the draw:

    Σ_x q(x) (R_i(y_i, x_-i) − R_i(x)) ≤ 0   for every i and every y_i.

The CCE are a polytope; minimising and maximising each agent's payoff, and their average, over it
is one linear program each, over as many variables as there are joint strategies: for tiny games.

The bounds are certified, not merely what a solver says at its tolerance. For any weights y ≥ 0 on
the constraints G q ≤ 0, weak duality gives c·q ≥ min_x (c + Gᵀy)_x for every CCE q; the solver
only proposes y. So the range reported contains what every CCE pays up to rounding (~1e-14
relative), and `slack` says how much too wide it may be at most, save for the feasibility tolerance
(1e-10 of the payoffs' spread) of the extreme points that it is measured by.

Agents see states, their own actions and totals (see `strategic_form`). For two agents that is
everything; among more, a policy that saw who did what could aim its threats better, so that the
range over such policies may be wider.

As in the paper, a CCE is one from every initial state; with several of them, each has its own
program, and the ranges are averaged over the initial distribution.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from amg.game import Game
from amg.references.strategic_form import StrategicForm

BUDGET = 10_000
"""Joint pure strategies per initial state that cce_range takes on by default: ten seconds or so."""


@dataclass(frozen=True)
class CceRange:
    """The lowest and the highest that a coarse correlated equilibrium pays, from the start."""

    low: NDArray[np.float64]  # [N] each agent's own lowest; not all in one equilibrium
    high: NDArray[np.float64]  # [N]
    average_low: float  # lowest average over agents: at least the mean of `low`
    average_high: float
    slack: float  # how far a bound may lie outside of the exact range
    joint_strategies: int  # in the largest program

    @property
    def width(self) -> float:
        """The most that what an agent gets in a CCE can vary; about 0: every CCE pays the same."""
        return float((self.high - self.low).max())


def cce_range(game: Game, budget: int = BUDGET) -> CceRange | None:
    """The range of payoffs over all CCE, or None above `budget` joint pure strategies.

    Time grows about as the budget squared. The Fishermen Game of the paper has 576.
    """
    form = StrategicForm(game)
    starts = np.flatnonzero(game.initial).tolist()
    size = max(form.size(s, budget) for s in starts)
    if size > budget:
        return None
    low, high, slack = np.zeros(game.N + 1), np.zeros(game.N + 1), 0.0
    for s in starts:
        payoffs = form.payoffs(0, s)
        gains = deviation_gains(payoffs)
        each = payoffs.reshape(game.N, -1)
        for k, target in enumerate([*each, each.mean(axis=0)]):
            below, loose = _minimum(target, gains)
            above, lax = _minimum(-target, gains)
            low[k] += game.initial[s] * below
            high[k] -= game.initial[s] * above
            slack = max(slack, loose, lax)
    return CceRange(
        low=low[:-1],
        high=high[:-1],
        average_low=float(low[-1]),
        average_high=float(high[-1]),
        slack=slack,
        joint_strategies=size,
    )


def deviation_gains(payoffs: NDArray[np.float64]) -> NDArray[np.float64]:
    """R_i(y_i, x_-i) − R_i(x): a row for every (i, y_i), a column for every x."""
    rows = []
    for i, payoff in enumerate(payoffs):
        own_first = np.moveaxis(payoff, i, 0)
        gain = own_first[:, None] - own_first[None]  # [y_i, x_i, x_-i]
        rows.append(np.moveaxis(gain, 1, i + 1).reshape(payoff.shape[i], -1))
    return np.concatenate(rows)


def _minimum(target: NDArray[np.float64], gains: NDArray[np.float64]) -> tuple[float, float]:
    """A certified lower bound of target·q over CCE q, and how far the solver's own q is above."""
    spread = float(np.ptp(target)) or 1.0
    gain_unit = float(np.abs(gains).max()) or 1.0
    program = linprog(
        c=(target - target.min()) / spread,
        A_ub=gains / gain_unit,
        b_ub=np.zeros(len(gains)),
        A_eq=np.ones((1, target.size)),
        b_eq=[1.0],
        bounds=(0, None),
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if not program.success:
        raise ArithmeticError(f"CCE program not solved: {program.message}")
    weights = np.maximum(-program.ineqlin.marginals, 0.0) * spread / gain_unit
    bound = float((target + weights @ gains).min())
    return bound, float(target @ program.x) - bound
