"""References: what is gathered, and what may be called the equilibrium value."""

from __future__ import annotations

import numpy as np
import pytest
from reference_games import matrix_game

from amg.exact import references
from amg.game.library.fishermen import fishermen
from amg.game.library.market import market
from amg.game.library.reservoir import reservoir


def test_fishermen() -> None:
    gathered = references(fishermen())
    rows = {row.label: row for row in gathered.rows}
    assert {label: row.average for label, row in rows.items()} == pytest.approx(
        {
            "uniform play": 19 + 19 / 30,
            "team optimum": 20 + 2 / 3,
            "dominance equilibrium": 19.2,
            "lowest CCE": 19.2,
            "highest CCE": 19.2,
        },
        abs=1e-9,
    )
    assert all(row.per_agent.shape == (2,) for row in rows.values())
    assert gathered.equilibrium == pytest.approx([19.2, 19.2], abs=1e-12)


def test_market_and_reservoir() -> None:
    """By a recursion in rational numbers over all joint actions, apart from the package."""
    for game, uniform, team in ((market(), 4.9, 6.9), (reservoir(), 775 / 192, 6.5)):
        averages = {row.label: row.average for row in references(game).rows}
        known = {"uniform play": uniform, "team optimum": team}
        assert averages == pytest.approx(known, abs=1e-12)


def test_what_every_equilibrium_pays() -> None:
    pennies = np.array([[1, -1], [-1, 1]])
    opposed = references(matrix_game(pennies, -pennies))
    assert opposed.equilibrium == pytest.approx([0, 0], abs=1e-12)
    assert "minimax" in [row.label for row in opposed.rows]

    chicken = np.array([[6, 2], [7, 0]])
    assert references(matrix_game(chicken, chicken.T)).equilibrium is None

    # no dominance, not opposed; but a gift of 1/2 that only the other can make moves no incentive
    gift = np.array([[0, 0.5], [0, 0.5]])
    generous = references(matrix_game(pennies + gift, -pennies))
    labels = {row.label for row in generous.rows}
    assert not labels & {"dominance equilibrium", "minimax"}
    assert generous.equilibrium == pytest.approx([0.25, 0], abs=1e-9)


def test_out_of_budget_is_left_out() -> None:
    gathered = references(fishermen(4, 3), budget=100)
    assert "lowest CCE" not in [row.label for row in gathered.rows]
