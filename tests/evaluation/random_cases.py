"""Random games with ragged sizes, and mixtures of random Markov policies of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from amg.game.model import Game
from amg.game.tabulation import tabulate


def random_game(rng: np.random.Generator, N: int, T: int, S: int, A: int) -> Game:
    """Ragged states and actions, efforts on some grid, sparse laws; S and A are the most."""
    states = [[f"s{k}" for k in range(rng.integers(1, S + 1))] for _ in range(T)]
    origin = int(rng.integers(-2, 3))
    menus = {
        (t, s, i): {f"a{k}": origin + rng.integers(0, 4) / 2 for k in range(rng.integers(1, A + 1))}
        for t in range(T)
        for s in states[t]
        for i in range(N)
    }

    def law(names: Sequence[str]) -> dict[str, float]:
        support = [name for name in names if rng.random() < 0.7] or list(names[:1])
        return dict(zip(support, rng.dirichlet(np.ones(len(support))).tolist(), strict=True))

    return tabulate(
        name="random",
        agents=[f"agent {i}" for i in range(N)],
        states=states,
        efforts=lambda t, s, i: menus[t, s, i],
        reward=lambda t, s, i, a, others: rng.uniform(-3, 5),
        transition=lambda t, s, total: law(states[t + 1]),
        initial=law(states[0]),
        reward_range=(-3, 5),
        origin=origin,
        unit="1/2",
    )


def random_policies(rng: np.random.Generator, game: Game, J: int) -> NDArray[np.float64]:
    """[J, T, S, N, A], now and then leaving actions out."""
    weights = rng.exponential(size=(J, *game.effort.shape)) * (rng.random(game.effort.shape) < 0.8)
    weights[..., 0] += 1e-3
    weights *= game.effort >= 0
    return weights / np.maximum(weights.sum(axis=-1, keepdims=True), 1e-300)


class Case(NamedTuple):
    """A game and a mixture of product Markov policies."""

    game: Game
    policies: NDArray[np.float64]  # [J, T, S, N, A]
    weights: NDArray[np.float64]  # [J]


def random_case(seed: int, N: int, T: int, S: int, A: int, J: int) -> Case:
    rng = np.random.default_rng(seed)
    game = random_game(rng, N, T, S, A)
    return Case(game, random_policies(rng, game, J), rng.dirichlet(np.ones(J)))


def cases(N: int, T: int, S: int, A: int, J: int, least: int = 1) -> st.SearchStrategy[Case]:
    """Random cases up to these sizes."""
    seeds = st.integers(0, 2**32 - 1)
    sizes = [st.integers(min(least, most), most) for most in (N, T, S, A, J)]
    return st.builds(random_case, seeds, *sizes)
