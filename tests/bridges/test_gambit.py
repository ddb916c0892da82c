"""The tree that we write for Gambit, read and solved by Gambit."""

from __future__ import annotations

import dataclasses
import io
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import amg
from amg.base.errors import AmgError
from amg.bridges.gambit import count_leaves, rational, write_efg
from amg.bridges.play import first_law, next_law
from amg.game.model import Game

WHY = "pygambit is not installed: pip install '.[bridges]' (no wheels for Linux on ARM)"


def read(game: Game):
    pygambit = pytest.importorskip("pygambit", reason=WHY)
    return pygambit.read_efg(io.StringIO(write_efg(game)))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("fishermen", (Fraction(96, 5), Fraction(96, 5))),
        ("inspection", (Fraction(12509, 1830), Fraction(5791, 1830))),
    ],
)
def test_gambit_solves_a_game_exactly(name: str, value: tuple[Fraction, Fraction]) -> None:
    """Every equilibrium of these two games pays the same: what `amg games` shows as its CCE."""
    pygambit = pytest.importorskip("pygambit", reason=WHY)
    game = amg.build_game(name)
    equilibrium = pygambit.nash.lcp_solve(read(game), rational=True).equilibrium
    assert [Fraction(str(equilibrium.payoffs[agent])) for agent in game.agents] == list(value)


@pytest.mark.parametrize("name", ["fishermen", "inspection", "market", "reservoir"])
def test_uniform_play_earns_what_it_earns_here(name: str) -> None:
    game = amg.build_game(name)
    tree = read(game)
    assert tree.is_perfect_recall
    pays = tree.mixed_behavior_profile(rational=True).payoffs
    ours = amg.evaluate(game, game.uniform_policy()).value
    assert [float(pays[agent]) for agent in game.agents] == pytest.approx(ours, abs=1e-12)


def test_names_with_quotes_are_read_back() -> None:
    game = dataclasses.replace(amg.build_game("fishermen"), name='a "b"\\')
    assert read(game).title == 'a "b"/'


def plays(game: Game, t: int, s: int) -> int:
    if t == game.T:
        return 1
    count = 0
    for joint in product(*(range(len(menu)) for menu in game.actions[t][s])):
        total = int(game.effort[t, s, range(game.N), joint].sum())
        after = next_law(game, t, s, total)
        count += sum(plays(game, t + 1, k) for k, _ in after) if after else 1
    return count


@pytest.mark.parametrize("name", ["fishermen", "inspection", "market", "reservoir"])
def test_leaves_are_counted_before_they_are_written(name: str) -> None:
    game = amg.build_game(name)
    text = write_efg(game)
    assert count_leaves(game) == text.count("\nt ")
    assert count_leaves(game) == sum(plays(game, 0, s) for s, _ in first_law(game))


def test_a_large_tree_is_refused_in_one_line() -> None:
    with pytest.raises(AmgError, match=r"^fishermen: its tree has \d+ leaves, more than 100000; "):
        write_efg(amg.build_game("fishermen", agents=20, horizon=10))


def test_fractions_are_simple_and_round_to_the_float() -> None:
    assert rational(1 / 3) == Fraction(1, 3)
    assert rational(-9.2) == Fraction(-46, 5)
    for x in np.random.default_rng(1).normal(size=100).tolist():
        assert float(rational(x)) == x
