"""A billion visits to one state: every running sum of training against exact fractions.

The sums are those of the kernels themselves, fed with terms whose exact sum is known: a constant,
which rounds the same way at every visit and so drifts most. The same checks run for ten million
visits (always) and for a billion (slow).
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit
from numpy.random import Generator

from amg.game.model import Game, Tables
from amg.game.tabulation import tabulate
from amg.kernels.laws import LANES
from amg.kernels.sums import BLOCK, two_sum
from amg.learning import q_learning
from amg.learning.algorithm1 import Memory, compensate_stage, new_memory
from amg.learning.cells import Cells, compensate_cell, new_cells, write_law
from amg.learning.episode import Returns, new_returns, record_episode
from amg.learning.parameters import IndependentQ, VLearning
from amg.learning.q_learner import QLearner
from amg.learning.train import new_learner
from amg.learning.tsallis import centre, two_actions
from amg.learning.v_learner import VLearner

BILLION = 10**9
visits = pytest.mark.parametrize("n", [10**7, pytest.param(BILLION, marks=pytest.mark.slow)])
CLOSE = 1e-13  # relative; one by one, 10^7 equal terms drift by 1e-10 and 10^9 by 1e-8
TERMS = (0.1, 0.7, 1 / 3)


def off(found: float, exact: Fraction) -> float:
    """Relative error."""
    return abs(float((Fraction(found) - exact) / exact))


def one_state(agents: int, actions: int, pay: float = 0.1) -> Game:
    """One step, one state; an action adds its index to the total, and the total d pays d + pay."""
    top = agents * (actions - 1)
    return tabulate(
        name="one state",
        agents=[f"agent {i}" for i in range(agents)],
        states=[["only"]],
        efforts=lambda t, s, i: {f"{a}": a for a in range(actions)},
        reward=lambda t, s, i, action, others: int(action) + int(others) + pay,
        transition=lambda t, s, total: {},
        initial={"only": 1},
        reward_range=(0, top + 1),
    )


# --- each sum by itself ---------------------------------------------------------------------------

doubles = st.floats(-1e200, 1e200)


@given(long=doubles, short=doubles)
def test_two_sum_loses_nothing(long: float, short: float) -> None:
    total, rest = two_sum.py_func(long, short)
    assert Fraction(total) + Fraction(rest) == Fraction(long) + Fraction(short)
    assert total == long + short


@njit
def _one_by_one(x: float, n: int) -> float:
    total = 0.0
    for _ in range(n):
        total += x
    return total


@visits
def test_terms_added_one_by_one_do_drift(n: int) -> None:
    """What the compensation is for."""
    assert max(off(_one_by_one(x, n), Fraction(x) * n) for x in TERMS) > 1e-18 * n


@njit
def _add_to_stage(memory: Memory, x: float, n: int) -> None:
    for c in range(1, n + 1):
        for j in range(3):
            memory.sums[0, 0, 0, j] += x
        if c % BLOCK == 0:
            compensate_stage(memory, 0, 0)


@visits
@pytest.mark.parametrize("x", TERMS)
def test_sums_of_a_stage(x: float, n: int) -> None:
    memory = new_memory(one_state(1, 1))
    _add_to_stage(memory, x, n)
    for total in (memory.totals + memory.sums).ravel().tolist():
        assert off(total, Fraction(x) * n) < CLOSE


@njit
def _add_to_cell(cells: Cells, game: Tables, x: float, n: int) -> None:
    for c in range(1, n + 1):
        if len(cells.pair):
            cells.pair[0, 0, 1, 0] += x
        else:
            cells.law[0, 0, 1, 0] += x  # as if a flush had added it
        if c % BLOCK == 0:
            compensate_cell(cells, game, 0, 0)
    write_law(cells, game, 0, 0, n - n % LANES)  # no visit waits


@visits
@pytest.mark.parametrize("agents", [1, 2])
def test_laws_of_a_cell(agents: int, n: int) -> None:
    game, x = one_state(agents, 2), 0.7
    cells = new_cells(game, 1)
    _add_to_cell(cells, game.tables, x, n)
    assert off(cells.law[0, 0, 1, 0], Fraction(x) * n) < CLOSE
    if agents == 2:
        assert cells.law[0, 1, 0, 1] == cells.law[0, 0, 1, 0]
    for sums in (cells.pair, cells.pair_total, cells.totals):
        assert not sums.any()


@njit
def _add_to_returns(returns: Returns, x: float, n: int) -> None:
    for episode in range(1, n + 1):
        returns.pending[0, 0] += x
        returns.pending[0, 0] += x  # another step
        record_episode(returns, episode)


@visits
@pytest.mark.parametrize("x", [0.1, 1e12 / 3, 1e-300 / 3])
def test_returns_of_one_block(x: float, n: int) -> None:
    returns = new_returns(1, n, single=0, blocks=1)
    _add_to_returns(returns, x, n)
    assert off(returns.mean[0, 0], Fraction(x) * 2) < CLOSE


@njit
def _play_two_actions(
    rng: Generator, n: int, loss: tuple[float, float]
) -> tuple[float, float, float]:
    """Tsallis-INF as in the kernel: how far the last policies are from those of exact sums."""
    q_hat, policy = np.zeros((1, 1, 1, 2)), np.full(2, 0.5)
    long, short = np.zeros(2), np.zeros(2)  # the same estimates, with all their digits
    worst = 0.0
    for c in range(1, n + 1):
        a = 0 if rng.random() < policy[0] else 1
        term = loss[a] / policy[a]
        q_hat[0, 0, 0, a] += term
        long[a], rest = two_sum(long[a], term)
        short[a] += rest
        eta = 2.0 * math.sqrt(1.0 / c)
        gap = q_hat[0, 0, 0, 0] - q_hat[0, 0, 0, 1]
        p = two_actions(abs(gap), eta)
        policy[0] = p if gap > 0.0 else 1.0 - p
        policy[1] = 1.0 - p if gap > 0.0 else p
        if c % BLOCK == 0:
            centre(q_hat, 0, 0, 0, 2)
            exact = two_actions(abs((long[0] - long[1]) + (short[0] - short[1])), eta)
            worst = max(worst, abs(p / exact - 1.0))
    return worst, q_hat.min(), long.max()


@visits
@pytest.mark.parametrize("loss", [(0.3, 0.3), (0.1, 0.9)], ids=["equal", "unequal"])
def test_estimates_of_losses(loss: tuple[float, float], n: int) -> None:
    """π of the worse action as the exact Q̂ has it: only differences of Q̂ need digits."""
    worst, least, largest = _play_two_actions(np.random.default_rng(1), n, loss)
    assert worst < 5e-12
    assert least < BLOCK * 1e3
    assert largest > 0.05 * n


@njit
def _learn_targets(
    game: Tables,
    rules: q_learning.Rules,
    memory: q_learning.Memory,
    returns: Returns,
    rng: Generator,
    n: int,
) -> None:
    for k in range(n):
        game.reward[0, 0, 0, 0, 0] = 0.3 + 1.0 / (k + 1)
        q_learning.learn_alone(game, rules, memory, returns, rng, k + 1)


@pytest.mark.parametrize("n", [10**6, pytest.param(10**8, marks=pytest.mark.slow)])
def test_q_learning_does_not_stall(n: int) -> None:
    """Targets 0.3 + 1/k at rates 2/(1 + k) average to 0.3 + 2/(n + 1), whatever α rounds away."""
    learner = new_learner(one_state(1, 1), IndependentQ(), n, 1)
    assert isinstance(learner, QLearner)
    _learn_targets(
        learner.game.tables, learner.rules, learner.memory, learner.returns, learner.rng, n
    )
    exact = Fraction(0.3) + Fraction(2, n + 1)
    assert off(float(learner.memory.q[0, 0, 0, 0]), exact) < 1e-14


# --- the kernel as a whole ------------------------------------------------------------------------


def one_stage(game: Game, n: int) -> VLearner:
    """A learner whose first stage has n visits, no bonus, and one entry of returns for all."""
    learner = VLearner(game, VLearning(bonus=0.0), n, seed=1, record=0)
    learner.memory.length[:] = n
    learner.returns = new_returns(game.N, n, single=0, blocks=1)
    return learner


@pytest.mark.parametrize(
    ("agents", "actions", "n"),
    [
        (1, 1, 10**6),
        (3, 3, 10**6),  # by Newton's method
        (2, 2, 10**7),
        pytest.param(2, 2, BILLION, marks=pytest.mark.slow),
    ],
)
def test_one_stage_of_all_visits(agents: int, actions: int, n: int) -> None:
    """The mean pay follows from how often each total came, in whole numbers."""
    game = one_state(agents, actions)
    learner = one_stage(game, n)
    learner.advance(n - 1)
    count = learner.memory.histogram[0, 0].copy()
    learner.advance(n)
    count[learner.path[0, 1:].sum()] += 1  # an action's effort is its index
    assert count.sum() == n
    pay = [Fraction(d + 0.1) for d in range(game.D)]
    mean = sum(int(c) * x for c, x in zip(count, pay, strict=True)) / n

    run = learner.finish()
    certificate = run.certificate
    assert certificate is not None
    assert certificate.stage_key.tolist() == [[0, 0, n, n]]
    assert certificate.cell_visits.tolist() == [n]
    for value in (certificate.stage_v_bar[0], certificate.stage_v_low[0]):
        for x in value.tolist():
            assert off(x, mean / Fraction(game.scale)) < CLOSE
    for x in run.returns[0].tolist():
        assert off(x, mean) < CLOSE
    law = certificate.cell_law[0] / n
    assert np.abs(law.sum(axis=(1, 2)) - 1).max() < 1e-12
    assert np.abs(learner.memory.policy.sum(axis=3) - 1).max() < 1e-12
    # what was played is what the laws say, up to chance
    expected = float(mean)
    value = float((law[0] * game.reward[0, 0, 0]).sum())
    assert value == pytest.approx(expected, abs=4 * game.scale / math.sqrt(n))


@pytest.mark.parametrize(("agents", "actions"), [(1, 1), (2, 2), (2, 3), (3, 3)])
def test_the_kernel_compensates_and_centres(agents: int, actions: int) -> None:
    """After a whole number of blocks no short sum holds more than a rounding error, and min Q̂ = 0.

    The sums above compensate themselves; here it is seen that the kernels do.
    """
    n = 3 * BLOCK
    learner = one_stage(one_state(agents, actions), 10 * BLOCK)
    learner.advance(n)
    memory, cells = learner.memory, learner.cells
    assert (memory.q_hat.min(axis=3) == 0).all()
    assert np.abs(memory.sums).max() < 1e-9
    assert memory.totals[..., 0].min() > 0.01 * n
    for short, long in ((cells.pair, cells.pair_total), (cells.law, cells.totals)):
        assert np.abs(short).max(initial=0.0) < 1e-9
        assert long.size == 0 or long.max() > 0.01 * n


@visits
def test_many_stages(n: int) -> None:
    """T = 1 and λ = 1: stages double, and all visits are accounted for."""
    game = one_state(2, 2)
    learner = VLearner(game, VLearning(fluctuation="fixed"), n, seed=2, record=0)
    learner.advance(n)
    run = learner.finish()
    certificate = run.certificate
    assert certificate is not None
    lengths = certificate.stage_key[:, 3].tolist()
    assert lengths == [2**m for m in range(n.bit_length() - 1)]
    assert sum(lengths) + int(learner.memory.visits[0, 0]) == n
    assert certificate.stage_key[:, 2].tolist() == np.cumsum(lengths).tolist()
    assert (certificate.cell_visits == certificate.stage_key[:, 3]).all()
    shares = certificate.cell_law.sum(axis=(2, 3)) / certificate.cell_visits[:, None]
    assert np.abs(shares - 1).max() < 1e-12
    assert certificate.episodes_in_stage(0).sum() == n
    found = run.evaluate()
    assert np.isfinite(found.gap).all()
    assert (np.abs(found.gap) < 4 * game.scale / math.sqrt(lengths[-1])).all()
