"""The paper's baselines: tabular Q-learning of the finite horizon, on normalised rewards.

    Q^t(s, a) ← Q^t(s, a) + α_n (r + max_a' Q^{t+1}(s', a') − Q^t(s, a)),   Q^{T+1} = 0,

where n counts the visits of (t, s, a), this one included, and α_n is (H+1)/(H+n) with H = T, or a
constant. There are L learners, each with options to choose from. "Independent Q" has L = N, options
are agent i's own actions and r is its own reward: nothing grows with the joint actions. "Centralized
Q" has L = 1, options are joint actions and r is the sum of all agents' rewards. Joint action
(a_1, …, a_N) is option ((a_1 · n_2 + a_2) · n_3 + …) + a_N, with n_i = |A_i^t(s)|: agent N counts
fastest.

Random numbers are uniform on [0, 1) and taken in this order, and at no other time:

* one for the first state, unless it is certain to be state 0;
* at each step, learner by learner, none if there is a single option; else one that decides to
  explore if it is below ε, whatever ε is, and then one, u, that chooses option ⌊u n⌋ of all n when
  exploring, or number ⌊u m⌋ of the m options of highest Q, if m > 1: with m = 1 none is taken;
* at each step but the last, after all actions, one for the next state.

The state of learning is plain arrays. `learn` may be called for any number of episodes at a time:
many calls do to the arrays, bit for bit, what one call does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.random import Generator
from numpy.typing import NDArray

from amg.draws import draw
from amg.game import Game, Tables
from amg.learning.returns import Returns, record_episode

CONSTANT, LINEAR, GEOMETRIC = 0, 1, 2
SCHEDULES = {"constant": CONSTANT, "linear": LINEAR, "geometric": GEOMETRIC}


class Rules(NamedTuple):
    """The parameters of Q-learning, as the kernel wants them."""

    options: NDArray[np.int64]  # [T, S, L] how many each learner chooses from
    decaying: bool  # α_n = (H+1)/(H+n), instead of `rate`
    rate: float
    schedule: int  # of ε: CONSTANT, LINEAR or GEOMETRIC
    epsilon: float  # in the first episode
    epsilon_end: float  # in the last episode
    last: int  # number of the last episode, counted from 0


class Memory(NamedTuple):
    """What the learners remember: option a of learner l at (t, s) is entry [t, s, l, a]."""

    episode: NDArray[np.int64]  # [1] episodes done
    q: NDArray[np.float64]  # [T, S, L, O] 0 where there is no option
    visits: NDArray[np.int64]  # [T, S, L, O] n
    path: NDArray[np.int64]  # [T, 1 + N] state and actions of the last episode


def new_memory(game: Game, options: NDArray[np.int64], optimistic: bool) -> Memory:
    """Q = 0, or the most that can be earned from step t on: (T − t + 1) for each agent of a learner."""
    shape = (*options.shape, int(options.max()))
    exists = np.arange(shape[3]) < options[..., None]
    agents = game.N / options.shape[2]  # whose rewards a learner adds up
    most = agents * np.arange(game.T, 0, -1.0)[:, None, None, None] if optimistic else 0.0
    return Memory(
        episode=np.zeros(1, dtype=np.int64),
        q=np.where(exists, most, 0.0),
        visits=np.zeros(shape, dtype=np.int64),
        path=np.zeros((game.T, 1 + game.N), dtype=np.int64),
    )


def compile_learn(joint: bool) -> Callable[..., None]:
    """The kernel of "Centralized Q" if `joint`, else of "Independent Q"."""

    @njit(cache=True)
    def learn(
        game: Tables, rules: Rules, memory: Memory, returns: Returns, rng: Generator, until: int
    ) -> None:
        """Episodes up to `until`."""
        T, _, N, _, _ = game.reward.shape
        q, path, options = memory.q, memory.path, rules.options
        for k in range(memory.episode[0], until):
            epsilon = exploration(rules, k)
            s = draw(rng, game.initial_cdf)
            for t in range(T):
                path[t, 0] = s
                option = 0
                if joint:
                    option = choose(rng, q, t, s, 0, options[t, s, 0], epsilon)
                    unpack(option, game.n_actions, path, t, s)
                else:
                    for i in range(N):
                        path[t, 1 + i] = choose(rng, q, t, s, i, options[t, s, i], epsilon)
                total = 0
                for i in range(N):
                    total += game.effort[t, s, i, path[t, 1 + i]]
                after = 0
                if t + 1 < T:
                    u = rng.random()
                    while u >= game.transition_cdf[t, s, total, after]:
                        after += 1
                welfare = 0.0
                for i in range(N):
                    a = path[t, 1 + i]
                    others = total - game.effort[t, s, i, a]
                    r = game.reward[t, s, i, a, others]
                    returns.pending[i] += game.raw_reward[t, s, i, a, others]
                    welfare += r
                    if not joint:
                        update(rules, memory, t, s, i, a, r, after)
                if joint:
                    update(rules, memory, t, s, 0, option, welfare, after)
                s = after
            memory.episode[0] = k + 1
            record_episode(returns, k + 1)

    return learn


learn_joint = compile_learn(joint=True)
learn_alone = compile_learn(joint=False)


@njit(cache=True)
def exploration(rules: Rules, k: int) -> float:
    """ε, or ε + x (ε_end − ε), or ε (ε_end / ε)^x, with x = k / last from 0 to 1."""
    if rules.schedule == CONSTANT:
        return rules.epsilon
    x = k / max(rules.last, 1)
    if rules.schedule == LINEAR:
        return rules.epsilon + x * (rules.epsilon_end - rules.epsilon)
    return rules.epsilon * (rules.epsilon_end / rules.epsilon) ** x


@njit(cache=True)
def choose(
    rng: Generator, q: NDArray[np.float64], t: int, s: int, l: int, n: int, epsilon: float
) -> int:
    """One of n options: with probability ε any, else one of highest Q, in both cases uniformly."""
    if n == 1:
        return 0
    if rng.random() < epsilon:
        return int(rng.random() * n)
    a, ties = 0, 1
    for b in range(1, n):
        if q[t, s, l, b] > q[t, s, l, a]:
            a, ties = b, 1
        elif q[t, s, l, b] == q[t, s, l, a]:
            ties += 1
    if ties > 1:  # `a` is the first of them
        top, further = q[t, s, l, a], int(rng.random() * ties)
        while further > 0:
            a += 1
            if q[t, s, l, a] == top:
                further -= 1
    return a


@njit(cache=True)
def update(
    rules: Rules, memory: Memory, t: int, s: int, l: int, a: int, r: float, after: int
) -> None:
    """Learner l took option a at (t, s), was paid r, and came to state `after`."""
    q, T = memory.q, len(memory.q)
    n = memory.visits[t, s, l, a] + 1
    memory.visits[t, s, l, a] = n
    alpha = (T + 1) / (T + n) if rules.decaying else rules.rate
    ahead = 0.0
    if t + 1 < T:
        ahead = q[t + 1, after, l, 0]
        for b in range(1, rules.options[t + 1, after, l]):
            ahead = max(ahead, q[t + 1, after, l, b])
    q[t, s, l, a] += alpha * (r + ahead - q[t, s, l, a])


@njit(cache=True)
def unpack(
    option: int, n_actions: NDArray[np.int64], path: NDArray[np.int64], t: int, s: int
) -> None:
    """Write the actions of a joint action to the path, agent N's first."""
    for i in range(n_actions.shape[2] - 1, -1, -1):
        path[t, 1 + i] = option % n_actions[t, s, i]
        option //= n_actions[t, s, i]
