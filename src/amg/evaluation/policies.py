"""Markov policies as anybody may give them: checked arrays, or one PolicyError in one line.

Agents act independently, by probabilities π[t, s, i, a], or together, by one law of joint actions
q[t, s, a_1, …, a_N] for each step and state. Padded states are ignored if they are finite, and
become 0. Actions that a real state does not have must have probability 0.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amg.base.errors import PolicyError
from amg.base.text import quote
from amg.game.model import Game

PolicyFunction = Callable[[int, int, int], ArrayLike]  # of t, s, i
TOLERANCE = 1e-9  # by which the sum of probabilities may differ from 1
MOST_JOINT = 1 << 24  # entries of a law of joint actions
MOST_LAWS = 1 << 26  # entries of the laws of a mixture: as many as a game's largest table may have


def check_policies(
    game: Game, policy: ArrayLike | PolicyFunction, weights: ArrayLike | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return a stack of policies [J, T, S, N, A] and weights [J]; refuse what is not a policy.

    The arguments are those of `amg.evaluate`: one policy [T, S, N, A], a stack of J, or a function.
    """
    shape = f"[T, S, N, A] = {list(game.effort.shape)}"
    given = _from_function(game, policy) if callable(policy) else policy
    array = _numbers("policy", given, f"give an array {shape} or a stack of them")
    stack = array[None] if array.ndim == 4 else array
    if stack.shape[1:] != game.effort.shape or not len(stack):
        is_joint = array.shape == _joint_shape(game)
        joint = "; a law of joint actions must be given as joint" if is_joint else ""
        raise PolicyError(
            f"policy has the shape {list(array.shape)}; game {game.name!r} needs {shape}, or "
            f"[J, T, S, N, A] for J policies{joint}"
        )
    J = len(stack)
    if J * game.reward.size > max(MOST_LAWS, game.reward.size):
        fits = MOST_LAWS // game.reward.size
        raise PolicyError(f"policy is a mixture of {J} policies; of this game at most {fits} fit")

    def place(j: int, t: int, s: int, i: int, a: int | None = None) -> str:
        index = f"t={t}, s={s}, agent={i}" + ("" if a is None else f", action={a}")
        named = a if a is not None and a < game.n_actions[t, s, i] else None
        which = "policy" if J == 1 else f"policy[{j}]"
        return f"{which} at {index} ({_names(game, t, s, i, named)})"

    stack = _check_laws(stack, game.exists[:, :, None], game.effort >= 0, place)
    return stack, _check_weights(J, weights)


def check_joint(game: Game, law: ArrayLike) -> NDArray[np.float64]:
    """Return a law of joint actions [T, S, A, …, A], one axis A for each agent."""
    T, S, N, A = game.effort.shape
    if T * S * A**N > MOST_JOINT:
        raise PolicyError(
            f"a joint law of game {game.name!r} has {T} × {S} × {A}^{N} entries, more than "
            f"{MOST_JOINT}; give a mixture of policies [J, T, S, N, A]"
        )
    shape = f"[T, S, A_1, …, A_N] = {list(_joint_shape(game))}"
    array = _numbers("joint law", law, f"give an array {shape}")
    if array.shape != _joint_shape(game):
        actual = list(array.shape)
        raise PolicyError(f"joint law has the shape {actual}; game {game.name!r} needs {shape}")
    possible = np.ones(array.shape, dtype=bool)
    for i in range(N):
        along = [A if j == i else 1 for j in range(N)]
        possible &= (game.effort[:, :, i] >= 0).reshape(T, S, *along)

    def place(t: int, s: int, *actions: int) -> str:
        index = f"t={t}, s={s}" + (f", actions={list(actions)}" if actions else "")
        return f"joint law at {index} ({_names(game, t, s)})"

    return _check_laws(array, game.exists, possible, place)


def _joint_shape(game: Game) -> tuple[int, ...]:
    return (game.T, game.S, *[game.A_max] * game.N)


