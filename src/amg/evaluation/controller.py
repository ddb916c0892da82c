"""Finite controllers: the form in which every policy is evaluated.

A controller is always in a node; its nodes at step t in state s are (t, s, m), m = 0, 1, …. It
draws one of the node's *rows* with the row's weight, the agents act by the row's law, and in the
next state s' it is in the row's successor node. A row is given by its weight times

    law[i, a, σ] = P(agent i plays a, the others' efforts sum to σ).

The certified policy is a controller (m counts completed stages, rows are cells). So are a Markov
policy (a single m, one row per node), whether its agents act independently or not, and a mixture of
J of them (m = j never changes).
"""

from collections.abc import Iterator
from functools import reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amg.base.errors import PolicyError
from amg.evaluation.certificate import Certificate, offsets
from amg.evaluation.policies import PolicyFunction, check_joint, check_policies
from amg.game.model import Game
from amg.kernels.laws import add_laws, new_tree


class Controller(NamedTuple):
    """Nodes, numbered by (t, s, m), and rows, sorted by node."""

    base: NDArray[np.int64]  # [T, S] number of the node (t, s, 0)
    size: NDArray[np.int64]  # [T, S] nodes of (t, s)
    step: NDArray[np.int64]  # [nodes] t of each node; ascends
    state: NDArray[np.int64]  # [nodes] s
    first_row: NDArray[np.int64]  # [nodes + 1] node n has rows first_row[n] … first_row[n+1] − 1
    successor: NDArray[np.int64]  # [rows, S] node in each next state; no meaning where none is
    law: NDArray[np.float64]  # [rows, N, A, D] with the row's weight: a node's rows sum to 1
    start: NDArray[np.float64]  # [nodes] probability that play starts in the node


def from_policies(
    game: Game, policy: ArrayLike | PolicyFunction, weights: ArrayLike | None = None
) -> Controller:
    """Return the mixture of product Markov policies: one is drawn, then followed.

    The arrays are those of `check_policies`.
    """
    stack, weights = check_policies(game, policy, weights)
    J = len(stack)
    nodes = [(t, s, j) for t, s in np.argwhere(game.exists).tolist() for j in range(J)]
    key = np.array([[t, s, j, *[j] * game.S] for t, s, j in nodes])
    law = np.stack([product_law(game, stack[j], t, s) for t, s, j in nodes])
    return _assemble(game, np.where(game.exists, J, 0), key, law, [weights] * len(game.states[0]))


def from_joint(game: Game, law: ArrayLike) -> Controller:
    """Return the Markov policy whose joint action at (t, s) is drawn from law[t, s]."""
    joint, places = check_joint(game, law), np.argwhere(game.exists)
    laws = np.stack([joint_law(game, joint[t, s], t, s) for t, s in places])
    start = [np.ones(1)] * len(game.states[0])
    return _assemble(game, np.where(game.exists, 1, 0), _first_keys(game), laws, start)


def from_certificate(certificate: Certificate) -> Controller:
    """Return the certified policy (Algorithm 5): node m draws a visit of stage m − 1.

    A row is a cell. Where no stage is complete (m = 0) the paper leaves the policy open. Ours plays
    uniformly there and at every later step of the episode.
    """
    game, key = certificate.game, certificate.cell_key
    stage = certificate.first_stage[key[:, 0], key[:, 1]] + key[:, 2]
    law = certificate.cell_law / certificate.stage_key[stage, 3][:, None, None, None]
    begun = map(certificate.episodes_in_stage, range(len(game.states[0])))
    node_key = key + (np.arange(key.shape[1]) == 2)  # stage m − 1 is node m
    uniform = game.uniform_policy()
    first_law = np.stack([product_law(game, uniform, t, s) for t, s in np.argwhere(game.exists)])
    return _assemble(
        game,
        np.where(game.exists, certificate.completed + 1, 0),
        np.vstack([_first_keys(game), node_key]),
        np.concatenate([first_law, law]),
        [episodes / certificate.episodes for episodes in begun],
    )


def product_law(game: Game, policy: NDArray[np.float64], t: int, s: int) -> NDArray[np.float64]:
    """Return law[i, a, σ] = π_i(a) P_-i(σ) of independent agents at (t, s)."""
    tables, law = game.tables, np.zeros((game.N, *game.reward.shape[3:]))
    queue, tree = policy[t, s][:, :, None].copy(), new_tree(game.N, game.D)
    add_laws(law, queue, 1, tables.effort[t, s], tables.n_actions[t, s], tree)
    return law


