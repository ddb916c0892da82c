"""Finite controllers: the form in which every policy is evaluated.

A controller is always in a node; its nodes at step t in state s are (t, s, m), m = 0, 1, …. It
draws one of the node's *rows* with the row's weight, the agents act by the row's law, and in the
next state s' it is in the row's successor node. A row is given by its weight times

    law[i, a, σ] = P(agent i plays a, the others' efforts sum to σ).

The certified policy is a controller (m counts completed stages, rows are cells). So are a product
Markov policy (a single m, one row per node) and a mixture of J of them (m = j never changes).

Markov policies are given as arrays, and everything wrong with an array is one PolicyError.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amg.base.errors import PolicyError
from amg.evaluation.certificate import Certificate, offsets
from amg.game.model import Game
from amg.kernels.laws import add_laws, new_tree

TOLERANCE = 1e-9  # by which the sum of probabilities may differ from 1


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


def from_policies(game: Game, policy: ArrayLike, weights: ArrayLike | None = None) -> Controller:
    """Return the mixture of product Markov policies: one is drawn, then followed.

    The arrays are those of `check_policies`.
    """
    stack, weights = check_policies(game, policy, weights)
    J = len(stack)
    nodes = [(t, s, j) for t, s in np.argwhere(game.exists).tolist() for j in range(J)]
    key = np.array([[t, s, j, *[j] * game.S] for t, s, j in nodes])
    law = np.stack([product_law(game, stack[j], t, s) for t, s, j in nodes])
    return _assemble(game, np.where(game.exists, J, 0), key, law, [weights] * len(game.states[0]))


def from_certificate(certificate: Certificate) -> Controller:
    """Return the certified policy (Algorithm 5): node m draws a visit of stage m − 1.

    A row is a cell. Where no stage is complete (m = 0) the paper leaves the policy open. Ours plays
    uniformly there and at every later step of the episode.
    """
    game, key = certificate.game, certificate.cell_key
    stage = certificate.first_stage[key[:, 0], key[:, 1]] + key[:, 2]
    law = certificate.cell_law / certificate.stage_key[stage, 3][:, None, None, None]
    begun = map(certificate.episodes_in_stage, range(len(game.states[0])))
    places, uniform = np.argwhere(game.exists), game.uniform_policy()
    first_key = np.pad(places, ((0, 0), (0, 1 + game.S)))  # (t, s, 0), and 0 in each next state
    first_law = np.stack([product_law(game, uniform, t, s) for t, s in places])
    return _assemble(
        game,
        np.where(game.exists, certificate.completed + 1, 0),
        np.vstack([first_key, key + (np.arange(key.shape[1]) == 2)]),  # stage m − 1 is node m
        np.concatenate([first_law, law]),
        [episodes / certificate.episodes for episodes in begun],
    )


def product_law(game: Game, policy: NDArray[np.float64], t: int, s: int) -> NDArray[np.float64]:
    """Return law[i, a, σ] = π_i(a) P_-i(σ) of independent agents at (t, s)."""
    tables, law = game.tables, np.zeros((game.N, *game.reward.shape[3:]))
    queue, tree = policy[t, s][:, :, None].copy(), new_tree(game.N, game.D)
    add_laws(law, queue, 1, tables.effort[t, s], tables.n_actions[t, s], tree)
    return law


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


def check_policies(
    game: Game, policy: ArrayLike, weights: ArrayLike | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return a stack of policies [J, T, S, N, A] and weights [J]; refuse what is not a policy.

    The arguments are those of `amg.evaluate`: one policy [T, S, N, A] or a stack of J. Padded
    states are ignored if they are finite, and become 0. Padded actions of real states must be 0.
    """
    shape = f"[T, S, N, A] = {list(game.effort.shape)}"
    array = _numbers("policy", policy, f"give an array {shape} or a stack of them")
    stack = array[None] if array.ndim == 4 else array
    if stack.shape[1:] != game.effort.shape or not len(stack):
        raise PolicyError(
            f"policy has the shape {list(array.shape)}; game {game.name!r} needs {shape}, or "
            f"[J, T, S, N, A] for J policies"
        )
    real = game.exists[:, :, None, None]
    for wrong, problem in (
        (np.isnan(stack), "is not a number"),
        (np.isinf(stack), "is not finite"),
        (real & (stack < 0), "is negative"),
        (real & (game.effort < 0) & (stack > 0), "is for an action that does not exist"),
    ):
        if wrong.any():
            index = tuple(np.argwhere(wrong)[0].tolist())
            place = _place(game, len(stack), *index)
            raise PolicyError(f"{place}: probability {stack[index]:g} {problem}")
    stack = np.where(real, stack, 0.0)
    sums = stack.sum(axis=4)
    wrong = real[..., 0] & (abs(sums - 1.0) > TOLERANCE)
    if wrong.any():
        index = tuple(np.argwhere(wrong)[0].tolist())
        raise PolicyError(
            f"{_place(game, len(stack), *index)}: probabilities sum to {sums[index]:.12g}, not to "
            f"1; divide them by their sum"
        )
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
    return array.astype(np.float64)


def _place(game: Game, J: int, j: int, t: int, s: int, i: int, a: int | None = None) -> str:
    """Return where an entry of J policies is, in indices and in the names of the game."""
    index = f"t={t}, s={s}, agent={i}" + ("" if a is None else f", action={a}")
    which = "policy" if J == 1 else f"policy[{j}]"
    if not game.exists[t, s]:
        return f"{which} at {index} (a padded state)"
    named = a if a is not None and a < game.n_actions[t, s, i] else None
    return f"{which} at {index} ({game.where(t, s, i, named)})"


def _check_weights(J: int, weights: ArrayLike | None) -> NDArray[np.float64]:
    if weights is None:
        return np.full(J, 1.0 / J)
    remedy = f"give {J} number{'s' if J > 1 else ''} that sum to 1"
    array = _numbers("weights", weights, remedy)
    if array.shape != (J,):
        raise PolicyError(f"weights has the shape {list(array.shape)}, not [{J}]; {remedy}")
    for j, weight in enumerate(array.tolist()):
        if not 0 <= weight < np.inf:
            problem = "negative" if -np.inf < weight < 0 else "not finite"
            raise PolicyError(f"weights[{j}] = {weight:g} is {problem}; {remedy}")
    if abs(array.sum() - 1.0) > TOLERANCE:
        raise PolicyError(f"weights sum to {array.sum():.12g}, not to 1; {remedy}")
    return array
