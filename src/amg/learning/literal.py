"""Algorithm 1 as the paper prints it: one agent at a time, in plain lists and floats.

It is slow and obvious. The fast kernel (algorithm1.py) is tested against it; the two share no code.
An `Agent` sees only states, its own actions and rewards, and the public aggregate d. `run_literal`
is the environment of N agents. It takes random numbers in the kernel's order, so that the two must
agree episode by episode. Steps, episodes and stages count from 0: the paper's T − t + 1 is T − t.

They agree for short stages only. Line 10 divides by a probability that line 11 made from the last
quotient. Where actions are about equally good, this feedback multiplies rounding errors by about
exp(√c̃): after several hundred visits two correct programs play different policies. To follow a
long run, start each visit from the recorded policy.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.random import Generator

from amg.evaluation.sampler import Trace, new_trace
from amg.game.model import Game, iota
from amg.kernels.sums import Floats
from amg.learning.parameters import VLearning

Entry = TypeVar("Entry")


def fluctuation_cv(
    D: Sequence[float], lambda_min: float, cv_max: float, reverse: bool = False
) -> float:
    """Algorithm 2; `reverse` follows the comment in it: λ = 1 where nothing fluctuates."""
    if len(D) < 2:  # line 3
        return 1.0  # lines 4, 5
    d_bar = math.fsum(D) / len(D)  # line 7
    sigma = math.sqrt(math.fsum((d - d_bar) ** 2 for d in D) / (len(D) - 1))  # line 8
    cv = sigma / d_bar if sigma > 0 else 0.0  # line 9; a list of zeros does not vary
    gamma = min(cv / cv_max, 1.0)  # line 10
    return lambda_min + (1 - lambda_min) * (1 - gamma if reverse else gamma)  # lines 11, 12


def fluctuation_mad(
    D: Sequence[float], lambda_min: float, mad_max: float, reverse: bool = False
) -> float:
    """Algorithm 3; `reverse` follows the comment in it: λ = 1 where nothing fluctuates."""
    if len(D) < 2:  # line 3
        return 1.0  # lines 4, 5
    d_bar = math.fsum(D) / len(D)  # line 7
    mad = math.fsum(abs(d - d_bar) for d in D) / len(D)  # line 8
    gamma = min(mad / mad_max, 1.0)  # line 9
    return lambda_min + (1 - lambda_min) * (1 - gamma if reverse else gamma)  # lines 10, 11


def fluctuation(parameters: VLearning) -> Callable[[Sequence[float]], float]:
    """Return the function f of Algorithm 1, line 16, that the parameters choose."""
    lambda_min, reverse = parameters.lambda_min, parameters.direction == "comment"
    if parameters.fluctuation == "cv":
        return lambda D: fluctuation_cv(D, lambda_min, parameters.cv_max, reverse)
    if parameters.fluctuation == "mad":
        return lambda D: fluctuation_mad(D, lambda_min, parameters.mad_max, reverse)
    return lambda D: 1.0


def whole(x: float) -> int:
    """Return ⌊x⌋ of a number known up to rounding: 12.999999999999998 is a 13."""
    return math.floor(x * (1 + 1e-13))


def tsallis_inf(Q_hat: Sequence[float], eta: float) -> list[float]:
    """Line 11: π(a) = 4 (η (Q̂(a) − x))^-2, with x by bisection to the last bit.

    x = min Q̂ − y. At y = 2/η the best action alone has π = 1; at √A times that, no action has more
    than 1/A. The root lies between.
    """
    best = min(Q_hat)
    gaps = [q - best for q in Q_hat]

    def policy(y: float) -> list[float]:
        return [4.0 * (eta * (gap + y)) ** -2 for gap in gaps]

    low, high = 2.0 / eta, 2.0 / eta * math.sqrt(len(Q_hat))
    while low < (y := (low + high) / 2) < high:
        if sum(policy(y)) > 1.0:
            low = y
        else:
            high = y
    return policy(high)


def exponential_weights(losses: Sequence[float], eta: float) -> list[float]:
    """π ∝ exp(−η L), of a bandit that is not the paper's."""
    powers = [math.exp(-eta * (x - min(losses))) for x in losses]
    return [power / math.fsum(powers) for power in powers]


