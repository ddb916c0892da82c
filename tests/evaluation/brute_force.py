"""Policies and deviations the plain way: one joint action, visit and plan at a time.

Of the package only a game's tables and a run's trace are used here: no laws of sums, no cells, no
controllers, no beliefs over stages.
"""

from __future__ import annotations

import dataclasses
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from amg.evaluation.sampler import Trace
from amg.game.model import Game

Policy = NDArray[np.float64]  # [N, A] of one state
History = tuple[int, ...]  # s, a, σ, s', a', σ', …: the states, own actions and others' sums

# --- correlated policies, with any memory ------------------------------------------


class Device(Protocol):
    """At (t, s) a device draws from its memory what all play, and what it remembers then."""

    def start(self) -> list[tuple[float, int]]:
        """Probabilities and first memories."""

    def act(self, t: int, s: int, memory: int) -> list[tuple[float, Policy, int]]:
        """Probabilities, everyone's policies, next memories."""


class Mixture:
    """Draws one product Markov policy and remembers which."""

    def __init__(self, policies: NDArray[np.float64], weights: Sequence[float]) -> None:
        self.policies, self.weights = policies, weights

    def start(self) -> list[tuple[float, int]]:
        return [(w, j) for j, w in enumerate(self.weights)]

    def act(self, t: int, s: int, memory: int) -> list[tuple[float, Policy, int]]:
        return [(1.0, self.policies[memory, t, s], memory)]


class Algorithm5:
    """The certified policy, from the trace alone; what it remembers is the episode k.

    Where no stage is complete it plays uniformly, then and later: memory −1.
    """

    def __init__(self, game: Game, trace: Trace) -> None:
        self.trace, self.uniform = trace, uniform(game)
        self.visits = defaultdict(list)
        for k, t in np.ndindex(trace.state.shape):
            s = trace.state[k, t]
            self.visits[t, s, trace.stage[k, t, s]].append(k)

    def start(self) -> list[tuple[float, int]]:
        K = len(self.trace.state)
        return [(1 / K, k) for k in range(K)]

    def act(self, t: int, s: int, memory: int) -> list[tuple[float, Policy, int]]:
        m = 0 if memory < 0 else self.trace.stage[memory, t, s]
        if m == 0:
            return [(1.0, self.uniform[t][s], -1)]
        visits = self.visits[t, s, m - 1]
        assert len(visits) == self.trace.stage_length[visits[0], t, s]
        return [(1 / len(visits), self.trace.policy[l, t], l) for l in visits]


class AlphaWeighted:
    """The policy that incremental V-learning puts out, from a trace whose `stage` counts visits.

    What it remembers is the episode k; in a state not visited before it plays uniformly, then and
    later: memory −1. It begins with a uniform episode, or with `first` for certain.
    """

    def __init__(self, game: Game, trace: Trace, first: int | None = None) -> None:
        self.trace, self.uniform, self.first, self.T = trace, uniform(game), first, game.T
        self.visits = defaultdict(list)
        for k, t in np.ndindex(trace.state.shape):
            self.visits[t, trace.state[k, t]].append(k)

    def start(self) -> list[tuple[float, int]]:
        K = len(self.trace.state)
        return [(1 / K, k) for k in range(K)] if self.first is None else [(1.0, self.first)]

    def act(self, t: int, s: int, memory: int) -> list[tuple[float, Policy, int]]:
        n = 0 if memory < 0 else int(self.trace.stage[memory, t, s])
        if n == 0:
            return [(1.0, self.uniform[t][s], -1)]
        alpha = [(self.T + 1) / (self.T + j) for j in range(1, n + 1)]
        weights = [a * math.prod(1 - b for b in alpha[j + 1 :]) for j, a in enumerate(alpha)]
        visits = self.visits[t, s][:n]
        return [(w, self.trace.policy[k, t], k) for w, k in zip(weights, visits, strict=True)]


