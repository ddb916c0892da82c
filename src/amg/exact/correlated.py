"""The range of payoffs over all coarse correlated equilibria (CCE) of a tiny game.

A pure strategy of agent i maps what i has seen (the states, its own actions, the totals) to its
actions. In reduced form it leaves out what its own choices, or chance, never lead to: it is an
action, and a strategy for the rest of the game after every total d and next state s' that can
follow this action. The rest of a Markov game depends on s' alone, so

    |X_i^t(s)| = Σ_{a_i} Π_{(d, s') after a_i} |X_i^{t+1}(s')|,

    R^t(s)[x_1, …, x_N] = r^t(s, a) + Σ_{s'} p^t(s' | s, d) R^{t+1}(s')[x_1|(d,s'), …, x_N|(d,s')].

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

Agents see states, their own actions and totals. For two agents that is everything. With more
agents, a policy that saw who did what could aim its threats better, so the range over such policies
may be wider. As in the paper, a CCE must be one from every initial state. Each initial state has
its own programs, and the ranges are averaged over the initial distribution.
"""

import math
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from amg.game.model import Game
from amg.kernels.sums import times

Point = tuple[int, int]  # (d, s'), which agents see after a step
BUDGET = 10_000  # default limit of joint pure strategies per initial state: about ten seconds


class Branch(NamedTuple):
    """The strategies of one agent at one (t, s) that begin with one action."""

    block: slice  # their positions among all strategies of the agent at (t, s)
    rest: dict[Point, NDArray[np.int64]]  # which strategy each of them goes on with


class StrategicForm:
    """Pure strategies and payoffs of a game from any (t, s) on, built on demand."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.count = cache(self._count)
        self.branches = cache(self._branches)
        self.payoffs = cache(self._payoffs)

    def _count(self, t: int, s: int, i: int) -> float:
        """Return |X_i^t(s)|, a float because it may be astronomical: then it is infinite."""
        actions = range(int(self.game.n_actions[t, s, i]))
        rests = ([self.count(t + 1, k, i) for _, k in self._after(t, s, i, a)] for a in actions)
        return sum(math.prod(rest, start=1.0) for rest in rests)

    def _after(self, t: int, s: int, i: int, a: int) -> list[Point]:
        """Return the (d, s') that can follow agent i's action a at (t, s)."""
        if t + 1 == self.game.T:
            return []
        totals = np.flatnonzero(self.game.reachable[0][t, s, i]) + self.game.effort[t, s, i, a]
        return [
            (d, following)
            for d in totals.tolist()
            for following in np.flatnonzero(self.game.transition[t, s, d]).tolist()
        ]

    def _branches(self, t: int, s: int, i: int) -> list[Branch]:
        """Return agent i's pure strategies at (t, s), by their first action."""
        branches, start = [], 0
        for a in range(int(self.game.n_actions[t, s, i])):
            points = self._after(t, s, i, a)
            sizes = [self.branches(t + 1, point[1], i)[-1].block.stop for point in points]
            stop = start + math.prod(sizes)
            rest = np.indices(sizes).reshape(len(sizes), stop - start)
            branches.append(Branch(slice(start, stop), dict(zip(points, rest, strict=True))))
            start = stop
        return branches

    def _payoffs(self, t: int, s: int) -> NDArray[np.float64]:
        """Return R^t(s) as [N, |X_1|, …, |X_N|]."""
        game = self.game
        branches = [self.branches(t, s, i) for i in range(game.N)]
        payoffs = np.zeros((game.N, *(own[-1].block.stop for own in branches)))
        for actions in product(*(range(len(own)) for own in branches)):
            chosen = [own[a] for own, a in zip(branches, actions, strict=True)]
            effort = game.effort[t, s, range(game.N), actions]
            d = int(effort.sum())
            block = payoffs[(slice(None), *(branch.block for branch in chosen))]
            reward = game.reward[t, s, range(game.N), actions, d - effort]
            block += reward.reshape(game.N, *[1] * game.N)
            for following in np.flatnonzero(game.transition[t, s, d]).tolist():
                rest = np.ix_(*(branch.rest[d, following] for branch in chosen))
                for i, later in enumerate(self.payoffs(t + 1, following)):
                    block[i] += game.transition[t, s, d, following] * later[rest]
        return payoffs


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
    bound = float((target + times(weights, gains)).min())
    return bound, float(times(target, program.x)) - bound
