"""The payoff matrices of games of two, as the paper prints them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import pandas as pd

from amg.game import Game

COLUMNS = ("game", "step", "state", "action 1", "action 2", "pay 1", "pay 2")


def payoff_table(games: Mapping[str, Game]) -> pd.DataFrame:
    """r_i(s, a_1, a_2) of every game with two agents, at every step and state."""
    rows = [row for label, game in games.items() if game.N == 2 for row in _rows(label, game)]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _rows(label: str, game: Game) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for t, states in enumerate(game.states):
        for s, state in enumerate(states):
            first, second = game.actions[t][s]
            for a, b in product(range(len(first)), range(len(second))):
                effort = game.effort[t, s, 0, a], game.effort[t, s, 1, b]
                pay = game.reward[t, s, 0, a, effort[1]], game.reward[t, s, 1, b, effort[0]]
                rows.append(
                    (label, t + 1, state, first[a], second[b], float(pay[0]), float(pay[1]))
                )
    return rows
