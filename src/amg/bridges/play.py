"""One step of a game, and what an agent remembers of it: the same for every bridge.

An agent sees the states, its own actions and the sums of the others' efforts. So does the deviator
of `amg.evaluate`. For two agents whose actions differ in effort this is the whole history.
"""

from collections.abc import Sequence

from amg.game.model import Game

Memory = tuple[int, ...]  # s, a, σ, s', a', σ', …: the state, the own action, the others' sum
Law = list[tuple[int, float]]  # states of positive probability


def first_law(game: Game) -> Law:
    """Return the law of the first state."""
    return _law(game.initial.tolist())


def next_law(game: Game, t: int, s: int, total: int) -> Law:
    """Return the law of the next state after a sum of all efforts; none after the last step."""
    return _law(game.transition[t, s, total].tolist()) if t + 1 < game.T else []


def step(game: Game, t: int, s: int, actions: Sequence[int]) -> tuple[list[float], list[int], int]:
    """Return the pay of each agent, the others' sum of each, and the sum of all efforts."""
    effort = game.effort[t, s, range(game.N), actions]
    total = int(effort.sum())
    others = total - effort
    pay = game.reward[t, s, range(game.N), actions, others]
    return pay.tolist(), others.tolist(), total


def remember(
    memories: Sequence[Memory], actions: Sequence[int], others: Sequence[int]
) -> list[Memory]:
    """Return what each agent remembers after a step."""
    return [(*past, a, d) for past, a, d in zip(memories, actions, others, strict=True)]


def _law(probabilities: Sequence[float]) -> Law:
    return [(s, p) for s, p in enumerate(probabilities) if p > 0]
