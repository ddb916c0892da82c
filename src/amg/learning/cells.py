"""Cells: what training adds up so that the certified policy can be evaluated exactly.

The visits to (t, s) in which m_{t,s} and all m_{t+1,s'} are constant form one contiguous run, a
*cell*. For each cell training adds up the number of visits and, for each agent i,

    Σ_visits π_i(a_i) · P_-i(σ),

with the policies before the visit's update. There are O(log K) cells while stages grow.

Policies wait in a queue until there are LANES of them or the cell ends: laws of many visits are
cheaper together. So it depends on the visits of a cell alone, when a visit is added.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from amg.game.model import Game, Tables
from amg.kernels.laws import LANES, Tree, add_laws, new_tree
from amg.kernels.sums import BLOCK, Floats, Ints, two_sum


class Cells(NamedTuple):
    """The rows written so far, and for each (t, s) the one that is open."""

    used: Ints  # [1]
    key: Ints  # [rows, 3 + S] step, state, m, and m' of each next state
    visits: Ints  # [rows]
    law: Floats  # [rows, N, A, D] the sums; of an open row recent ones (sums.py)
    row: Ints  # [T, S] the open row
    opened: Ints  # [T, S] visits of the stage under way before the row was opened
    queue: Floats  # [T, S, N, A, LANES] policies of visits that are not in the sums yet
    totals: Floats  # [T, S, N, A, D] totals of the open row
    pair: Floats  # [T, S, A, A] for two agents instead: recent sums of π_1(a) π_2(b)
    pair_total: Floats  # [T, S, A, A] their totals
    tree: Tree  # scratch


def new_cells(game: Game, rows: int) -> Cells:
    """Return room for `rows` cells, with the first cell of every (t, s) open."""
    T, S, N, A, D = game.reward.shape
    any_number, two = ((T, S, N, A), (0,) * 4) if N != 2 else ((0,) * 4, (T, S, A, A))
    cells = Cells(
        used=np.zeros(1, dtype=np.int64),
        key=np.zeros((rows, 3 + S), dtype=np.int64),
        visits=np.zeros(rows, dtype=np.int64),
        law=np.zeros((rows, N, A, D)),
        row=np.full((T, S), -1, dtype=np.int64),
        opened=np.zeros((T, S), dtype=np.int64),
        queue=np.zeros((*any_number, LANES)),
        totals=np.zeros((*any_number, D)),
        pair=np.zeros(two),
        pair_total=np.zeros(two),
        tree=new_tree(N, D) if N != 2 else new_tree(1, 1),
    )
    stage = np.zeros((T, S), dtype=np.int64)
    for t, s in np.argwhere(game.exists):
        begin_cell(cells, stage, t, s, 0)
    return cells


@njit(cache=True)
def add_visit(cells: Cells, game: Tables, policy: Floats, t: int, s: int, c: int) -> None:
    """Add the c-th visit of a stage, before its update.

    Of two agents, P_-i is the policy of the other.
    """
    n_actions = game.n_actions
    if n_actions.shape[2] == 2:
        for a in range(n_actions[t, s, 0]):
            for b in range(n_actions[t, s, 1]):
                cells.pair[t, s, a, b] += policy[t, s, 0, a] * policy[t, s, 1, b]
        return
    waiting = (c - cells.opened[t, s] - 1) % LANES
    for i in range(n_actions.shape[2]):
        for a in range(n_actions[t, s, i]):
            cells.queue[t, s, i, a, waiting] = policy[t, s, i, a]
    if waiting == LANES - 1:
        _flush(cells, game, t, s, LANES)


@njit(cache=True)
def _flush(cells: Cells, game: Tables, t: int, s: int, waiting: int) -> None:
    """Add the visits that wait in the queue to the recent sums."""
    law, queue, menus = cells.law[cells.row[t, s]], cells.queue[t, s], game.n_actions[t, s]
    add_laws(law, queue, waiting, game.effort[t, s], menus, cells.tree)


@njit(cache=True)
def compensate_cell(cells: Cells, game: Tables, t: int, s: int) -> None:
    """Move the recent sums of the open row to the totals, so that no precision is lost."""
    n_actions = game.n_actions
    if n_actions.shape[2] == 2:
        recent, sums = cells.pair[t, s], cells.pair_total[t, s]
        for a in range(n_actions[t, s, 0]):
            for b in range(n_actions[t, s, 1]):
                sums[a, b], recent[a, b] = two_sum(sums[a, b], recent[a, b])
        return
    for i in range(n_actions.shape[2]):
        law, totals = cells.law[cells.row[t, s], i], cells.totals[t, s, i]
        for a in range(n_actions[t, s, i]):
            for d in range(totals.shape[1]):
                totals[a, d], law[a, d] = two_sum(totals[a, d], law[a, d])


@njit(cache=True)
def write_law(cells: Cells, game: Tables, t: int, s: int, c: int) -> None:
    """Write the sums of the open row to its law, and start new ones at 0.

    Totals are 0 where no visit of the cell, up to the c-th of the stage, ended a block.
    """
    row, n_actions = cells.row[t, s], game.n_actions
    if n_actions.shape[2] == 2:
        for a in range(n_actions[t, s, 0]):
            for b in range(n_actions[t, s, 1]):
                total = cells.pair_total[t, s, a, b] + cells.pair[t, s, a, b]
                cells.law[row, 0, a, game.effort[t, s, 1, b]] += total
                cells.law[row, 1, b, game.effort[t, s, 0, a]] += total
                cells.pair_total[t, s, a, b] = cells.pair[t, s, a, b] = 0.0
        return
    law, totals, opened = cells.law[row], cells.totals, cells.opened[t, s]
    _flush(cells, game, t, s, (c - opened) % LANES)
    if c // BLOCK > opened // BLOCK:
        for i in range(n_actions.shape[2]):
            for a in range(n_actions[t, s, i]):
                for d in range(law.shape[2]):
                    law[i, a, d] += totals[t, s, i, a, d]
                    totals[t, s, i, a, d] = 0.0


@njit(cache=True)
def begin_cell(cells: Cells, stage: Ints, t: int, s: int, c: int) -> None:
    """Begin a new cell of (t, s) after c visits of its stage.

    A row without visits is used again, so that all rows but the open ones have visits.
    """
    row = cells.row[t, s]
    if row < 0 or cells.visits[row] > 0:
        row = cells.used[0]
        cells.used[0] = row + 1
        cells.row[t, s] = row
    cells.opened[t, s] = c
    cells.key[row, 0], cells.key[row, 1], cells.key[row, 2] = t, s, stage[t, s]
    for after in range(stage.shape[1]):
        cells.key[row, 3 + after] = stage[t + 1, after] if t + 1 < len(stage) else 0


@njit(cache=True)
def end_cell(cells: Cells, game: Tables, t: int, s: int, c: int) -> None:
    """End the open cell of (t, s) with the c-th visit of its stage."""
    write_law(cells, game, t, s, c)
    cells.visits[cells.row[t, s]] = c - cells.opened[t, s]


@njit(cache=True)
def end_stage(
    cells: Cells, game: Tables, stage: Ints, visits: Ints, t: int, s: int, c: int
) -> None:
    """End cells after the stage of (t, s) ended with its c-th visit; `stage` counts it already.

    These are the cell of (t, s) and, since their m' changed, those of all states one step before.
    """
    end_cell(cells, game, t, s, c)
    begin_cell(cells, stage, t, s, 0)
    if t > 0:
        for before in range(game.n_states[t - 1]):
            end_cell(cells, game, t - 1, before, visits[t - 1, before])
            begin_cell(cells, stage, t - 1, before, visits[t - 1, before])
