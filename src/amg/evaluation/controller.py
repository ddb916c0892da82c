"""Policies as arrays: everything wrong with one is one PolicyError.

A Markov policy is an array [T, S, N, A]: policy[t, s, i, a] is the probability that agent i takes
action a at step t in state s. A game's steps may have fewer than S states, and agents fewer than A
actions; the rest of the array is padding. Padded *states* are ignored as long as they are finite.
Padded *actions* of real states must have probability 0.

---
Finite controllers: the form in which every policy is evaluated.

A controller is always in a node; its nodes at step t in state s are (t, s, m), m = 0, 1, …. It
draws one of the node's *rows* with the row's weight, the agents act by the row's law, and in the
next state s' it is in the row's successor node. A row is given by its weight times

    law[i, a, σ] = P(agent i plays a, the others' efforts sum to σ).

The certified policy is a controller (m counts completed stages, rows are cells). So are a product
Markov policy (a single m, one row per node) and a mixture of J of them (m = j never changes).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amg.base.errors import PolicyError
from amg.base.text import quote
from amg.evaluation.certificate import Certificate
from amg.game.model import Game
from amg.kernels.laws import laws_of_others, new_laws

TOLERANCE = 1e-9  # by which the sum of probabilities may differ from 1


def check_policies(
    game: Game, policy: ArrayLike, weights: ArrayLike | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return a stack of policies and their weights, or raise a PolicyError that says what is wrong.

    Parameters
    ----------
    game : Game
    policy : array [T, S, N, A] or [J, T, S, N, A]
        One Markov policy, or J of them.
    weights : array [J], optional
        Probability of each policy; without it all J are equally likely.

    Returns
    -------
    stack : array [J, T, S, N, A] of float64
        The policies, with 0 in padded states.
    weights : array [J] of float64
    """
    T, S, N, A = game.effort.shape
    shape = f"[T, S, N, A] = [{T}, {S}, {N}, {A}]"
    array = _numbers("policy", policy, f"give an array {shape} or a stack of them")
    stack = array[None] if array.ndim == 4 else array
    if stack.ndim != 5 or stack.shape[1:] != (T, S, N, A) or not len(stack):
        raise PolicyError(
            f"policy has the shape {list(array.shape)}; game {game.name!r} needs {shape}, or "
            f"[J, T, S, N, A] for J policies"
        )
    _check_entries(game, stack, np.isnan(stack), "is not a number")
    _check_entries(game, stack, np.isinf(stack), "is not finite")
    real = game.exists[None, :, :, None, None]
    _check_entries(game, stack, real & (stack < 0), "is negative")
    absent = real & (game.effort < 0)[None]
    _check_entries(game, stack, absent & (stack > 0), "is for an action that does not exist")
    stack = np.where(real, stack, 0.0)
    _check_sums(game, stack)
    return stack, _check_weights(len(stack), weights)


def _numbers(name: str, given: Any, remedy: str) -> NDArray[np.float64]:
    """Return the array as doubles; refuse what is not an array of real numbers."""
    try:
        array = np.asarray(given)
    except (TypeError, ValueError):  # lists of different lengths
        raise PolicyError(f"{name} is not an array of numbers; {remedy}") from None
    if array.dtype.kind not in "fiu":
        kind = type(given).__name__ if array.dtype == object else f"array of {array.dtype}"
        raise PolicyError(f"{name} is not an array of real numbers but {kind}; {remedy}")
    with np.errstate(over="ignore"):  # a long double becomes infinite, and is refused as such
        return array.astype(np.float64)


def _check_entries(
    game: Game, stack: NDArray[np.float64], wrong: NDArray[np.bool_], problem: str
) -> None:
    if wrong.any():
        index = tuple(np.argwhere(wrong)[0].tolist())
        raise PolicyError(f"{_place(game, stack, *index)}: probability {stack[index]:g} {problem}")


def _check_sums(game: Game, stack: NDArray[np.float64]) -> None:
    sums = stack.sum(axis=4)
    wrong = (abs(sums - 1.0) > TOLERANCE) & game.exists[None, :, :, None]
    if wrong.any():
        index = tuple(np.argwhere(wrong)[0].tolist())
        raise PolicyError(
            f"{_place(game, stack, *index)}: probabilities sum to {sums[index]:.12g}, not to 1; "
            f"divide them by their sum"
        )


