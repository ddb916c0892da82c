"""Optimistic FTRL in plain Python, to test the kernel (optimistic_ftrl.py).

Every average is computed anew from all iterations, by the weights α_k^j, and every expectation is a
sum over joint actions.
"""

import math
from collections.abc import Iterator
from itertools import product

from amg.game.model import Game
from amg.learning.literal import exponential_weights
from amg.learning.literal_incremental import weights

Table = list[list[list[float]]]  # [s][i][a]


def run_ftrl_literal(game: Game, rate: float, iterations: int) -> Iterator[list[Table]]:
    """Yield the policies of every iteration, as [t][s][i][a]."""
    T, N, states = game.T, game.N, [range(len(step)) for step in game.states]
    eta = rate / (4 * T * max(N - 1, 1))
    policy = [
        [[[1 / len(menu)] * len(menu) for menu in game.actions[t][s]] for s in states[t]]
        for t in range(T)
    ]
    Q: dict[tuple[int, int, int], list[list[float]]] = {}  # of every iteration so far
    paid: dict[tuple[int, int, int], list[float]] = {}  # ⟨π, Q⟩ of every iteration so far
    V = {(T, 0, i): 0.0 for i in range(N)}
    for k in range(1, iterations + 1):
        yield [[[list(x) for x in agents] for agents in step] for step in policy]
        now, ahead = weights(T, k), weights(T, k + 1)
        for t in reversed(range(T)):
            for s, i in product(states[t], range(N)):
                q = [pay(game, policy[t][s], V, t, s, i, a) for a in range(len(policy[t][s][i]))]
                Q.setdefault((t, s, i), []).append(q)
                earned = math.fsum(p * x for p, x in zip(policy[t][s][i], q, strict=True))
                paid.setdefault((t, s, i), []).append(earned)
            for s, i in product(states[t], range(N)):
                V[t, s, i] = math.fsum(w * x for w, x in zip(now, paid[t, s, i], strict=True))
                every = [*Q[t, s, i], Q[t, s, i][-1]]  # the guess counts as the next one
                L = [
                    math.fsum(-w / ahead[-1] * q[a] for w, q in zip(ahead, every, strict=True))
                    for a in range(len(policy[t][s][i]))
                ]
                policy[t][s][i] = exponential_weights(L, eta)


def pay(
    game: Game, policy: list[list[float]], V: dict[tuple[int, int, int], float],
    t: int, s: int, i: int, a: int,
) -> float:  # fmt: skip
    """Return what action a of agent i pays at (t, s) in expectation, with V of the next step."""
    total = 0.0
    for joint in product(*(range(len(law)) for law in policy)):
        if joint[i] != a:
            continue
        p = math.prod(policy[j][b] for j, b in enumerate(joint) if j != i)
        effort = [int(game.effort[t, s, j, b]) for j, b in enumerate(joint)]
        others = sum(effort) - effort[i]
        outcome = (game.reward[t, s, i, a, others] - game.reward_range[0]) / game.scale
        if t + 1 < game.T:
            for after in range(len(game.states[t + 1])):
                outcome += game.transition[t, s, sum(effort), after] * V[t + 1, after, i]
        total += p * float(outcome)
    return total
