"""The payoff matrices of games of two agents, as the paper prints them.

---
Exact reference values of the study's games, as a table for figures to draw lines from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

import pandas as pd

from amg.exact import references
from amg.game.model import Game


def payoff_table(games: Mapping[str, Game]) -> pd.DataFrame:
    """Return r_i(s, a_1, a_2) of every game with two agents, at every step and state."""
    rows = [row for label, game in games.items() if game.N == 2 for row in _rows(label, game)]
    return pd.DataFrame(rows)


def _rows(label: str, game: Game) -> Iterator[dict[str, object]]:
    for t, states in enumerate(game.states):
        for s, state in enumerate(states):
            first, second = game.actions[t][s]
            for a, b in product(range(len(first)), range(len(second))):
                e, f = game.effort[t, s, 0, a], game.effort[t, s, 1, b]
                yield {
                    "game": label, "step": t + 1, "state": state,
                    "action 1": first[a], "action 2": second[b],
                    "pay 1": float(game.reward[t, s, 0, a, f]),
                    "pay 2": float(game.reward[t, s, 1, b, e]),
                }  # fmt: skip


# ===== tables/references


def reference_table(games: Mapping[str, Game]) -> pd.DataFrame:
    """One row for each game, reference and agent; `average` is over agents."""
    rows = []
    for label, game in games.items():
        known = references(game)
        for row in known.rows:
            rows.append({"game": label, "reference": row.label, "agent": "average",
                         "value": row.average})  # fmt: skip
            rows += [
                {"game": label, "reference": row.label, "agent": agent, "value": float(value)}
                for agent, value in zip(game.agents, row.per_agent, strict=True)
            ]
        if known.equilibrium is not None:
            rows.append({"game": label, "reference": "every CCE", "agent": "average",
                         "value": float(known.equilibrium.mean())})  # fmt: skip
    return pd.DataFrame(rows)
