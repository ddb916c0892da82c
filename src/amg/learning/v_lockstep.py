"""Algorithm 1 in lockstep: several runs of one game at once, bit for bit as `algorithm1.learn`.

Runs that differ in their seed alone do the same at each step with other numbers. Here they are
lanes (lanes.py says how rows of lanes become vector instructions and what that takes). The order of
operations of each run is that of `learn`, whose line numbers stand here again. Read that first.

The shape of this code has reasons:

* A visit is a few plain loops over lanes, each with little arithmetic, so that each is vectorised.
  Only `look_up` goes lane by lane: tables are indexed by what the lane did.
* For each step X has a *block* of rows, in which all that a loop touches lies at constant
  distances: v_rows.py says what is in it.
* Ends of stages, and sums that must be compensated, are rare and differ by lane. One test a visit
  finds them. Then the lane's slot is written to the arrays of its run, the functions of the
  readable kernel do their work there, and the slot is read again.
* The last step, without values ahead, has its own machine code. So has the first of two steps from
  a certain state, where no state needs to be selected.

It takes two agents who have the same number of actions everywhere, and few states.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import njit

from amg.game.model import Tables
from amg.kernels.lanes import (
    FAST,
    Sizes,
    Words,
    add,
    any_positive,
    at,
    choose,
    padded,
    put,
    read,
    uniforms,
)
from amg.kernels.sums import BLOCK, Floats
from amg.learning.algorithm1 import Memory, Rules, Stages, compensate_stage, new_stage
from amg.learning.cells import Cells, compensate_cell, end_stage
from amg.learning.episode import Returns
from amg.learning.lockstep import STATE, Lockstep, draw_start, record, take_outcome
from amg.learning.tsallis import WIDEST_GAP, centre
from amg.learning.v_rows import (
    ACTION,
    DUE,
    ETA,
    JOINT,
    LENGTH,
    NOW,
    OPEN,
    REWARD,
    ROOT,
    SUMS,
    TOTAL,
    VISITS,
    Q,
    U,
    block_rows,
    cells_of,
    first_row,
    load,
    load_ahead,
    load_slot,
    memory_of,
    save,
    save_slot,
    slot_rows,
    slots,
    stages_of,
)

ROUND = 6755399441055744.0  # (x + ROUND) − ROUND is x, rounded to a whole number


@njit(**FAST)
def act(X: Floats, o: np.uint64, later: float, here: Sizes, actions: Sizes, m: np.uint64) -> None:
    """Count the visit (line 5), draw both agents' actions (line 6); the learning rate (line 9)."""
    A = len(actions)
    for w in range(m):
        i = o + w
        visit_one(X, i, later, here, actions)
        first = act_one(X, i, 0, here, actions)
        second = act_one(X, i, 1, here, actions)
        X[i + at(ACTION)] = first
        X[i + at(ACTION + 1)] = second
        X[i + at(JOINT)] = (X[i + at(STATE)] * A + first) * A + second


@njit(**FAST)
def visit_one(X: Floats, i: np.uint64, later: float, here: Sizes, actions: Sizes) -> None:
    """Count the visit; compute η, and whether a stage or a block of visits ends."""
    F, slot, state = slot_rows(len(actions)), slots(len(actions)), X[i + at(STATE)]
    c = read(X, i, slot + VISITS, state, here, F) + 1.0
    length = read(X, i, slot + LENGTH, state, here, F)
    add(X, i, slot + VISITS, 1.0, state, here, F)
    X[i + at(ETA)] = 2.0 * math.sqrt(1.0 / (c + later))
    block = c * (1.0 / BLOCK)
    whole_block = choose((block + ROUND) - ROUND == block, 1.0, 0.0)
    X[i + at(DUE)] = choose(c == length, 1.0, whole_block)


@njit(**FAST)
def act_one(X: Floats, i: np.uint64, agent: int, here: Sizes, actions: Sizes) -> float:
    """Draw an agent's action, as `episode.draw_action`; note its policy."""
    A, F = len(actions), slot_rows(len(actions))
    u, action, policy = X[i + at(U + agent)], 0.0, slots(A) + Q + 2 * A + A * agent
    for a in range(A):
        p = read(X, i, policy + a, X[i + at(STATE)], here, F)
        X[i + at(NOW + A * agent + a)] = p
        u -= p
        action += choose(u < 0.0, 0.0, 1.0) if a + 1 < A else 0.0
    return action


