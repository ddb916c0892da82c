"""The strategic form of a tiny game: pure strategies and the payoffs of every combination.

A pure strategy of agent i maps what i has seen (the states, its own actions, the totals) to its
actions. In reduced form it leaves out what its own choices, or chance, never lead to: it is an
action, and a strategy for the rest of the game after every total d and next state s' that can
follow this action. The rest of a Markov game depends on s' alone, so

    |X_i^t(s)| = Σ_{a_i} Π_{(d, s') after a_i} |X_i^{t+1}(s')|,

    R^t(s)[x_1, …, x_N] = r^t(s, a) + Σ_{s'} p^t(s' | s, d) R^{t+1}(s')[x_1|(d,s'), …, x_N|(d,s')].
"""

from __future__ import annotations

import math
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amg.game.model import Game

Point = tuple[int, int]  # (d, s'), which agents see after a step


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
