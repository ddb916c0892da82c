"""Incremental V-learning in plain Python, one agent at a time, to test the kernel (incremental.py).

An `Agent` sees only states, its own actions and its own rewards. It keeps the history of each state
and computes every average from it anew, by the weights α_n^i, without a recursion.
"""

import math

from numpy.random import Generator

from amg.evaluation.sampler import Trace, new_trace
from amg.game.model import Game, iota
from amg.learning.literal import draw, exponential_weights, tsallis_inf
from amg.learning.parameters import IncrementalVLearning


def alpha(T: int, n: int) -> float:
    """α_n = (T+1)/(T+n)."""
    return (T + 1) / (T + n)


def weights(T: int, n: int) -> list[float]:
    """α_n^1, …, α_n^n: the weights of the visits so far; they sum to 1."""
    return [
        alpha(T, i) * math.prod(1 - alpha(T, j) for j in range(i + 1, n + 1))
        for i in range(1, n + 1)
    ]


class Visits:
    """What an agent remembers of one (t, s) with A actions."""

    def __init__(self, A: int, most: float) -> None:
        self.A, self.V, self.policy = A, most, [1 / A] * A
        self.targets: list[float] = []  # r + V(s') + β of each visit
        self.losses: list[list[float]] = []  # ℓ / (π(a) + γ) of the action taken, 0 of others


class Agent:
    """One agent; `menus[t][s]` is the number of actions it has at (t, s)."""

    def __init__(
        self, menus: list[list[int]], log: float, parameters: IncrementalVLearning
    ) -> None:
        self.T, self.rules, self.log = len(menus), parameters, log
        self.A = max(map(max, menus))
        self.at = [[Visits(A, self.T - t) for A in step] for t, step in enumerate(menus)]

    def act(self, t: int, s: int, u: float) -> int:
        """Draw an action; u is uniform on [0, 1)."""
        policy = self.at[t][s].policy
        for a in range(len(policy) - 1):
            u -= policy[a]
            if u < 0.0:
                return a
        return len(policy) - 1

    def observe(self, t: int, s: int, a: int, r: float, after: int) -> None:
        """Learn from a visit: V, and the policy for the next visit."""
        T, here = self.T, self.at[t][s]
        earned = r + (self.at[t + 1][after].V if t + 1 < T else 0.0)
        n = len(here.targets) + 1
        beta = self.rules.bonus * math.sqrt(T**3 * self.A * self.log / n)
        here.targets.append(earned + beta)
        w = weights(T, n)
        here.V = min(math.fsum(x * y for x, y in zip(w, here.targets, strict=True)), T - t)
        loss = (T - earned) / T
        if self.rules.bandit == "tsallis":
            eta, gamma = self.rules.rate * 2 * math.sqrt(T / n), 0.0
        else:
            eta = gamma = self.rules.rate * math.sqrt(T * math.log(here.A) / (here.A * n))
        estimate = loss / (here.policy[a] + gamma)
        here.losses.append([estimate if b == a else 0.0 for b in range(here.A)])
        L = [
            math.fsum(x / w[-1] * estimates[b] for x, estimates in zip(w, here.losses, strict=True))
            for b in range(here.A)
        ]
        if self.rules.bandit == "tsallis":
            here.policy = tsallis_inf(L, eta)
        else:
            here.policy = exponential_weights(L, eta)


def run_incremental_literal(
    game: Game, parameters: IncrementalVLearning, episodes: int, rng: Generator
) -> Trace:
    """Let all agents play and learn; `stage` of the trace counts visits, and `vbar` is V."""
    log = iota(game, episodes, parameters.p)
    agents = [
        Agent(
            [game.n_actions[t, : len(step), i].tolist() for t, step in enumerate(game.states)],
            log, parameters,
        )
        for i in range(game.N)
    ]  # fmt: skip
    trace = new_trace(game, episodes)
    for k in range(episodes):
        for t, step in enumerate(game.states):
            for s in range(len(step)):
                trace.stage[k, t, s] = len(agents[0].at[t][s].targets)
                trace.vbar[k, t, s] = [agent.at[t][s].V for agent in agents]
        s = draw(rng.random(), game.initial) if game.initial[1:].any() else 0
        for t in range(game.T):
            for i, agent in enumerate(agents):
                policy = agent.at[t][s].policy
                trace.policy[k, t, i, : len(policy)] = policy
            actions = [agent.act(t, s, rng.random()) for agent in agents]
            efforts = [int(game.effort[t, s, i, a]) for i, a in enumerate(actions)]
            total = sum(efforts)
            rewards = [
                float(game.reward[t, s, i, a, total - efforts[i]]) for i, a in enumerate(actions)
            ]
            after = draw(rng.random(), game.transition[t, s, total]) if t + 1 < game.T else 0
            trace.state[k, t], trace.action[k, t] = s, actions
            trace.aggregate[k, t] = float(game.aggregate_value(total))
            trace.reward[k, t] = rewards
            for i, agent in enumerate(agents):
                learnt = (rewards[i] - game.reward_range[0]) / game.scale
                agent.observe(t, s, actions[i], learnt, after)
            s = after
    return trace
