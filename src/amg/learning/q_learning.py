"""The paper's baselines: tabular Q-learning of the finite horizon, on normalised rewards.

    Q^t(s, a) ← Q^t(s, a) + α_n (r + max_a' Q^{t+1}(s', a') − Q^t(s, a)),   Q^{T+1} = 0,

where n counts the visits of (t, s, a), this one included, and α_n = (H+1)/(H+n) or is constant.
H is T; the harmonic rate 1/n is the same formula with H = 0. After many visits α_n is so small
that rounding would swallow the updates: the rounding error of each is added to the next
(`two_sum`).

L learners each choose among options. "Independent Q" has L = N: the options of learner i are agent
i's actions and r is its own reward, so that nothing grows with the joint actions. "Centralized Q"
has L = 1: its options are the joint actions and r is the sum of all rewards. Joint action
(a_1, …, a_N) is option (…(a_1 · n_2 + a_2) · n_3 + …) · n_N + a_N, with n_i = |A_i^t(s)|.

Random numbers, uniform on [0, 1), are taken in this order. Their number does not depend on what is
learnt:

* one for the first state, unless that is certain to be state 0;
* at each step, for one learner after the other, two: the learner explores if the first is below ε,
  and with the second, u, it takes number ⌊u m⌋ (from 0) of m options, in the order of their
  indices: of all options when exploring, of those of highest Q when not;
* at each step but the last, when all have chosen, one for the next state.

The kernel `learn` may be called for any number of episodes at a time: many calls change the arrays,
bit for bit, as one call does.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.random import Generator

from amg.game.model import Game, Tables
from amg.kernels.sums import Floats, Ints, two_sum
from amg.learning.episode import Returns, draw, record_episode

CONSTANT, LINEAR, GEOMETRIC = 0, 1, 2
SCHEDULES = {"constant": CONSTANT, "linear": LINEAR, "geometric": GEOMETRIC}


class Rules(NamedTuple):
    """The parameters of Q-learning, in the form that the kernel takes."""

    options: Ints  # [T, S, L] how many each learner chooses from
    decaying: bool  # α_n = (H+1)/(H+n), instead of `rate`
    H: int  # T, or 0 for the rate 1/n
    rate: float
    schedule: int  # of ε: CONSTANT, LINEAR or GEOMETRIC
    epsilon: float  # in the first episode
    epsilon_end: float  # in the last episode
    last: int  # k of the last episode, from 0


class Memory(NamedTuple):
    """What the learners remember; [t, s, l, o] is option o of learner l at step t in state s."""

    episode: Ints  # [1] episodes done
    q: Floats  # [T, S, L, O] 0 where there is no option
    rest: Floats  # [T, S, L, O] rounding error of q, to be added next time
    visits: Ints  # [T, S, L, O] n
    path: Ints  # [T, 1 + N] state and actions of the last episode


def new_memory(game: Game, options: Ints, optimistic: bool) -> Memory:
    """Return Q^t = 0, or the most that can be earned: T − t + 1, times N for a sum of rewards."""
    T, S, L = options.shape
    O = int(options.max())
    q = np.zeros((T, S, L, O))
    if optimistic:
        q += np.arange(T, 0, -1.0)[:, None, None, None] * (game.N / L)
        q[np.arange(O) >= options[..., None]] = 0.0
    return Memory(
        episode=np.zeros(1, dtype=np.int64),
        q=q,
        rest=np.zeros((T, S, L, O)),
        visits=np.zeros((T, S, L, O), dtype=np.int64),
        path=np.zeros((T, 1 + game.N), dtype=np.int64),
    )


def compile_learn(joint: bool) -> Callable[..., None]:
    """Return the kernel; if `joint`, one learner chooses for all agents, else each for itself."""

    @njit(cache=True)
    def learn(
        game: Tables, rules: Rules, memory: Memory, returns: Returns, rng: Generator, until: int
    ) -> None:
        """Play and learn all episodes up to `until`."""
        T, _, N, _, _ = game.reward.shape
        L = 1 if joint else N
        q, visits, options, path = memory.q, memory.visits, rules.options, memory.path
        rest, option, reward = memory.rest, np.zeros(L, dtype=np.int64), np.zeros(L)
        for k in range(memory.episode[0], until):
            epsilon = exploration(rules, k)
            s = draw(rng, game.initial_cdf)
            for t in range(T):
                path[t, 0] = s
                for l in range(L):
                    explore = rng.random() < epsilon
                    u = rng.random()
                    if explore:
                        option[l] = int(u * options[t, s, l])
                    else:
                        top, ties = highest(q, t, s, l, options[t, s, l])
                        option[l] = pick(q, t, s, l, top, int(u * ties))
                    reward[l] = 0.0
                    if not joint:
                        path[t, 1 + l] = option[l]
                if joint:
                    unpack(option[0], game.n_actions, path, t, s)
                total = 0
                for i in range(N):
                    total += game.effort[t, s, i, path[t, 1 + i]]
                after = 0
                if t + 1 < T:
                    u = rng.random()
                    while u >= game.transition_cdf[t, s, total, after]:
                        after += 1
                for i in range(N):
                    a = path[t, 1 + i]
                    others = total - game.effort[t, s, i, a]
                    returns.pending[0, i] += game.raw_reward[t, s, i, a, others]
                    reward[0 if joint else i] += game.reward[t, s, i, a, others]
                for l in range(L):
                    ahead = 0.0
                    if t + 1 < T:
                        ahead, _ = highest(q, t + 1, after, l, options[t + 1, after, l])
                    o = option[l]
                    visits[t, s, l, o] += 1
                    alpha = rules.rate
                    if rules.decaying:
                        alpha = (rules.H + 1) / (rules.H + visits[t, s, l, o])
                    step = alpha * (reward[l] + ahead - q[t, s, l, o]) + rest[t, s, l, o]
                    q[t, s, l, o], rest[t, s, l, o] = two_sum(q[t, s, l, o], step)
                s = after
            memory.episode[0] = k + 1
            record_episode(returns, k + 1)

    return learn


learn_joint = compile_learn(joint=True)
learn_alone = compile_learn(joint=False)


@njit(cache=True)
def exploration(rules: Rules, k: int) -> float:
    """ε, or ε + x (ε_end − ε), or ε (ε_end / ε)^x, where x goes from 0 to 1 with the episodes."""
    if rules.schedule == CONSTANT:
        return rules.epsilon
    x = k / max(rules.last, 1)
    if rules.schedule == LINEAR:
        return rules.epsilon + x * (rules.epsilon_end - rules.epsilon)
    return rules.epsilon * (rules.epsilon_end / rules.epsilon) ** x


# Each is one plain loop that the kernel calls directly. If they had branches or called each other,
# numba would count references to the arrays at each call, which makes the kernel four times slower.


@njit(cache=True)
def highest(q: Floats, t: int, s: int, l: int, n: int) -> tuple[float, int]:
    """Return the highest Q of n options, and how many of them have it."""
    top, ties = q[t, s, l, 0], 1
    for o in range(1, n):
        x = q[t, s, l, o]
        if x > top:
            top, ties = x, 1
        elif x == top:
            ties += 1
    return top, ties


@njit(cache=True)
def pick(q: Floats, t: int, s: int, l: int, top: float, j: int) -> int:
    """Return number j (from 0) of the options that have this Q."""
    o = -1
    while j >= 0:
        o += 1
        if q[t, s, l, o] == top:
            j -= 1
    return o


@njit(cache=True)
def unpack(option: int, n_actions: Ints, path: Ints, t: int, s: int) -> None:
    """Write the actions of a joint option to the path; agent N's varies fastest."""
    for i in range(n_actions.shape[2] - 1, -1, -1):
        path[t, 1 + i] = option % n_actions[t, s, i]
        option //= n_actions[t, s, i]