def _place(
    game: Game, stack: NDArray[np.float64], j: int, t: int, s: int, i: int, a: int | None = None
) -> str:
    """Return where an entry is, in indices and in the names of the game."""
    index = f"t={t}, s={s}, agent={i}" + ("" if a is None else f", action={a}")
    which = "policy" if len(stack) == 1 else f"policy[{j}]"
    if not game.exists[t, s]:
        return f"{which} at {index} (a padded state)"
    named = None if a is None or a >= len(game.actions[t][s][i]) else a
    return f"{which} at {index} ({game.where(t, s, i, named)})"


def _check_weights(J: int, weights: ArrayLike | None) -> NDArray[np.float64]:
    if weights is None:
        return np.full(J, 1.0 / J)
    remedy = f"give {J} number{'s' if J > 1 else ''} that sum to 1"
    array = _numbers("weights", weights, remedy)
    if array.shape != (J,):
        raise PolicyError(f"weights has the shape {list(array.shape)}, not [{J}]; {remedy}")
    for j, weight in enumerate(array.tolist()):
        if not (np.isfinite(weight) and weight >= 0):
            problem = "negative" if weight < 0 and np.isfinite(weight) else "not finite"
            raise PolicyError(f"weights[{j}] = {quote(weight)} is {problem}; {remedy}")
    if abs(array.sum() - 1.0) > TOLERANCE:
        raise PolicyError(f"weights sum to {array.sum():.12g}, not to 1; {remedy}")
    return array


# ===== evaluation/controller


class Controller(NamedTuple):
    """Nodes, numbered by (t, s, m), and rows, sorted by node."""

    base: NDArray[np.int64]  # [T, S] number of the node (t, s, 0)
    size: NDArray[np.int64]  # [T, S] nodes of (t, s)
    step: NDArray[np.int64]  # [nodes] t of each node; ascends
    state: NDArray[np.int64]  # [nodes] s
    first_row: NDArray[np.int64]  # [nodes + 1] node n has rows first_row[n] … first_row[n+1] − 1
    successor: NDArray[np.int64]  # [rows, S] node in each next state
    law: NDArray[np.float64]  # [rows, N, A, D] with the row's weight: a node's rows sum to 1
    start: NDArray[np.float64]  # [nodes] weight of (1, s, m), given that the game starts in s


def from_policies(game: Game, policies: ArrayLike, weights: ArrayLike | None = None) -> Controller:
    """Return the mixture of product Markov policies: one is drawn, then followed.

    The arrays are those of `check_policies`, which refuses whatever is not a policy of the game.
    """
    stack, weights = check_policies(game, policies, weights)
    J = len(stack)
    t, s, j = (axis.ravel() for axis in np.indices((game.T, game.S, J)))
    real = game.exists[t, s]
    t, s, j = t[real], s[real], j[real]
    law = np.stack([product_law(game, stack[c], a, b) for a, b, c in zip(t, s, j, strict=True)])
    stay = np.repeat(j[:, None], game.S, axis=1)
    return _assemble(
        game, np.where(game.exists, J, 0), (t, s, j), stay, law, [weights] * len(game.states[0])
    )


def from_certificate(certificate: Certificate) -> Controller:
    """Return the certified policy (Algorithm 5): node m draws a visit of stage m − 1.

    A row is a cell. Where no stage is complete (m = 0) the paper leaves the policy open. Ours plays
    uniformly there and at every later step of the episode.
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


def product_law(game: Game, policy: NDArray[np.float64], t: int, s: int) -> NDArray[np.float64]:
    """Return law[i, a, σ] = π_i(a) P_-i(σ) of independent agents at (t, s)."""
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
    """Number the nodes and sort the rows; row j is at place (t, s, m)[j] and leads to after[j]."""
    base = (np.cumsum(size) - size.ravel()).reshape(size.shape)
    t, s, m = place
    node = base[t, s] + m
    nodes = int(size.sum())
    following = np.vstack([base, np.zeros((1, game.S), dtype=np.int64)])[t + 1]
    exists = np.vstack([game.exists, np.zeros((1, game.S), dtype=bool)])[t + 1]
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
        successor=np.where(exists, following + after, 0)[order],
        law=np.ascontiguousarray(law[order]),
        start=weights,
    )
