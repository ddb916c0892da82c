"""Tables of the games themselves, without learning: payoff matrices and exact reference values."""

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from typing import Any

import pandas as pd

from amg.exact import references
from amg.game.model import Game


def payoff_table(games: Mapping[str, Game]) -> pd.DataFrame:
    """Return r_i(s, a_1, a_2) of every game with two agents, at every step and state."""
    return pd.DataFrame(
        row for label, game in games.items() if game.N == 2 for row in _payoffs(label, game)
    )


def _payoffs(label: str, game: Game) -> Iterator[dict[str, Any]]:
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


def reference_table(games: Mapping[str, Game]) -> pd.DataFrame:
    """Return one row for each game, reference and agent; `average` is over agents."""
    rows: list[tuple[str, str, str, float]] = []
    for label, game in games.items():
        known = _references(game)
        for row in known.rows:
            values = [("average", row.average), *zip(game.agents, row.per_agent, strict=True)]
            rows += [(label, row.label, agent, float(value)) for agent, value in values]
        if known.equilibrium is not None:
            rows.append((label, "every CCE", "average", float(known.equilibrium.mean())))
    return pd.DataFrame(rows, columns=["game", "reference", "agent", "value"])


_references = cache(references)  # the multiverse asks for the same games many times
