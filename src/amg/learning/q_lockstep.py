"""Q-learning in lockstep: several runs of one game at once, bit for bit as `q_learning.learn`.

Read that first, then lockstep.py. A visit is a few plain loops over lanes, one for each learner
and part: short loops are vectorised best. Only `look_up` goes lane by lane.

A slot holds Q of each option of each learner, then their rounding errors, then their visits.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import njit

from amg.game.model import Tables
from amg.kernels.lanes import FAST, LANES, Sizes, Words, at, choose, padded, read, uniforms
from amg.kernels.sums import Floats, two_sum
from amg.learning.episode import Returns
from amg.learning.lockstep import FIRST, STATE, Lockstep, draw_start, record, take_outcome
from amg.learning.q_learning import Memory, Rules, exploration

JOINT, U, OPTION, REWARD, SLOTS = 1, 2, 7, 9, 11  # work rows of a block; from SLOTS on the slots
LEARNT = ("q", "rest", "visits")


@njit(**FAST)
def block_rows(S: int, L: int, O: int) -> int:
    """Return the number of rows of a block."""
    return SLOTS + S * 3 * L * O


@njit(**FAST)
def choose_option(
    X: Floats, o: np.uint64, l: int, epsilon: float, here: Sizes, learners: Sizes, options: Sizes,
    m: np.uint64,
) -> None:  # fmt: skip
    """Draw an option of learner l: one of all when exploring, else one of those of highest Q.

    Number j of n (from 0) is the first up to which more than j count. So its index is the number of
    options up to which at most j count.
    """
    O, F, row = len(options), 3 * len(learners) * len(options), SLOTS + l * len(options)
    for w in range(m):
        i = o + w
        state, explore = X[i + at(STATE)], X[i + at(U + 2 * l)] < epsilon
        top = highest(X, i, row, state, here, F, options)
        n = 0.0
        for a in range(O):
            n += choose(explore | (read(X, i, row + a, state, here, F) == top), 1.0, 0.0)
        j, count, option = X[i + at(U + 2 * l + 1)] * n, 0.0, 0.0
        for a in range(O - 1):
            count += choose(explore | (read(X, i, row + a, state, here, F) == top), 1.0, 0.0)
            option += choose(count <= j, 1.0, 0.0)
        X[i + at(OPTION + l)] = option
        X[i + at(JOINT)] = (X[i + at(JOINT)] if l > 0 else state) * O + option


@njit(**FAST)
def highest(
    X: Floats, i: np.uint64, row: int, state: float, states: Sizes, F: int, options: Sizes
) -> float:
    """Return the highest Q of a learner, whose first one is in this row, at a state."""
    top = read(X, i, row, state, states, F)
    for a in range(1, len(options)):
        q = read(X, i, row + a, state, states, F)
        top = choose(q > top, q, top)
    return top


@njit(**FAST)
def look_up(
    X: Floats, o: np.uint64, table: Floats, t: int, states: Sizes, ahead: Sizes, learners: Sizes,
    options: Sizes, lanes: int,
) -> None:  # fmt: skip
    """Take the rewards and draw the next state."""
    S, L, O = len(states), len(learners), len(options)
    joints, after = O * O if L == 2 else O, block_rows(S, L, O) + STATE
    for w in range(np.uint64(lanes)):
        k = np.uint64(t * S * joints + np.int64(X[o + w + at(JOINT)])) * np.uint64(3 + S)
        take_outcome(X, w, o, REWARD, after, U + 2 * L, table, k, ahead)
        if L == 1:
            X[o + w + at(REWARD)] += X[o + w + at(REWARD + 1)]


@njit(**FAST)
def update(
    X: Floats, o: np.uint64, l: int, rules: Rules, here: Sizes, states: Sizes, ahead: Sizes,
    learners: Sizes, options: Sizes, m: np.uint64,
) -> None:  # fmt: skip
    """Update Q of the option that learner l took."""
    L, O = len(learners), len(options)
    H, B, F, row = float(rules.H), block_rows(len(states), L, O), 3 * L * O, SLOTS + l * O
    for w in range(m):
        i = o + w
        v = 0.0
        if len(ahead) > 0:
            v = highest(X, i, B + row, X[i + at(B + STATE)], ahead, F, options)
        q = taken(X, i, l, row, here, F, options)
        rest = taken(X, i, l, row + L * O, here, F, options)
        n = taken(X, i, l, row + 2 * L * O, here, F, options) + 1.0
        alpha = choose(rules.decaying, (H + 1.0) / (H + n), rules.rate)
        q, rest = two_sum(q, alpha * (X[i + at(REWARD + l)] + v - q) + rest)
        keep(X, i, l, q, rest, here, F, options)


@njit(**FAST)
def taken(X: Floats, i: np.uint64, l: int, row: int, here: Sizes, F: int, options: Sizes) -> float:
    """Return the value, of those from this row on, at the state and option of learner l."""
    state, option = X[i + at(STATE)], X[i + at(OPTION + l)]
    x = read(X, i, row, state, here, F)
    for a in range(1, len(options)):
        x = choose(option == float(a), read(X, i, row + a, state, here, F), x)
    return x


@njit(**FAST)
def keep(
    X: Floats, i: np.uint64, l: int, q: float, rest: float, here: Sizes, F: int, options: Sizes
) -> None:
    """Write Q of the option that learner l took, and its rounding error; count the visit.

    Storing a choice would be slow on AMD.
    """
    O, next_kind = len(options), at(F // 3)
    state, option = X[i + at(STATE)], X[i + at(OPTION + l)]
    for a in range(O):
        for s in range(len(here)):
            hit = choose((option == float(a)) & (state == float(s)), 1.0, 0.0)
            place = i + at(SLOTS + l * O + a + s * F)
            X[place] = X[place] * (1.0 - hit) + q * hit
            place += next_kind
            X[place] = X[place] * (1.0 - hit) + rest * hit
            X[place + next_kind] += hit


@njit(**FAST)
def step(
    X: Floats, table: Floats, t: int, epsilon: float, rules: Rules, here: Sizes, states: Sizes,
    ahead: Sizes, learners: Sizes, options: Sizes, lanes: int, m: np.uint64,
) -> None:  # fmt: skip
    """One visit of each lane."""
    o = at(FIRST + t * block_rows(len(states), len(learners), len(options)))
    choose_option(X, o, 0, epsilon, here, learners, options, m)
    if len(learners) == 2:
        choose_option(X, o, 1, epsilon, here, learners, options, m)
    look_up(X, o, table, t, states, ahead, learners, options, lanes)
    update(X, o, 0, rules, here, states, ahead, learners, options, m)
    if len(learners) == 2:
        update(X, o, 1, rules, here, states, ahead, learners, options, m)


@njit(cache=True)
def learn_together(
    game: Tables, table: Floats, rules: Rules, memory: Memory, returns: Returns, Z: Words,
    rows: Floats, until: int, first: Sizes, states: Sizes, learners: Sizes, options: Sizes,
) -> None:  # fmt: skip
    """Play and learn all episodes up to `until`; arrays have a lane axis first.

    `first` is as long as there are states before the last step: 1 if there is no other.
    """
    lanes, T = len(memory.episode), memory.q.shape[1]
    X, m, draws = rows.reshape(-1), padded(lanes), learners + learners
    B = block_rows(len(states), len(learners), len(options))
    episode, j = memory.episode[0, 0], returns.used[0, 0]
    while episode < until:
        epsilon = exploration(rules, episode)
        draw_start(Z, X, game.initial_cdf, states, m)
        for t in range(T):
            o = at(FIRST + t * B + U)
            if t + 1 < T:
                uniforms(Z, X, o, (*draws, 0), m)
                step(X, table, t, epsilon, rules, first, states, states, learners, options,
                     lanes, m)  # fmt: skip
            else:
                uniforms(Z, X, o, draws, m)
                step(X, table, t, epsilon, rules, states, states, (), learners, options,
                     lanes, m)  # fmt: skip
        episode += 1
        j = record(rows, returns, episode, j)
    memory.episode[:] = episode
    returns.used[:] = j


class QLockstep(Lockstep):
    """Q-learning on several runs at once."""

    learners: list[Any]  # QLearner, which imports this module
    memory: Memory

    def __init__(self, learners: Sequence[Any]) -> None:
        self.T, self.S, self.L, self.O = learners[0].memory.q.shape
        super().__init__(learners, block_rows(self.S, self.L, self.O))

    def learn(self, words: Words, until: int) -> None:
        slots = self.slots()
        for j, name in enumerate(LEARNT):
            slots[:, :, j] = np.moveaxis(getattr(self.memory, name), 0, -1)
        learn_together(
            self.game.tables, self.table, self.learners[0].rules, self.memory, self.returns,
            words, self.rows, until, self.first, self.states, (0,) * self.L, (0,) * self.O,
        )  # fmt: skip
        for j, name in enumerate(LEARNT):
            np.moveaxis(getattr(self.memory, name), 0, -1)[:] = slots[:, :, j]

    def slots(self) -> Floats:
        """Return the slots of these runs, [T, S, 3, L, O, runs]."""
        blocks = self.rows[FIRST:].reshape(self.T, -1, LANES)[:, SLOTS:]
        shape = (self.T, self.S, len(LEARNT), self.L, self.O, LANES)
        return blocks.reshape(shape)[..., : len(self.learners)]