class Agent:
    """Agent i of Algorithm 1, with the proof's lower companion V̲ of V̄.

    `menus[t][s]` is the number of actions it has at (t, s).
    """

    def __init__(self, menus: Sequence[Sequence[int]], iota: float, parameters: VLearning) -> None:
        def table(entry: Callable[[int, int], Entry]) -> list[list[Entry]]:
            return [[entry(t, s) for s in range(len(step))] for t, step in enumerate(menus)]

        self.T, self.rules, self.f = len(menus), parameters, fluctuation(parameters)
        self.iota = iota
        self.A_i = table(
            lambda t, s: menus[t][s] if parameters.actions == "state" else max(map(max, menus))
        )
        # line 1; after the last step there is one state, of value 0
        self.V_bar = [*table(lambda t, s: float(self.T - t)), [0.0]]
        self.V_hat = table(lambda t, s: float(self.T - t))
        self.D: list[list[list[float]]] = table(lambda t, s: [])
        self.C = table(lambda t, s: 0)
        self.r_sum = table(lambda t, s: 0.0)
        self.v_sum = table(lambda t, s: 0.0)
        self.L = table(lambda t, s: float(self.T))
        self.policy = table(lambda t, s: [1 / menus[t][s]] * menus[t][s])
        self.Q_hat = table(lambda t, s: [0.0] * menus[t][s])
        # not in Algorithm 1 but in the proof: V̲, which is 0 during a first stage
        self.V_low = [*table(lambda t, s: 0.0), [0.0]]
        self.low_sum = table(lambda t, s: 0.0)

    def length(self, t: int, s: int) -> int:
        """Return L̃ as it is used: whole visits, also where the real rule keeps a fraction."""
        return whole(self.L[t][s])

    def act(self, t: int, s: int, u: float) -> int:
        """Lines 5 and 6: count the visit; u, uniform on [0, 1), decides on an action."""
        self.C[t][s] += 1  # line 5
        last = len(self.policy[t][s]) - 1
        for a in range(last):  # line 6
            u -= self.policy[t][s][a]
            if u < 0.0:
                return a
        return last

    def observe(self, t: int, s: int, a: int, r: float, after: int, d: float) -> float | None:
        """Lines 7–19, from the agent's own action and reward; return λ if a stage ends here."""
        T, c, ahead = self.T, self.C[t][s], self.V_bar[t + 1][after]
        if self.rules.signal == "sequence" or d not in self.D[t][s]:
            self.D[t][s].append(d)  # line 7
        self.r_sum[t][s] += r  # line 8
        self.v_sum[t][s] += ahead
        self.low_sum[t][s] += self.V_low[t + 1][after]
        loss, policy = (T - t - (r + ahead)) / T, self.policy[t][s]
        if self.rules.bandit == "tsallis":
            eta = 2 * math.sqrt(1 / (c if self.rules.eta == "printed" else c + 1))  # line 9
            self.Q_hat[t][s][a] += loss / policy[a]  # line 10
            self.policy[t][s] = tsallis_inf(self.Q_hat[t][s], eta)  # line 11
        else:  # not in the paper: the bandit of earlier V-learning
            eta = math.sqrt(math.log(len(policy)) / (len(policy) * c))
            self.Q_hat[t][s][a] += loss / (policy[a] + eta)
            self.policy[t][s] = exponential_weights(self.Q_hat[t][s], eta)
        if self.C[t][s] != self.length(t, s):  # line 12
            return None
        # lines 13, 14; b = 4 √(T² A_i ι / c̃) as printed
        b = self.rules.bonus * math.sqrt(T**2 * self.A_i[t][s] * self.iota) / math.sqrt(c)
        self.V_hat[t][s] = self.r_sum[t][s] / c + self.v_sum[t][s] / c + b
        self.V_bar[t][s] = min(self.V_hat[t][s], T - t)  # line 15
        low = self.r_sum[t][s] / c + self.low_sum[t][s] / c - b
        self.V_low[t][s] = min(max(low, 0.0), T - t)
        coefficient = self.f(self.D[t][s])  # line 16
        # line 17; the division by T comes last, so that λ = 1 leaves no rounding error
        self.L[t][s] = coefficient * ((T + 1) * self.L[t][s]) / T
        if self.rules.stage_rule == "floor":
            self.L[t][s] = whole(self.L[t][s])
        self.D[t][s], self.C[t][s] = [], 0  # line 18
        self.r_sum[t][s] = self.v_sum[t][s] = self.low_sum[t][s] = 0.0
        n = len(self.policy[t][s])  # line 19
        self.policy[t][s], self.Q_hat[t][s] = [1 / n] * n, [0.0] * n
        return coefficient


