"""Lockstep: what the kernels that advance several runs at once have in common.

Such a kernel does, for each lane and in the same order, what the readable kernel does for one run.
So each run has the same bits. All that it needs lies in rows of lanes (kernels/lanes.py): first
four rows of returns, then a *block* of rows for each step. A block begins with the state; work rows
of the visit at hand follow, then a *slot* of rows for each state, with what was learnt there. So
all that a loop touches lies at constant distances.

Lockstep takes two agents who have the same number of actions everywhere, and few states.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from amg.game.model import Game, Tables
from amg.kernels.lanes import FAST, LANES, Sizes, Words, at, choose, uniforms
from amg.kernels.sums import Floats, two_sum
from amg.learning.episode import EPISODES, Returns
from amg.learning.group import Group
from amg.learning.learner import Learner

EARNED = 0  # recent sums of both agents' returns, then their totals
FIRST = 4  # row of the first block
STATE = 0  # first row of a block
MOST_ACTIONS, MOST_STATES = 5, 5  # all of them are unrolled


class Lockstep(Group):
    """A group whose runs advance at once; their arrays are those of the group, one lane each."""

    rows: Floats  # [rows, LANES]
    returns: Returns

    def __init__(self, learners: Sequence[Learner], block: int) -> None:
        """Stack the runs' arrays; `block` is the number of rows of a block."""
        super().__init__(learners)
        game = learners[0].game
        self.game, self.table = game, joint_table(game, learners[0].tables)
        self.rows = np.zeros((FIRST + game.T * block, LANES))
        certain = game.T <= 2 and game.tables.initial_cdf[0] == 1.0
        self.states: Sizes = (0,) * game.S
        self.first: Sizes = (0,) if certain else self.states  # states before the last step
        self.stack()

    def stack(self) -> None:
        """Join the runs' arrays along a new first axis; the learners keep views of them."""
        for name in self.learners[0].STATE:
            records = [getattr(learner, name) for learner in self.learners]
            kind, fields = type(records[0]), list(zip(*records, strict=True))
            joined = [np.stack(f) if isinstance(f[0], np.ndarray) else f[0] for f in fields]
            setattr(self, name, kind(*joined))
            for w, learner in enumerate(self.learners):
                lane = [x[w] if isinstance(x, np.ndarray) else x for x in joined]
                setattr(learner, name, kind(*lane))

    def advance(self, until: int) -> None:
        lanes, words = len(self.learners), np.zeros((4, LANES), dtype=np.uint64)
        for w, learner in enumerate(self.learners):
            words[:, w] = learner.rng.bit_generator.state["state"]["state"]
        earned = self.rows[EARNED:FIRST, :lanes]
        earned[:] = self.returns.pending.reshape(lanes, -1).T
        self.learn(words.reshape(-1), until)
        self.returns.pending.reshape(lanes, -1)[:] = earned.T
        for w, learner in enumerate(self.learners):
            bits = learner.rng.bit_generator.state
            bits["state"]["state"] = words[:, w].copy()
            learner.rng.bit_generator.state = bits

    @abstractmethod
    def learn(self, words: Words, until: int) -> None:
        """Advance all runs, with these states of their generators."""

    def resume(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        super().resume(arrays)
        self.stack()


def fits(game: Game) -> bool:
    """Return whether lockstep kernels take this game."""
    _, S, N, A, _ = game.reward.shape
    same = bool((game.n_actions[game.exists] == A).all())
    return N == 2 and 2 <= A <= MOST_ACTIONS and S <= MOST_STATES and same


def joint_table(game: Game, tables: Tables) -> Floats:
    """Return both rewards, both raw rewards and S − 1 cumulated probabilities by (t, s, a, b)."""
    T, S, _, A, _ = game.reward.shape
    table = np.zeros((T, S, A, A, 3 + S))
    for t, s, a, b in np.ndindex(T, S, A, A):
        if game.exists[t, s]:
            d, e = tables.effort[t, s, 0, a], tables.effort[t, s, 1, b]
            for i, (action, other) in enumerate(((a, e), (b, d))):
                table[t, s, a, b, i] = tables.reward[t, s, i, action, other]
                table[t, s, a, b, 2 + i] = tables.raw_reward[t, s, i, action, other]
            if t + 1 < T:
                table[t, s, a, b, 4:] = tables.transition_cdf[t, s, d + e, : S - 1]
    return table.reshape(-1)


@njit(**FAST)
def draw_start(Z: Words, X: Floats, cdf: Floats, states: Sizes, m: np.uint64) -> None:
    """Draw the first states, as `episode.draw`."""
    if cdf[0] == 1.0:
        return
    uniforms(Z, X, at(FIRST + STATE), (0,), m)
    for w in range(m):
        u, state = X[w + at(FIRST + STATE)], 0.0
        for s in range(len(states) - 1):
            state += choose(u >= cdf[s], 1.0, 0.0)
        X[w + at(FIRST + STATE)] = state


@njit(**FAST)
def take_outcome(
    X: Floats, w: np.uint64, o: np.uint64, reward: int, after: int, u: int, table: Floats,
    k: np.uint64, ahead: Sizes,
) -> None:  # fmt: skip
    """Take the rewards in entry k of the table, and draw the next state, for lane w.

    The arguments in between are the rows of rewards, of the next state and of its random number.
    """
    for agent in range(2):
        X[o + w + at(reward + agent)] = table[k + np.uint64(agent)]
        X[w + at(EARNED + agent)] += table[k + np.uint64(2 + agent)]
    if len(ahead) > 0:
        state = 0.0
        for s in range(len(ahead) - 1):
            state += choose(X[o + w + at(u)] >= table[k + np.uint64(4 + s)], 1.0, 0.0)
        X[o + w + at(after)] = state


@njit(cache=True)
def record(rows: Floats, returns: Returns, episode: int, j: int) -> int:
    """Do what is due for the returns of all runs after an episode, as `record_episode`.

    Return the number of entries written so far, which was j before.
    """
    last = episode == returns.edge[0, j + 1]
    if not last and episode & (EPISODES - 1) != 0:
        return j
    for w in range(len(returns.used)):
        for i in range(2):
            x, y = EARNED + i, EARNED + 2 + i
            rows[y, w], rows[x, w] = two_sum(rows[y, w], rows[x, w])
            if last:
                length = returns.edge[w, j + 1] - returns.edge[w, j]
                returns.mean[w, j, i] = rows[y, w] / length
                rows[x, w] = rows[y, w] = 0.0
    return j + 1 if last else j