def joint_law(game: Game, joint: NDArray[np.float64], t: int, s: int) -> NDArray[np.float64]:
    """Return law[i, a, σ] = Σ joint(a_1, …, a_N) over a_i = a and Σ_{j≠i} effort(a_j) = σ."""
    N, A, D = game.reward.shape[2:]
    effort = game.tables.effort[t, s]
    total = reduce(np.add.outer, effort)  # of each joint action
    law = np.zeros((N, A, D))
    for i in range(N):
        others = np.moveaxis(total, i, -1) - effort[i]
        cell = np.arange(A) * D + others
        weights = np.moveaxis(joint, i, -1)
        law[i] = np.bincount(cell.ravel(), weights.ravel(), A * D).reshape(A, D)
    return law


def _first_keys(game: Game) -> NDArray[np.int64]:
    """Return the keys (t, s, 0), with m' = 0 in each next state."""
    return np.pad(np.argwhere(game.exists), ((0, 0), (0, 1 + game.S)))


def _assemble(
    game: Game,
    size: NDArray[np.int64],
    key: NDArray[np.int64],
    law: NDArray[np.float64],
    start: list[NDArray[np.float64]],
) -> Controller:
    """Number the nodes and sort the rows.

    A row's key is t, s, m and the m' of each next state; start[s][m] is the weight of (1, s, m),
    given that the game starts in s.
    """
    base = offsets(size)
    t, s, m = key[:, :3].T
    node = base[t, s] + m
    order = np.argsort(node, kind="stable")
    step, state = np.divmod(np.repeat(np.arange(size.size), size.ravel()), game.S)
    weights = np.zeros(len(step))
    for first, share in enumerate(start):
        weights[base[0, first] :][: len(share)] = game.initial[first] * share
    return Controller(
        base=base,
        size=size,
        step=step,
        state=state,
        first_row=np.searchsorted(node[order], np.arange(len(step) + 1)),
        successor=(np.pad(base, ((0, 1), (0, 0)))[t + 1] + key[:, 3:])[order],
        law=np.ascontiguousarray(law[order]),
        start=weights,
    )


def check_controller(game: Game, controller: Controller) -> None:
    """Refuse a controller that is not one of this game; the kernels trust its indices."""
    for part, fits in _parts(game, controller):
        if not fits:
            raise PolicyError(
                f"the controller's {part} does not fit game {game.name!r}; make it from this game"
            )


def _parts(game: Game, c: Controller) -> Iterator[tuple[str, bool]]:
    """Yield each part and whether it fits; those before it do."""
    T, S, N, A, D = game.reward.shape
    sizes = np.shape(c.size) == (T, S) and bool(((c.size > 0) == game.exists).all())
    yield "size", sizes and bool((c.size >= 0).all())
    nodes, rows = int(c.size.sum()), len(c.law)
    place = np.repeat(np.arange(T * S), c.size.ravel())
    yield "base", np.array_equal(c.base, offsets(c.size))
    yield "step", np.array_equal(c.step, place // S)
    yield "state", np.array_equal(c.state, place % S)
    yield "start", np.shape(c.start) == (nodes,)
    first = np.shape(c.first_row) == (nodes + 1,) and (c.first_row[0], c.first_row[-1]) == (0, rows)
    yield "first_row", first and bool((np.diff(c.first_row) >= 1).all())
    place = np.repeat(place, np.diff(c.first_row))  # of each row from here on
    t, s = np.divmod(place, S)
    yield (
        "successor",
        np.shape(c.successor) == (rows, S)
        and all(
            bool(((c.base[u] <= to) & (to < c.base[u] + c.size[u]))[:, game.exists[u]].all())
            for u in range(1, T)
            for to in [c.successor[t == u - 1]]
        ),
    )
    yield "law", np.shape(c.law) == (rows, N, A, D)
    possible = game.reachable[0][t, s][:, :, None, :] & (game.effort[t, s] >= 0)[..., None]
    yield "law", bool(np.where(possible, c.law >= 0, c.law == 0).all())