class StageEnd(NamedTuple):
    """A completed stage of (t, s)."""

    t: int
    s: int
    episode: int  # of the boundary, from 1
    length: int
    coefficient: float  # λ
    V_bar: list[float]  # of each agent, as set by this stage
    V_low: list[float]


def run_literal(
    game: Game, parameters: VLearning, episodes: int, rng: Generator
) -> tuple[Trace, list[StageEnd]]:
    """Let N agents play and learn; return the trace, and the stages by step, state and time.

    The environment also checks that the agents agree on what is public.
    """
    agents, (low, unit) = new_agents(game, parameters, episodes), game.units(parameters.rewards)
    trace, stages = new_trace(game, episodes), list[StageEnd]()
    stage = np.zeros((game.T, game.S), dtype=np.int64)
    for k in range(episodes):  # line 2
        trace.stage[k] = stage
        for t, s in np.argwhere(game.exists).tolist():
            trace.vbar[k, t, s] = [agent.V_bar[t][s] for agent in agents]
            trace.stage_length[k, t, s] = agents[0].length(t, s)
        # line 3: a start that is certain takes no random number
        s = draw(rng.random(), game.initial) if game.initial[1:].any() else 0
        for t in range(game.T):  # line 4
            for i, agent in enumerate(agents):
                trace.policy[k, t, i, : len(agent.policy[t][s])] = agent.policy[t][s]
            actions = [agent.act(t, s, rng.random()) for agent in agents]  # lines 5, 6
            efforts = [int(game.effort[t, s, i, a]) for i, a in enumerate(actions)]
            total = sum(efforts)
            rewards = [
                float(game.reward[t, s, i, a, total - efforts[i]]) for i, a in enumerate(actions)
            ]
            d = float(game.aggregate_value(total))
            after = draw(rng.random(), game.transition[t, s, total]) if t + 1 < game.T else 0
            trace.state[k, t], trace.action[k, t] = s, actions
            trace.aggregate[k, t], trace.reward[k, t] = d, rewards

            visits = agents[0].C[t][s]
            learnt = [(r - low) / unit for r in rewards]
            coefficients = [  # lines 7–19
                agent.observe(t, s, actions[i], learnt[i], after, d)
                for i, agent in enumerate(agents)
            ]
            # λ, and with it the stages, must follow from states and d alone
            assert len(set(coefficients)) == 1, coefficients
            assert len({(agent.C[t][s], agent.L[t][s]) for agent in agents}) == 1
            if coefficients[0] is not None:
                stage[t, s] += 1
                V_bar = [agent.V_bar[t][s] for agent in agents]
                V_low = [agent.V_low[t][s] for agent in agents]
                stages.append(StageEnd(t, s, k + 1, visits, coefficients[0], V_bar, V_low))
            s = after
    return trace, sorted(stages)


def new_agents(game: Game, parameters: VLearning, episodes: int) -> list[Agent]:
    """Return the agents of a run of K = `episodes`; of the game they know their own actions."""
    own = [
        [game.n_actions[t, : len(states), i].tolist() for t, states in enumerate(game.states)]
        for i in range(game.N)
    ]
    log = iota(game, episodes, parameters.p, parameters.iota)
    return [Agent(menus, log, parameters) for menus in own]


def draw(u: float, law: Floats) -> int:
    """Return the first j with u < p_0 + … + p_j; rounding error goes to the last possible j."""
    total = 0.0
    for j, p in enumerate(law.tolist()):
        total += p
        if u < total:
            return j
    return int(np.flatnonzero(law)[-1])
