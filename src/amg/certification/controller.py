"""Finite controllers: the form in which every policy is evaluated.

A controller sits in a node; its nodes at step t in state s are (t, s, m), m = 0, 1, …. There it
draws one of the node's *rows* with the row's weight, the agents act by the row's law, and in the
next state s' it goes on in the row's successor node. A row is known by its weight times

    law[i, a, σ] = P(agent i plays a, the others' efforts sum to σ).

The certified policy is a controller (m counts completed stages, rows are cells); so is a product
Markov policy (a single m, one row a node) and a mixture of J of them (m = j never changes).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amg.certification.certificate import Certificate
from amg.game import Game
from amg.laws import laws_of_others, new_laws
from amg.run import Run


class Controller(NamedTuple):
    """Nodes are numbered by (t, s, m) and rows sorted by node."""

    base: NDArray[np.int64]  # [T, S] number of the node (t, s, 0)
    size: NDArray[np.int64]  # [T, S] nodes of (t, s)
    step: NDArray[np.int64]  # [nodes] t of each node; ascends
    state: NDArray[np.int64]  # [nodes] s
    first_row: NDArray[np.int64]  # [nodes + 1] node n has rows first_row[n] … first_row[n+1] − 1
    successor: NDArray[np.int64]  # [rows, S] node in each next state
    law: NDArray[np.float64]  # [rows, N, A, D] with the row's weight: a node's rows sum to 1
    start: NDArray[np.float64]  # [nodes] weight of (1, s, m), given that the game starts in s


def from_policies(
    game: Game, policies: NDArray[np.float64], weights: NDArray[np.float64] | None = None
) -> Controller:
    """The mixture of product Markov policies [J, T, S, N, A]: one is drawn, then followed."""
    J = len(policies)
    weights = np.full(J, 1.0 / J) if weights is None else np.asarray(weights, dtype=np.float64)
    t, s, j = (axis.ravel() for axis in np.indices((game.T, game.S, J)))
    real = game.exists[t, s]
    t, s, j = t[real], s[real], j[real]
    law = np.stack([product_law(game, policies[c], a, b) for a, b, c in zip(t, s, j, strict=True)])
    stay = np.repeat(j[:, None], game.S, axis=1)
    return _assemble(
        game, np.where(game.exists, J, 0), (t, s, j), stay, law, [weights] * len(game.states[0])
    )


def from_certificate(certificate: Certificate) -> Controller:
    """The certified policy (Algorithm 5): node m draws a visit from stage m − 1, a row is a cell.

    Where no stage is complete (m = 0) the paper leaves the policy open; ours plays uniformly, there
    and at every later step of the episode.
    """
    game, key = certificate.game, certificate.cell_key
    uniform = game.uniform_policy()
    first = np.argwhere(game.exists)
    first_law = np.stack([product_law(game, uniform, t, s) for t, s in first])
    t, s, m = key[:, 0], key[:, 1], key[:, 2]
    length = certificate.stage_key[certificate.stage_row(t, s, m), 3]
    share = [certificate.episodes_in_stage(s) for s in range(len(game.states[0]))]
    return _assemble(
        game,
        np.where(game.exists, certificate.completed + 1, 0),
        (
            np.concatenate([first[:, 0], t]),
            np.concatenate([first[:, 1], s]),
            np.concatenate([np.zeros(len(first), dtype=np.int64), m + 1]),
        ),
        np.vstack([np.zeros((len(first), game.S), dtype=np.int64), key[:, 3:]]),
        np.concatenate([first_law, certificate.cell_law / length[:, None, None, None]]),
        [episodes / certificate.episodes for episodes in share],
    )


def controller_of(run: Run) -> Controller:
    """The policy that a run stands for: certified (V-learning) or greedy (Q-learning)."""
    if run.certificate is not None:
        return from_certificate(run.certificate)
    assert run.policy is not None
    return from_policies(run.game, run.policy[None])


def product_law(game: Game, policy: NDArray[np.float64], t: int, s: int) -> NDArray[np.float64]:
    """law[i, a, σ] = π_i(a) P_-i(σ) of independent agents at (t, s)."""
    tables, others = game.tables, new_laws(game.N, game.D)
    laws_of_others(policy, tables.effort, tables.n_actions, t, s, others)
    return policy[t, s][:, :, None] * others.law[:, None, :]


def _assemble(
    game: Game,
    size: NDArray[np.int64],
    place: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
    after: NDArray[np.int64],
    law: NDArray[np.float64],
    start: list[NDArray[np.float64]],
) -> Controller:
    """Number the nodes and sort the rows: row j stands at place (t, s, m)[j], leads to after[j]."""
    base = (np.cumsum(size) - size.ravel()).reshape(size.shape)
    t, s, m = place
    node = base[t, s] + m
    nodes = int(size.sum())
    following = np.vstack([base, np.zeros((1, game.S), dtype=np.int64)])[t + 1]
    there = np.vstack([game.exists, np.zeros((1, game.S), dtype=bool)])[t + 1]
    order = np.argsort(node, kind="stable")
    first_row = np.searchsorted(node[order], np.arange(nodes + 1))
    weights = np.zeros(nodes)
    for state, share in enumerate(start):
        weights[base[0, state] : base[0, state] + size[0, state]] = share
    return Controller(
        base=base,
        size=size,
        step=np.repeat(np.repeat(np.arange(game.T), game.S), size.ravel()),
        state=np.repeat(np.tile(np.arange(game.S), game.T), size.ravel()),
        first_row=first_row,
        successor=np.where(there, following + after, 0)[order],
        law=np.ascontiguousarray(law[order]),
        start=weights,
    )