def uniform(game: Game) -> list[list[Policy]]:
    """[t][s] → [N, A]."""
    policies = []
    for step in game.actions:
        policies.append([np.zeros((game.N, game.A_max)) for _ in step])
        for policy, menus in zip(policies[-1], step, strict=True):
            for i, menu in enumerate(menus):
                policy[i, : len(menu)] = 1 / len(menu)
    return policies


# --- values and deviations ------------------------------------------------------------------------


def joint_actions(game: Game, t: int, s: int) -> list[tuple[int, ...]]:
    return list(product(*(range(len(menu)) for menu in game.actions[t][s])))


def probability(policy: Policy, joint: Sequence[int]) -> float:
    return math.prod(float(policy[i, a]) for i, a in enumerate(joint))


def step(game: Game, t: int, s: int, joint: Sequence[int]) -> tuple[list[int], list[float]]:
    """The others' sum and the pay of each agent."""
    efforts = [int(game.effort[t, s, i, a]) for i, a in enumerate(joint)]
    others = [sum(efforts) - e for e in efforts]
    return others, [float(game.reward[t, s, i, a, others[i]]) for i, a in enumerate(joint)]


def following(game: Game, t: int, s: int, total: int) -> list[tuple[int, float]]:
    """Next states and their probabilities; none after the last step."""
    if t + 1 == game.T:
        return []
    return [(s2, float(p)) for s2, p in enumerate(game.transition[t, s, total]) if p > 0]


def starting_in(game: Game) -> dict[str, Game]:
    """For each initial state, by name, the same game that starts there for certain."""
    return {
        game.states[0][s]: dataclasses.replace(game, initial=np.eye(game.S)[s])
        for s, q in enumerate(game.initial)
        if q > 0
    }


def value(game: Game, device: Device) -> NDArray[np.float64]:
    """What everyone earns when nobody deviates, by recursion over what the device remembers."""

    @cache
    def ahead(t: int, s: int, memory: int) -> NDArray[np.float64]:
        expected = np.zeros(game.N)
        for w, policy, memory2 in device.act(t, s, memory):
            for joint in joint_actions(game, t, s):
                others, pay = step(game, t, s, joint)
                total = others[0] + int(game.effort[t, s, 0, joint[0]])
                later = [p * ahead(t + 1, s2, memory2) for s2, p in following(game, t, s, total)]
                expected = expected + w * probability(policy, joint) * (np.array(pay) + sum(later))
        return expected

    starts = product(enumerate(game.initial), device.start())
    return sum(float(q) * w * ahead(0, s, memory) for (s, q), (w, memory) in starts if q > 0)


def informed(game: Game, device: Device, i: int) -> float:
    """Agent i's best if it knows what the device remembers at each step."""

    @cache
    def ahead(t: int, s: int, memory: int) -> float:
        gain = [0.0] * len(game.actions[t][s][i])
        for w, policy, memory2 in device.act(t, s, memory):
            for joint in joint_actions(game, t, s):
                others, pay = step(game, t, s, joint)
                total = others[i] + int(game.effort[t, s, i, joint[i]])
                later = sum(p * ahead(t + 1, s2, memory2) for s2, p in following(game, t, s, total))
                gain[joint[i]] += w * _of_others(policy, joint, i) * (pay[i] + later)
        return max(gain)

    starts = product(enumerate(game.initial), device.start())
    return sum(float(q) * w * ahead(0, s, memory) for (s, q), (w, memory) in starts if q > 0)


def _of_others(policy: Policy, joint: Sequence[int], i: int) -> float:
    return math.prod(float(policy[j, a]) for j, a in enumerate(joint) if j != i)


