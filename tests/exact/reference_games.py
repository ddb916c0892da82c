"""Small games to check references on, and the plain way to go through them: joint actions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
from hypothesis import strategies as st

from amg.game.model import Game
from amg.game.tabulation import tabulate


def random_game(
    seed: int,
    agents: int = 2,
    horizon: int = 2,
    states: int = 2,
    actions: int = 2,
    *,
    efforts: int = 3,
    starts: int = 2,
    opposed: bool = False,
    eager: float = 0.0,
) -> Game:
    """Menus, efforts, rewards and laws at random: sizes are upper bounds, no two agents alike.

    `opposed` makes r_1 + r_2 = 1; `eager` pays every agent for one action of its own at (t, s).
    """
    rng = np.random.default_rng(seed)
    names = [[f"s{k}" for k in range(rng.integers(1, states + 1))] for _ in range(horizon)]
    cells = [(t, s, i) for t in range(horizon) for s in names[t] for i in range(agents)]
    menu = {
        cell: {f"a{k}": int(rng.integers(0, efforts)) for k in range(rng.integers(1, actions + 1))}
        for cell in cells
    }
    if opposed:  # the efforts must tell actions apart for r_2 to be −r_1
        menu = {cell: {name: k for k, name in enumerate(menu[cell])} for cell in cells}
    top = agents * max(efforts, actions) + 1
    pay = {(*cell, a): rng.random(top) for cell in cells for a in menu[cell]}
    for cell in cells:
        favourite = f"a{rng.integers(0, len(menu[cell]))}"
        pay[(*cell, favourite)] = pay[(*cell, favourite)] + eager
    law = {
        (t, s, d): sparse_law(rng, names[t + 1])
        for t in range(horizon - 1)
        for s in names[t]
        for d in range(top)
    }

    def reward(t: int, s: str, i: int, a: str, others: object) -> float:
        if opposed and i == 1:
            rival = {k: name for name, k in menu[t, s, 0].items()}[int(others)]  # type: ignore[call-overload]
            return 1 - float(pay[t, s, 0, rival][menu[t, s, 1][a]])
        return float(pay[t, s, i, a][int(others)])  # type: ignore[call-overload]

    return tabulate(
        name=f"random {seed}",
        agents=[f"agent {i}" for i in range(agents)],
        states=names,
        efforts=lambda t, s, i: menu[t, s, i],
        reward=reward,
        transition=lambda t, s, d: law[t, s, int(d)],
        initial=sparse_law(rng, names[0][:starts]),
        reward_range=(0, 1 + eager),
    )


def sparse_law(rng: np.random.Generator, names: Sequence[str]) -> dict[str, float]:
    """A random distribution that leaves out some of the names."""
    support = [name for name in names if rng.random() < 0.7] or list(names[-1:])
    return dict(zip(support, rng.dirichlet(np.ones(len(support))).tolist(), strict=True))


def games(agents: int, horizon: int, states: int, actions: int, **options: object):
    """Random games up to these sizes, as a hypothesis strategy."""
    return st.builds(
        lambda seed, n, t: random_game(seed, n, t, states, actions, **options),
        st.integers(0, 2**32 - 1),
        st.integers(1, agents),
        st.integers(1, horizon),
    )


def matrix_game(
    first: Sequence[Sequence[float]], second: Sequence[Sequence[float]], horizon: int = 1
) -> Game:
    """Two agents, payoffs first[a_1][a_2] and second[a_1][a_2], played `horizon` times."""
    first, second = np.asarray(first), np.asarray(second)
    menus = [{str(a): a for a in range(n)} for n in first.shape]
    return tabulate(
        name="matrix",
        agents=["row", "column"],
        states=[["only"]] * horizon,
        efforts=lambda t, s, i: menus[i],
        reward=lambda t, s, i, a, o: float(second[int(o), int(a)] if i else first[int(a), int(o)]),
        transition=lambda t, s, d: {"only": 1},
        initial={"only": 1},
        reward_range=(
            float(min(first.min(), second.min())) - 1,
            float(max(first.max(), second.max())),
        ),
    )


def joint_actions(game: Game, t: int, s: int):
    """All joint actions at (t, s), one by one."""
    return product(*(range(len(menu)) for menu in game.actions[t][s]))


def step(game: Game, t: int, s: int, joint: Sequence[int]) -> tuple[list[float], dict[int, float]]:
    """Every agent's reward, and the law of the next state."""
    effort = [int(game.effort[t, s, i, a]) for i, a in enumerate(joint)]
    rewards = [float(game.reward[t, s, i, a, sum(effort) - effort[i]]) for i, a in enumerate(joint)]
    row = game.transition[t, s, sum(effort)].tolist()
    return rewards, {following: p for following, p in enumerate(row) if p > 0}