def _from_function(game: Game, policy: PolicyFunction) -> NDArray[np.float64]:
    """Return π[t, s, i, ·] = policy(t, s, i), which has an entry for each action or A_max."""
    array = np.zeros(game.effort.shape)
    for t, s in np.argwhere(game.exists).tolist():
        for i in range(game.N):
            place = f"policy(t={t}, s={s}, i={i})"
            try:
                found = policy(t, s, i)
            except Exception as error:  # it is anybody's
                raise PolicyError(f"{place} raised {quote(error)}; correct the function") from error
            n = int(game.n_actions[t, s, i])
            remedy = f"return {n} numbers that sum to 1"
            law = _numbers(place, found, remedy)
            if law.shape not in ((n,), (game.A_max,)):
                raise PolicyError(f"{place} has the shape {list(law.shape)}; {remedy}")
            array[t, s, i, : len(law)] = _doubles(law)
    return array


def _numbers(name: str, given: Any, remedy: str) -> NDArray[Any]:
    """Return what was given as an array; refuse what is not an array of real numbers."""
    try:
        array = np.asarray(given)
    except Exception:  # lists of different lengths, or what another library raises
        raise PolicyError(f"{name} is not an array of numbers; {remedy}") from None
    if array.dtype.kind not in "fiu":
        kind = type(given).__name__ if array.dtype == object else f"array of {array.dtype}"
        raise PolicyError(f"{name} is not an array of real numbers but {kind}; {remedy}")
    return array


def _doubles(array: NDArray[Any]) -> NDArray[np.float64]:
    """Return a copy as doubles; a number that is too large becomes an infinity."""
    with np.errstate(all="ignore"):
        return array.astype(np.float64)


def _check_laws(
    given: NDArray[Any],
    real: NDArray[np.bool_],
    possible: NDArray[np.bool_],
    place: Callable[..., str],
) -> NDArray[np.float64]:
    """Return laws over the last axes as doubles, 0 where no state is real.

    The laws that are `real` must be laws over the entries that are `possible`. The last axes of all
    three arrays agree; `place` names an index.
    """
    array = _doubles(given)
    axes = tuple(range(real.ndim - possible.ndim, 0))
    inside = np.expand_dims(real, axes)
    for wrong, problem in (
        (np.isnan(array), "is not a number"),
        (np.isinf(array), "is not finite"),
        (inside & (array < 0), "is negative"),
        (inside & ~possible & (array > 0), "is for an action that does not exist"),
    ):
        if wrong.any():
            index = tuple(np.argwhere(wrong)[0].tolist())
            raise PolicyError(f"{place(*index)}: probability {array[index]:g} {problem}")
    array = np.where(inside, array, 0.0)
    sums = array.sum(axis=axes)
    wrong = real & (abs(sums - 1.0) > TOLERANCE)
    if wrong.any():
        index = tuple(np.argwhere(wrong)[0].tolist())
        raise PolicyError(
            f"{place(*index)}: probabilities sum to {sums[index]:.12g}, not to 1; divide them by "
            f"their sum"
        )
    return array


def _names(game: Game, t: int, s: int, i: int | None = None, a: int | None = None) -> str:
    """Return a place in the names of the game."""
    return str(game.where(t, s, i, a)) if game.exists[t, s] else "a padded state"


def _check_weights(J: int, weights: ArrayLike | None) -> NDArray[np.float64]:
    if weights is None:
        return np.full(J, 1.0 / J)
    remedy = f"give {J} number{'s' if J > 1 else ''} that sum to 1"
    array = _numbers("weights", weights, remedy)
    if array.shape != (J,):
        raise PolicyError(f"weights has the shape {list(array.shape)}, not [{J}]; {remedy}")
    array = _doubles(array)
    for j, weight in enumerate(array.tolist()):
        if not 0 <= weight < math.inf:
            problem = "negative" if -math.inf < weight < 0 else "not finite"
            raise PolicyError(f"weights[{j}] = {weight:g} is {problem}; {remedy}")
    if abs(array.sum() - 1.0) > TOLERANCE:
        raise PolicyError(f"weights sum to {array.sum():.12g}, not to 1; {remedy}")
    return array