def histories(game: Game, device: Device, i: int) -> dict[History, float]:
    """Whole histories z of agent i and their worth: its return in z times

        P(the others and nature do their part of z | agent i does its own),

    so that a deviation earns the sum of worths of the histories that follow it.
    """
    worth: dict[History, float] = {}

    @cache
    def others_law(t: int, s: int, memory: int) -> dict[tuple[int, int], float]:
        """P(others' sum, next memory)."""
        law: dict[tuple[int, int], float] = defaultdict(float)
        for w, policy, memory2 in device.act(t, s, memory):
            for joint in joint_actions(game, t, s):
                if joint[i] == 0:  # each combination of the others once
                    others, _ = step(game, t, s, joint)
                    law[others[i], memory2] += w * _of_others(policy, joint, i)
        return law

    def expand(t: int, s: int, past: History, earned: float, belief: dict[int, float]) -> None:
        seen: dict[int, dict[int, float]] = defaultdict(lambda: defaultdict(float))
        for memory, w in belief.items():
            for (d, memory2), p in others_law(t, s, memory).items():
                if p > 0:
                    seen[d][memory2] += w * p
        for a in range(len(game.actions[t][s][i])):
            for d, after in seen.items():
                z = (*past, s, a, d)
                pay = earned + float(game.reward[t, s, i, a, d])
                if t + 1 == game.T:
                    worth[z] = pay * math.fsum(after.values())
                for s2, p in following(game, t, s, d + int(game.effort[t, s, i, a])):
                    expand(t + 1, s2, z, pay, {memory: p * w for memory, w in after.items()})

    for s, q in enumerate(game.initial):
        if q > 0:
            expand(0, s, (), 0.0, {memory: float(q) * w for w, memory in device.start()})
    return worth


def best_response(game: Game, device: Device, i: int) -> float:
    """The most that a deviation earns, from the tree of all histories, backwards."""

    def best(worth: dict[History, float]) -> float:
        if () in worth:
            return worth[()]
        tree: dict[int, dict[int, dict[int, dict[History, float]]]] = {}
        for (s, a, d, *rest), w in worth.items():
            tree.setdefault(s, {}).setdefault(a, {}).setdefault(d, {})[tuple(rest)] = w
        return math.fsum(
            max(math.fsum(best(rest) for rest in sums.values()) for sums in actions.values())
            for actions in tree.values()
        )

    return best(histories(game, device, i))


def every_deviation(game: Game, device: Device, i: int) -> Iterator[float]:
    """What each deterministic deviation earns, one after the other.

    A deviation says which action to take after each s, a, σ, s', … that it may come to.
    """
    worth = histories(game, device, i)
    for plan in _plans((), list(worth)):
        yield math.fsum(w for z, w in worth.items() if _follows(z, plan))


def _plans(past: History, possible: list[History]) -> list[dict[History, int]]:
    """All plans from `past` on; `possible` are the whole histories that begin so."""
    n = len(past)
    if n == len(possible[0]):
        return [{}]
    by_state = []
    for s in sorted({z[n] for z in possible}):
        options = []
        for a in sorted({z[n + 1] for z in possible if z[n] == s}):
            here = [z for z in possible if z[n : n + 2] == (s, a)]
            later = [
                _plans((*past, s, a, d), [z for z in here if z[n + 2] == d])
                for d in sorted({z[n + 2] for z in here})
            ]
            options += [_merge(({(*past, s): a}, *parts)) for parts in product(*later)]
        by_state.append(options)
    return [_merge(parts) for parts in product(*by_state)]


def _merge(parts: Sequence[dict[History, int]]) -> dict[History, int]:
    return {information: a for part in parts for information, a in part.items()}


def _follows(z: History, plan: dict[History, int]) -> bool:
    return all(plan.get(z[:n]) == z[n] for n in range(1, len(z), 3))


def count_deviations(game: Game, device: Device, i: int) -> int:
    """How many deviations there are, without making them."""

    def count(possible: list[History]) -> int:
        if not possible[0]:
            return 1
        tree: dict[int, dict[int, dict[int, list[History]]]] = {}
        for s, a, d, *rest in possible:
            branch = tree.setdefault(s, {}).setdefault(a, {}).setdefault(d, [])
            branch.append(tuple(rest))
        return math.prod(
            sum(math.prod(count(rest) for rest in sums.values()) for sums in actions.values())
            for actions in tree.values()
        )

    return count(list(histories(game, device, i)))
