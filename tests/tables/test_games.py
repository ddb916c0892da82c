"""Tables of the games against the paper's numbers."""

from __future__ import annotations

import pytest

from amg.game.library import build
from amg.tables.games import payoff_table, reference_table


def test_payoffs_are_the_papers() -> None:
    table = payoff_table({"two": build("fishermen"), "three": build("fishermen", {"agents": 3})})
    assert set(table["game"]) == {"two"}
    pays = table[table["step"] == 1].set_index(["state", "action 1", "action 2"])
    assert pays.loc[("high", "intensive", "mild"), ["pay 1", "pay 2"]].tolist() == [18, 3]
    assert pays.loc[("low", "mild", "intensive"), ["pay 1", "pay 2"]].tolist() == [2, 17]


def test_references_hold_the_designs_values() -> None:
    table = reference_table({"fishermen": build("fishermen")})
    average = table[table["agent"] == "average"].set_index("reference")["value"]
    assert average["uniform play"] == pytest.approx(19 + 19 / 30, abs=1e-12)
    assert average["team optimum"] == pytest.approx(62 / 3, abs=1e-12)
    assert average["every CCE"] == pytest.approx(19.2, abs=1e-9)
