"""The rows of Algorithm 1 in lockstep, and how they are read from the arrays of the runs.

A block has work rows of the visit at hand, for each state a *slot* of what its stage has gathered,
and V̄ and V̲ of the next step. Rows are read before episodes are played and written after them; at
the end of a stage only those of its slots.
"""

from numba import njit

from amg.game.model import Tables
from amg.kernels.lanes import FAST
from amg.kernels.sums import Floats
from amg.learning.algorithm1 import Memory, Stages
from amg.learning.cells import Cells
from amg.learning.lockstep import FIRST

# work rows of a block; from NOW on come π at the state and Q̂ there, 2A rows each, then the slots
JOINT, ETA, DUE, U, ACTION, REWARD, ROOT, TOTAL, OPEN, NOW = 1, 2, 3, 4, 7, 9, 11, 12, 13, 14
# rows of a slot; after Q̂ come π (2A rows), products of π (A²) and counts of joint actions (A²)
VISITS, LENGTH, SUMS, Q = 0, 1, 2, 8


@njit(**FAST)
def slots(A: int) -> int:
    """Return the first row of the slots of a block."""
    return NOW + 4 * A


@njit(**FAST)
def slot_rows(A: int) -> int:
    """Return F, the number of rows of a slot."""
    return Q + 4 * A + 2 * A * A


@njit(**FAST)
def block_rows(S: int, A: int) -> int:
    """Return the number of rows of a block."""
    return slots(A) + S * (slot_rows(A) + 4)


@njit(**FAST)
def first_row(t: int, S: int, A: int) -> int:
    """Return the first row of the block of step t."""
    return FIRST + t * block_rows(S, A)


@njit
def load(rows: Floats, game: Tables, memories: Memory, cellses: Cells) -> None:
    """Read all slots from the arrays of the runs."""
    _, S, _, A = memories.policy.shape[1:]
    for w in range(len(memories.episode)):
        memory, cells = memory_of(memories, w), cells_of(cellses, w)
        for t in range(len(memory.stage)):
            for s in range(S):
                load_slot(rows, game, memory, cells, first_row(t, S, A), t, s, w)
            load_ahead(rows, memory, first_row(t, S, A), t + 1, S, A, w)


@njit
def save(rows: Floats, game: Tables, memories: Memory, cellses: Cells) -> None:
    """Write all slots to the arrays of the runs."""
    _, S, _, A = memories.policy.shape[1:]
    for w in range(len(memories.episode)):
        memory, cells = memory_of(memories, w), cells_of(cellses, w)
        for t in range(len(memory.stage)):
            for s in range(S):
                save_slot(rows, game, memory, cells, first_row(t, S, A), t, s, w)


@njit
def load_slot(
    rows: Floats, game: Tables, memory: Memory, cells: Cells, first: int, t: int, s: int, w: int
) -> None:
    """Read the slot of (t, s) from the arrays of run w."""
    A = memory.policy.shape[3]
    f = first + slots(A) + s * slot_rows(A)
    rows[f + VISITS, w], rows[f + LENGTH, w] = memory.visits[t, s], memory.length[t, s]
    for i in range(2):
        for j in range(3):
            rows[f + SUMS + 3 * i + j, w] = memory.sums[t, s, i, j]
        for a in range(A):
            rows[f + Q + A * i + a, w] = memory.q_hat[t, s, i, a]
            rows[f + Q + 2 * A + A * i + a, w] = memory.policy[t, s, i, a]
    f += Q + 4 * A
    count = memory.histogram[t, s].copy()
    for a in range(A):
        for b in range(A):  # the first joint action of an aggregate takes its whole count
            d = game.effort[t, s, 0, a] + game.effort[t, s, 1, b]
            rows[f + A * a + b, w] = cells.pair[t, s, a, b]
            rows[f + A * A + A * a + b, w] = count[d]
            count[d] = 0


@njit
def save_slot(
    rows: Floats, game: Tables, memory: Memory, cells: Cells, first: int, t: int, s: int, w: int
) -> None:
    """Write the slot of (t, s) to the arrays of run w."""
    A = memory.policy.shape[3]
    f = first + slots(A) + s * slot_rows(A)
    memory.visits[t, s], memory.length[t, s] = int(rows[f + VISITS, w]), int(rows[f + LENGTH, w])
    for i in range(2):
        for j in range(3):
            memory.sums[t, s, i, j] = rows[f + SUMS + 3 * i + j, w]
        for a in range(A):
            memory.q_hat[t, s, i, a] = rows[f + Q + A * i + a, w]
            memory.policy[t, s, i, a] = rows[f + Q + 2 * A + A * i + a, w]
    f += Q + 4 * A
    count = memory.histogram[t, s]
    count[:] = 0
    for a in range(A):
        for b in range(A):
            d = game.effort[t, s, 0, a] + game.effort[t, s, 1, b]
            cells.pair[t, s, a, b] = rows[f + A * a + b, w]
            count[d] += int(rows[f + A * A + A * a + b, w])


@njit
def load_ahead(rows: Floats, memory: Memory, first: int, t: int, S: int, A: int, w: int) -> None:
    """Read V̄ and V̲ of step t into the block of the step before it."""
    f = first + slots(A) + S * slot_rows(A)
    for s in range(S):
        for i in range(2):
            rows[f + 2 * s + i, w] = memory.v_bar[t, s, i]
            rows[f + 2 * S + 2 * s + i, w] = memory.v_low[t, s, i]


@njit
def memory_of(all: Memory, w: int) -> Memory:
    """Return the memory of run w."""
    return Memory(
        all.episode[w], all.stage[w], all.visits[w], all.length[w], all.real_length[w],
        all.histogram[w], all.sums[w], all.totals[w], all.v_bar[w], all.v_low[w], all.q_hat[w],
        all.policy[w], all.path[w],
    )  # fmt: skip


@njit
def stages_of(all: Stages, w: int) -> Stages:
    """Return the stages of run w."""
    return Stages(all.used[w], all.key[w], all.coefficient[w], all.v_bar[w], all.v_low[w])


@njit
def cells_of(all: Cells, w: int) -> Cells:
    """Return the cells of run w."""
    return Cells(
        all.used[w], all.key[w], all.visits[w], all.law[w], all.row[w], all.opened[w],
        all.queue[w], all.totals[w], all.pair[w], all.pair_total[w], all.tree,
    )  # fmt: skip
