"""The proof's recursion and its last display, on runs of the algorithm as printed.

A small bonus keeps V̄ and V̲ off their limits, so that the inequalities can fail.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from amg.game.library import build
from amg.game.model import bonus, iota
from amg.game.proof import Growth, gap_bound, growth
from amg.learning.episode import generator
from amg.learning.literal import Agent, run_literal
from amg.learning.parameters import VLearning

K, SMALL = 1500, 0.02
CASES = [
    (name, VLearning(fluctuation=fluctuation, stage_rule=rule, bonus=size, lambda_min=0.95))
    for name in ("fishermen", "inspection", "congestion")
    for fluctuation, rule in (("fixed", "floor"), ("cv", "real"), ("mad", "real"))
    for size in (SMALL, 0.2)
    if (name, fluctuation) != ("congestion", "cv")
]


def guaranteed(T: int, parameters: VLearning) -> Growth:
    lambda_min = 1 if parameters.fluctuation == "fixed" else parameters.lambda_min
    rule = growth(T, lambda_min, parameters.stage_rule)
    assert rule is not None
    return rule


@pytest.mark.parametrize(("name", "parameters"), CASES)
def test_every_step_of_the_recursion(name: str, parameters: VLearning) -> None:
    game = build(name)
    rule, T = guaranteed(game.T, parameters), game.T
    trace, ends = run_literal(game, parameters, K, generator(game, parameters, K, 5))
    lower = np.zeros_like(trace.vbar)
    order: dict[tuple[int, int], int] = {}
    for end in ends:  # by step, state and time: stage m sets V̲ of stage m + 1
        m = order[end.t, end.s] = order.get((end.t, end.s), 0) + 1
        lower[trace.stage[:, end.t, end.s] == m, end.t, end.s] = end.V_low
    delta = trace.vbar - lower  # [K, T, S, N] at the beginning of each episode
    assert (delta >= 0).all()
    episodes = np.arange(K)
    met = np.stack([delta[episodes, t, trace.state[:, t]] for t in range(T)], axis=1)  # [K, T, N]
    after = np.concatenate([met, np.zeros((K, 1, game.N))], axis=1)
    size = bonus(T, game.A_max, iota(game, K, parameters.p), parameters.bonus)  # b √c̃

    for t in range(T):
        first, counted, spread = 0, np.zeros(K), 0.0
        for s in range(len(game.states[t])):
            visits = np.flatnonzero(trace.state[:, t] == s)
            stage = trace.stage[visits, t, s]
            stages = [visits[stage == m] for m in range(stage.max(initial=-1) + 1)]
            if not stages:
                continue
            first += len(stages[0])
            assert len(stages[0]) <= T  # Term 1: T visits, not one
            total = 0.0
            for before, now in pairwise(stages):
                assert len(now) <= rule.longest * len(before) * (1 + 1e-12)  # Term 2
                counted[before] += len(now) / len(before)
                b = size / math.sqrt(len(before))
                bound = after[before, t + 1].mean(axis=0) + 2 * b
                assert (met[now, t] <= bound + 1e-9).all()  # the recursion
                total += len(now) / math.sqrt(len(before))
            assert total <= 2 * math.sqrt(rule.alpha * len(visits))  # Term 3
            spread += total
        assert first <= len(game.states[t]) * T
        assert counted.max() <= rule.longest * (1 + 1e-12)
        assert spread <= 2 * math.sqrt(rule.alpha * len(game.states[t]) * K)
    limit = gap_bound(game, K, parameters.p, rule, parameters.bonus)
    assert met[:, 0].mean(axis=0).max() <= limit.first + limit.bonus  # the last display
    if parameters.bonus == SMALL:
        assert limit.first + limit.bonus < T  # so that it could fail


def test_the_printed_rule_never_learns_from_a_constant_aggregate() -> None:
    """λ = λ_min < 1 always: stages keep T visits, V̄ and V̲ keep their first values."""
    game, p = build("fishermen"), VLearning()
    agent = Agent([[2, 2], [2, 2]], iota(game, 10**6, p.p), p)
    rng = np.random.default_rng(1)
    for _ in range(400):
        agent.observe(0, 0, agent.act(0, 0, rng.random()), 0.5, 0, 3.0)
        assert agent.L[0][0] == game.T
        assert (agent.V_bar[0][0], agent.V_low[0][0]) == (game.T, 0.0)
    real = Agent([[2, 2], [2, 2]], iota(game, 10**6, p.p), VLearning(stage_rule="real"))
    for _ in range(400):
        real.observe(0, 0, real.act(0, 0, rng.random()), 0.5, 0, 3.0)
    assert real.L[0][0] > 10
