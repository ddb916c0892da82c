"""Exact reference values of the study's games, as a table for figures to draw lines from."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from amg.game import Game
from amg.references import references


def reference_table(games: Mapping[str, Game]) -> pd.DataFrame:
    """One row for each game, reference and agent; `average` is over agents."""
    rows = []
    for label, game in games.items():
        known = references(game)
        for row in known.rows():
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
