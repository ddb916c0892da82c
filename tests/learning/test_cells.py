"""Sums of a cell against the straightforward ones: a convolution for each visit, in numpy."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit
from numpy.typing import NDArray

from amg.game.library import build
from amg.game.model import Game, Tables
from amg.game.tabulation import tabulate
from amg.kernels.sums import BLOCK
from amg.learning.cells import Cells, add_visit, begin_cell, compensate_cell, end_cell, new_cells
from amg.learning.parameters import VLearning
from amg.learning.v_learner import VLearner


def uneven() -> Game:
    """Menus differ by agent and state; efforts are negative and leave gaps."""
    efforts = [[-3, 0, 4], [2], [-1, 7], [0, 1, 2], [5, -5]]
    return tabulate(
        name="uneven",
        agents=[f"agent {i}" for i in range(5)],
        states=[["a"], ["b", "c"]],
        efforts=lambda t, s, i: {str(e): e for e in efforts[(i + t + (s == "c")) % 5]},
        reward=lambda t, s, i, action, others: 0.5,
        transition=lambda t, s, total: {"b": 0.5, "c": 0.5},
        initial={"a": 1},
        origin=-5,
        reward_range=(0, 1),
    )


GAMES = {
    "fishermen-3": lambda: build("fishermen", {"agents": 3}),
    "fishermen-5": lambda: build("fishermen", {"agents": 5}),
    "fishermen-16": lambda: build("fishermen", {"agents": 16}),
    "congestion-4": lambda: build("congestion", {"agents": 4}),
    "uneven": uneven,
}


def straight(game: Game, policy: NDArray[np.float64], t: int, s: int) -> NDArray[np.float64]:
    """π_i(a) P_-i(σ) of one visit."""
    effort, law = game.tables.effort[t, s], np.zeros((game.N, *game.reward.shape[3:]))
    n = game.n_actions[t, s]
    own = [np.bincount(effort[i, : n[i]], policy[i, : n[i]]) for i in range(game.N)]
    for i in range(game.N):
        others = np.ones(1)
        for j in range(game.N):
            if j != i:
                others = np.convolve(others, own[j])
        for a in range(n[i]):
            law[i, a, : len(others)] += policy[i, a] * others
    return law


def policies(game: Game, visits: int, seed: int) -> NDArray[np.float64]:
    """Some near a corner, some not."""
    rng = np.random.default_rng(seed)
    found = rng.random((visits, *game.effort.shape)) ** rng.integers(1, 12, (visits, 1, 1, 1, 1))
    found = np.where(game.effort >= 0, found + 1e-12, 0.0)
    return found / np.maximum(found.sum(axis=-1, keepdims=True), 1e-300)


@njit
def _add(
    cells: Cells, game: Tables, policy: NDArray[np.float64], t: int, s: int, before: int
) -> None:
    for b in range(len(policy)):
        c = before + b + 1
        add_visit(cells, game, policy[b], t, s, c)
        if c % BLOCK == 0:
            compensate_cell(cells, game, t, s)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("visits", [1, 2, 8, 9, 15, 16, 17, 31, 32, 33, 100])
def test_sums_of_a_cell(game: str, visits: int) -> None:
    """Wherever in a stage the cell begins, and with a block's end in between."""
    made = GAMES[game]()
    played = policies(made, visits, seed=visits)
    stage = np.zeros((made.T, made.S), dtype=np.int64)
    for t, s in np.argwhere(made.exists).tolist():
        expected = sum(straight(made, one[t, s], t, s) for one in played)
        for before in (0, 5, BLOCK - 20):
            cells = new_cells(made, 20)
            begin_cell(cells, stage, t, s, before)
            _add(cells, made.tables, played, t, s, before)
            end_cell(cells, made.tables, t, s, before + visits)
            row = cells.row[t, s]
            assert cells.visits[row] == visits
            assert np.abs(cells.law[row] - expected).max() < 1e-13 * visits
            assert not cells.totals.any()


@pytest.mark.parametrize("chunk", [1, 7, 16, 500])
def test_chunks_and_resumption_keep_the_bits(chunk: int) -> None:
    """A queue that is half full goes on where it stopped."""
    game, n = build("fishermen", {"agents": 3}), 1500
    whole = VLearner(game, VLearning(stage_rule="real"), n, seed=3, record=0)
    whole.advance(n)
    parts = VLearner(game, VLearning(stage_rule="real"), n, seed=3, record=0)
    for until in range(chunk, n + chunk, chunk):
        parts.advance(min(until, n))
        if until % (100 * chunk) == 0 or chunk == 500:
            saved = {name: array.copy() for name, array in parts.state().items()}
            parts = VLearner(game, VLearning(stage_rule="real"), n, seed=3, record=0)
            parts.resume(saved)
    assert "cells.queue" in parts.state()
    for name, array in whole.state().items():
        np.testing.assert_array_equal(parts.state()[name], array, err_msg=name)