@njit(**FAST)
def add_products(X: Floats, o: np.uint64, here: Sizes, actions: Sizes, m: np.uint64) -> None:
    """Add the products of both policies to those of the open cell."""
    A, F = len(actions), slot_rows(len(actions))
    for w in range(m):
        i = o + w
        for a in range(A):
            for b in range(A):
                x = X[i + at(NOW + a)] * X[i + at(NOW + A + b)]
                row = slots(A) + Q + 4 * A + A * a + b
                add(X, i, row, x, X[i + at(STATE)], here, F)


@njit(**FAST)
def look_up(
    X: Floats, o: np.uint64, table: Floats, t: int, states: Sizes, ahead: Sizes, actions: Sizes,
    lanes: int,
) -> None:  # fmt: skip
    """Count the joint action, take its rewards and draw the next state (lines 6 and 7)."""
    S, A = len(states), len(actions)
    joints, F = np.uint64(A * A), at(slot_rows(A))
    for w in range(np.uint64(lanes)):
        i = o + w
        joint = np.uint64(np.int64(X[i + at(JOINT)]))
        count = i + at(slots(A) + Q + 4 * A + A * A)
        X[count + joint // joints * F + joint % joints * at(1)] += 1.0
        k = (np.uint64(t * S) * joints + joint) * np.uint64(3 + S)
        take_outcome(X, w, o, REWARD, block_rows(S, A) + STATE, U + 2, table, k, ahead)


@njit(**FAST)
def estimate(
    X: Floats, o: np.uint64, left: float, per_step: float, here: Sizes, states: Sizes,
    ahead: Sizes, actions: Sizes, m: np.uint64,
) -> None:  # fmt: skip
    """Add to r̃ and ṽ (line 8), and the loss, divided by π, to Q̂ of the action taken (line 10)."""
    for w in range(m):
        i = o + w
        v = add_one(X, i, 0, here, states, ahead, actions)
        loss = (left - (X[i + at(REWARD)] + v)) * per_step
        estimate_one(X, i, 0, loss, here, actions)
        v = add_one(X, i, 1, here, states, ahead, actions)
        loss = (left - (X[i + at(REWARD + 1)] + v)) * per_step
        estimate_one(X, i, 1, loss, here, actions)


@njit(**FAST)
def add_one(
    X: Floats, i: np.uint64, agent: int, here: Sizes, states: Sizes, ahead: Sizes, actions: Sizes
) -> float:
    """Add to the sums of an agent; return V̄ of the next state."""
    S, A, F, state = len(states), len(actions), slot_rows(len(actions)), X[i + at(STATE)]
    sums, values = slots(A) + SUMS + 3 * agent, slots(A) + S * F + agent
    add(X, i, sums, X[i + at(REWARD + agent)], state, here, F)
    if len(ahead) == 0:
        return 0.0
    after = X[i + at(block_rows(S, A) + STATE)]
    v, low = read(X, i, values, after, ahead, 2), read(X, i, values + 2 * S, after, ahead, 2)
    add(X, i, sums + 1, v, state, here, F)
    add(X, i, sums + 2, low, state, here, F)
    return v


@njit(**FAST)
def estimate_one(
    X: Floats, i: np.uint64, agent: int, loss: float, here: Sizes, actions: Sizes
) -> None:
    """Add to Q̂ of an agent."""
    A, F, state = len(actions), slot_rows(len(actions)), X[i + at(STATE)]
    action, now = X[i + at(ACTION + agent)], NOW + A * agent
    p = X[i + at(now)]
    for a in range(1, A):
        p = choose(action == float(a), X[i + at(now + a)], p)
    term = loss / p
    for a in range(A):
        x, row = choose(action == float(a), term, 0.0), slots(A) + Q + A * agent + a
        X[i + at(now + 2 * A + a)] = read(X, i, row, state, here, F) + x
        add(X, i, row, x, state, here, F)


@njit(**FAST)
def decide(X: Floats, o: np.uint64, m: np.uint64) -> None:
    """Compute both policies of two actions (line 11)."""
    for w in range(m):
        decide_one(X, o + w, 0)
        decide_one(X, o + w, 1)


@njit(**FAST)
def decide_one(X: Floats, i: np.uint64, agent: int) -> None:
    """Compute an agent's policy of two actions, as `tsallis.two_actions`."""
    now = NOW + 2 * agent
    gap = X[i + at(now + 5)] - X[i + at(now + 4)]
    u = min(0.5 * X[i + at(ETA)] * abs(gap), WIDEST_GAP)
    p = 1.0 + math.sqrt(1.0 + u * u)
    far = math.sqrt(p + 0.25 * u * u) + 0.5 * u
    worse = 1.0 / (far * far)
    better = 1.0 - worse
    # with equal Q̂, `learn` gives the action not taken the lower number
    first = (gap < 0.0) | ((gap == 0.0) & (X[i + at(ACTION + agent)] > 0.5))
    X[i + at(now)] = choose(first, worse, better)
    X[i + at(now + 1)] = choose(first, better, worse)


@njit(**FAST)
def iterate(
    X: Floats, o: np.uint64, agent: Sizes, actions: Sizes, lanes: int, m: np.uint64
) -> None:
    """Compute an agent's policy of any number of actions, as `tsallis.newton` (line 11).

    A lane that has converged stays where it is and computes the same again.
    """
    A = len(actions)
    policy = NOW + A * len(agent)
    gap = policy + 2 * A
    for w in range(m):
        i = o + w
        best = X[i + at(gap)]
        for a in range(1, A):
            best = min(best, X[i + at(gap + a)])
        for a in range(A):
            X[i + at(gap + a)] = min(0.5 * X[i + at(ETA)] * (X[i + at(gap + a)] - best), WIDEST_GAP)
        X[i + at(ROOT)] = 1.0
    for _ in range(100):
        for w in range(m):
            i = o + w
            y, total, slope = X[i + at(ROOT)], 0.0, 0.0
            for a in range(A):
                root = 1.0 / (y + X[i + at(gap + a)])
                X[i + at(policy + a)] = root * root
                total += root * root
                slope += root * root * root
            step = 0.5 * (total - 1.0) / slope
            X[i + at(OPEN)] = choose(step <= 4e-16 * y, 0.0, 1.0)
            X[i + at(ROOT)] = y + choose(step <= 4e-16 * y, 0.0, step)
            X[i + at(TOTAL)] = total
        if not any_positive(X, o + at(OPEN), np.uint64(lanes)):
            break
    for w in range(m):
        for a in range(A):
            X[o + w + at(policy + a)] /= X[o + w + at(TOTAL)]


@njit(**FAST)
def keep_policies(X: Floats, o: np.uint64, here: Sizes, actions: Sizes, m: np.uint64) -> None:
    """Write the new policies to the slot of the state."""
    A, F = len(actions), slot_rows(len(actions))
    for w in range(m):
        i = o + w
        for j in range(2 * A):
            row = slots(A) + Q + 2 * A + j
            put(X, i, row, X[i + at(NOW + j)], X[i + at(STATE)], here, F)


@njit(**FAST)
def step(
    X: Floats, table: Floats, t: int, T: int, later: float, here: Sizes, states: Sizes,
    ahead: Sizes, actions: Sizes, certify: bool, lanes: int, m: np.uint64,
) -> None:  # fmt: skip
    """One visit of each lane (lines 5–11)."""
    o = at(first_row(t, len(states), len(actions)))
    act(X, o, later, here, actions, m)
    if certify:
        add_products(X, o, here, actions, m)
    look_up(X, o, table, t, states, ahead, actions, lanes)
    estimate(X, o, float(T - t), 1.0 / T, here, states, ahead, actions, m)
    if len(actions) == 2:
        decide(X, o, m)
    else:
        iterate(X, o, (), actions, lanes, m)
        iterate(X, o, (0,), actions, lanes, m)
    keep_policies(X, o, here, actions, m)


@njit(cache=True)
def learn_together(
    game: Tables, table: Floats, rules: Rules, memory: Memory, stages: Stages, cells: Cells,
    returns: Returns, Z: Words, rows: Floats, until: int, certify: bool, first: Sizes,
    states: Sizes, actions: Sizes,
) -> None:  # fmt: skip
    """Play and learn up to `until`, or until a record is full; arrays have a lane axis first.

    `first` is as long as there are states before the last step: 1 if there is no other.
    """
    lanes, T, S, A = len(memory.episode), memory.stage.shape[1], len(states), len(actions)
    X, m, ended, two, three = rows.reshape(-1), padded(lanes), True, (0, 0), (0, 0, 0)
    load(rows, game, memory, cells)
    later = float(rules.later)
    episode, j = memory.episode[0, 0], returns.used[0, 0]
    while episode < until and not (ended and full(memory, stages, cells)):  # line 2
        ended = False
        draw_start(Z, X, game.initial_cdf, states, m)  # line 3
        for t in range(T):  # line 4
            o = at(first_row(t, S, A))
            if t + 1 < T:
                uniforms(Z, X, o + at(U), three, m)
                step(X, table, t, T, later, first, states, states, actions, certify, lanes, m)
            else:
                uniforms(Z, X, o + at(U), two, m)
                step(X, table, t, T, later, states, states, (), actions, certify, lanes, m)
            if any_positive(X, o + at(DUE), np.uint64(lanes)):
                ended = True
                end(rows, game, rules, memory, stages, cells, t, S, A, episode + 1, certify)
        episode += 1
        j = record(rows, returns, episode, j)
    save(rows, game, memory, cells)
    memory.episode[:] = episode
    returns.used[:] = j


@njit
def full(memory: Memory, stages: Stages, cells: Cells) -> bool:
    """Return whether a record may have no room for another episode."""
    T, S = memory.stage.shape[1:]
    for w in range(len(memory.episode)):
        if stages.used[w, 0] + T > stages.key.shape[1]:
            return True
        if cells.used[w, 0] + T * (S + 1) > cells.key.shape[1]:
            return True
    return False


@njit
def end(
    rows: Floats, game: Tables, rules: Rules, memories: Memory, stageses: Stages,
    cellses: Cells, t: int, S: int, A: int, episode: int, certify: bool,
) -> None:  # fmt: skip
    """Do what is due after a visit, for each lane that it is due for (lines 12–19)."""
    first, before = first_row(t, S, A), first_row(t - 1, S, A)
    for w in range(len(memories.episode)):
        if rows[first + DUE, w] == 0.0:
            continue
        s = int(rows[first + STATE, w])
        memory, cells = memory_of(memories, w), cells_of(cellses, w)
        save_slot(rows, game, memory, cells, first, t, s, w)
        c = memory.visits[t, s]
        if c & (BLOCK - 1) == 0:
            compensate_stage(memory, t, s)
            for i in range(2):
                centre(memory.q_hat, t, s, i, A)
            if certify:
                compensate_cell(cells, game, t, s)
        if c == memory.length[t, s]:
            for x in range(game.n_states[t - 1] if t > 0 else 0):
                save_slot(rows, game, memory, cells, before, t - 1, x, w)
            new_stage(game, rules, memory, stages_of(stageses, w), t, s, episode)
            if certify:
                end_stage(cells, game, memory.stage, memory.visits, t, s, c)
            for x in range(game.n_states[t - 1] if t > 0 else 0):
                load_slot(rows, game, memory, cells, before, t - 1, x, w)
            if t > 0:
                load_ahead(rows, memory, before, t, S, A, w)
        load_slot(rows, game, memory, cells, first, t, s, w)


class VLockstep(Lockstep):
    """Algorithm 1 on several runs at once."""

    learners: list[Any]  # VLearner, which imports this module
    memory: Memory
    stages: Stages
    cells: Cells

    def __init__(self, learners: Sequence[Any]) -> None:
        game = learners[0].game
        super().__init__(learners, block_rows(game.S, game.A_max))

    def learn(self, words: Words, until: int) -> None:
        one, actions = self.learners[0], (0,) * self.game.A_max
        while self.done < until:
            learn_together(
                one.tables, self.table, one.rules, self.memory, self.stages, self.cells,
                self.returns, words, self.rows, until, one.certify, self.first, self.states,
                actions,
            )  # fmt: skip
            if one.make_room(self.learners):
                self.stack()
