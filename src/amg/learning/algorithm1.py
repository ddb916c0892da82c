"""Algorithm 1: adaptive stage-based V-learning with Tsallis-INF, all agents in one loop.

Every line of the paper's Algorithm 1 stands here in order, with its number: the start in
`new_memory` (line 1), the episodes in `learn` (lines 2–12), the end of a stage in `new_stage`
(lines 13–19). Agents share only what is public: the state and the aggregate, and so visit counts
and stage boundaries. All that is indexed by i is agent i's own, from its action and reward.

`learn` may be called for any number of episodes at a time: many calls change the arrays, bit for
bit, as one call does.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.random import Generator

from amg.game.model import Game, Tables
from amg.kernels.sums import BLOCK, Floats, Ints, two_sum
from amg.learning.cells import Cells, add_visit, compensate_cell, end_stage
from amg.learning.episode import Returns, draw, draw_action, record_episode
from amg.learning.exponential import exponential_bandit, exponential_rate
from amg.learning.fluctuation import fluctuation_coefficient
from amg.learning.tsallis import centre, newton, two_actions

INDEX = 0x7FFF_FFFF_FFFF_FFFF  # x & INDEX is x, but known not to be negative: no wrap-around code


class Rules(NamedTuple):
    """The parameters of Algorithm 1, in the form that the kernel takes."""

    kind: int  # fluctuation coefficient: FIXED, CV or MAD
    lambda_min: float
    limit: float  # CV_max or MAD_max
    reverse: bool  # direction of λ
    real_length: bool  # keep L̃ real and round its use, instead of ⌊ ⌋ at each update
    closed_form: bool  # for two actions, instead of Newton
    bonus: Floats  # [T, S, N]: b_c̃ = bonus / √c̃
    distinct: bool  # D of line 7 is a set
    later: int  # η = 2/√(c̃ + later): 0 as printed, 1 for the next visit
    exponential: bool  # exponential weights in lines 9–11 instead of Tsallis-INF


class Memory(NamedTuple):
    """What the agents remember. Stages, visits, lengths and histograms are common knowledge."""

    episode: Ints  # [1] episodes done
    stage: Ints  # [T, S] m: stages completed
    visits: Ints  # [T, S] c̃: visits in the stage under way
    length: Ints  # [T, S] L̃, as used
    real_length: Floats  # [T, S] L̃, before rounding
    histogram: Ints  # [T, S, D] how often each aggregate came in this stage
    sums: Floats  # [T, S, N, 3] r̃, ṽ, and ṽ of V̲: recent sums (sums.py)
    totals: Floats  # [T, S, N, 3] their totals
    v_bar: Floats  # [T + 1, S, N]
    v_low: Floats  # [T + 1, S, N] V̲, the lower companion of V̄ in the proof
    q_hat: Floats  # [T, S, N, A]
    policy: Floats  # [T, S, N, A]
    path: Ints  # [T, 1 + N] state and actions of the last episode


class Stages(NamedTuple):
    """The history of stages: one row each, written as it ends."""

    used: Ints  # [1]
    key: Ints  # [rows, 4] step, state, episode of the boundary (from 1), length
    coefficient: Floats  # [rows] λ
    v_bar: Floats  # [rows, N] as set by this stage
    v_low: Floats  # [rows, N]


def new_memory(game: Game) -> Memory:
    """Return the memory before the first episode (line 1)."""
    T, S, N, A, D = game.reward.shape
    steps_left = np.arange(T, -1, -1.0)[:, None, None]  # T − t + 1 for t = 1 … T + 1
    return Memory(
        episode=np.zeros(1, dtype=np.int64),
        stage=np.zeros((T, S), dtype=np.int64),
        visits=np.zeros((T, S), dtype=np.int64),
        length=np.full((T, S), T, dtype=np.int64),
        real_length=np.full((T, S), float(T)),
        histogram=np.zeros((T, S, D), dtype=np.int64),
        sums=np.zeros((T, S, N, 3)),
        totals=np.zeros((T, S, N, 3)),
        v_bar=np.broadcast_to(steps_left, (T + 1, S, N)).copy(),
        v_low=np.zeros((T + 1, S, N)),
        q_hat=np.zeros((T, S, N, A)),
        policy=game.uniform_policy(),
        path=np.zeros((T, 1 + N), dtype=np.int64),
    )


def compile_learn(pair: bool) -> Callable[..., None]:
    """Return the kernel; `pair` makes sizes constant, for two agents with two actions each."""

    @njit(cache=True)
    def learn(
        game: Tables,
        rules: Rules,
        memory: Memory,
        stages: Stages,
        cells: Cells,
        returns: Returns,
        rng: Generator,
        until: int,
        certify: bool,
    ) -> None:
        """Play and learn up to `until`, or until a record is full: then the caller makes room."""
        T, S = memory.stage.shape
        N, per_step = 2 if pair else game.reward.shape[2], 1.0 / T
        v_bar, v_low, q_hat, policy = memory.v_bar, memory.v_low, memory.q_hat, memory.policy
        sums, path = memory.sums, memory.path
        for k in range(memory.episode[0], until):  # line 2
            if stages.used[0] + T > len(stages.key) or cells.used[0] + T * (S + 1) > len(cells.key):
                return
            s = draw(rng, game.initial_cdf) & INDEX  # line 3
            for t in range(T):  # line 4
                c = memory.visits[t, s] + 1  # line 5
                memory.visits[t, s] = c
                path[t, 0] = s  # line 6
                total = 0
                for i in range(N):
                    n = 2 if pair else game.n_actions[t, s, i]
                    a = draw_action(rng, policy, t, s, i, n) & INDEX
                    path[t, 1 + i] = a
                    total += game.effort[t, s, i, a]
                total &= INDEX
                after = 0
                if t + 1 < T:
                    u = rng.random()
                    while u >= game.transition_cdf[t, s, total, after]:
                        after += 1
                if certify:  # not in the paper: what makes the certified policy evaluable
                    if pair:
                        for a in range(2):
                            for b in range(2):
                                cells.pair[t, s, a, b] += policy[t, s, 0, a] * policy[t, s, 1, b]
                    else:
                        add_visit(cells, game, policy, t, s, c)
                memory.histogram[t, s, total] += 1  # line 7
                eta = 2.0 * math.sqrt(1.0 / (c + rules.later))  # line 9
                for i in range(N):
                    a = path[t, 1 + i] & INDEX
                    others = (total - game.effort[t, s, i, a]) & INDEX
                    r = game.reward[t, s, i, a, others]
                    v = v_bar[t + 1, after, i]
                    returns.pending[0, i] += game.raw_reward[t, s, i, a, others]
                    sums[t, s, i, 0] += r  # line 8
                    sums[t, s, i, 1] += v
                    sums[t, s, i, 2] += v_low[t + 1, after, i]
                    loss = (T - t - (r + v)) * per_step  # line 10
                    n = 2 if pair else game.n_actions[t, s, i]
                    if rules.exponential and not pair:  # not in the paper: an earlier bandit
                        eta = exponential_rate(n, c)
                        exponential_bandit(q_hat, loss, eta, policy, t, s, i, a, n)
                        continue
                    q = q_hat[t, s, i, a] + loss / policy[t, s, i, a]
                    q_hat[t, s, i, a] = q
                    if n == 2 and (pair or rules.closed_form):  # line 11
                        gap = q - q_hat[t, s, i, 1 - a]
                        p = two_actions(abs(gap), eta)
                        policy[t, s, i, a] = p if gap > 0.0 else 1.0 - p
                        policy[t, s, i, 1 - a] = 1.0 - p if gap > 0.0 else p
                    else:
                        newton(q_hat, eta, policy, t, s, i, n)
                if c & (BLOCK - 1) == 0:  # not in the paper: keeps the digits of long stages
                    compensate_stage(memory, t, s)
                    for i in range(N):
                        centre(q_hat, t, s, i, game.n_actions[t, s, i])
                    if certify:
                        compensate_cell(cells, game, t, s)
                if c == memory.length[t, s]:  # line 12
                    new_stage(game, rules, memory, stages, t, s, k + 1)
                    if certify:
                        end_stage(cells, game, memory.stage, memory.visits, t, s, c)
                s = after & INDEX
            memory.episode[0] = k + 1
            record_episode(returns, k + 1)

    return learn


learn_pair = compile_learn(pair=True)
learn_any = compile_learn(pair=False)


@njit(cache=True)
def new_stage(
    game: Tables, rules: Rules, memory: Memory, stages: Stages, t: int, s: int, episode: int
) -> None:
    """Lines 13–19: enter a new stage of (t, s)."""
    T, N = len(memory.stage), memory.v_bar.shape[2]
    c = memory.visits[t, s]
    row, count = stages.used[0], memory.histogram[t, s]
    sums, totals = memory.sums, memory.totals
    for i in range(N):
        b = rules.bonus[t, s, i] / math.sqrt(c)  # line 14
        r_mean = (totals[t, s, i, 0] + sums[t, s, i, 0]) / c
        v_mean = (totals[t, s, i, 1] + sums[t, s, i, 1]) / c
        low_mean = (totals[t, s, i, 2] + sums[t, s, i, 2]) / c
        memory.v_bar[t, s, i] = min(r_mean + v_mean + b, T - t)  # line 15
        memory.v_low[t, s, i] = min(max(r_mean + low_mean - b, 0.0), T - t)  # as in the proof
        stages.v_bar[row, i] = memory.v_bar[t, s, i]
        stages.v_low[row, i] = memory.v_low[t, s, i]
    coefficient = fluctuation_coefficient(  # line 16
        rules.kind, count, game.aggregate, rules.distinct, rules.lambda_min, rules.limit,
        rules.reverse,
    )  # fmt: skip
    grown = coefficient * ((T + 1) * memory.real_length[t, s]) / T  # line 17
    memory.length[t, s] = whole(grown)
    memory.real_length[t, s] = grown if rules.real_length else memory.length[t, s]
    for d in range(len(count)):  # line 18
        count[d] = 0
    memory.visits[t, s] = 0
    for i in range(N):
        for j in range(3):
            sums[t, s, i, j] = totals[t, s, i, j] = 0.0
        n = game.n_actions[t, s, i]  # line 19
        for a in range(n):
            memory.policy[t, s, i, a] = 1.0 / n
            memory.q_hat[t, s, i, a] = 0.0
    memory.stage[t, s] += 1
    stages.coefficient[row] = coefficient
    stages.key[row, 0], stages.key[row, 1] = t, s
    stages.key[row, 2], stages.key[row, 3] = episode, c
    stages.used[0] = row + 1


def new_stages(game: Game, rows: int) -> Stages:
    """Return room for `rows` stages."""
    return Stages(
        used=np.zeros(1, dtype=np.int64),
        key=np.zeros((rows, 4), dtype=np.int64),
        coefficient=np.zeros(rows),
        v_bar=np.zeros((rows, game.N)),
        v_low=np.zeros((rows, game.N)),
    )


@njit(cache=True)
def whole(x: float) -> int:
    """Return ⌊x⌋ of a number known up to rounding: 12.999999999999998 is a 13."""
    return math.floor(x * (1.0 + 1e-13))


@njit(cache=True)
def compensate_stage(memory: Memory, t: int, s: int) -> None:
    """Move the recent sums of (t, s) to the totals, so that long stages lose no precision."""
    sums, totals = memory.sums, memory.totals
    for i in range(sums.shape[2]):
        for j in range(3):
            totals[t, s, i, j], sums[t, s, i, j] = two_sum(totals[t, s, i, j], sums[t, s, i, j])
