"""The registry, and what holds for every game that comes with the package."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from amg.base.errors import ParameterError
from amg.game.library import BUILDERS, build
from amg.game.library.demand_response import demand_response
from amg.game.library.fishermen import fishermen

DOCS = Path(__file__).parents[3] / "docs" / "games"


def test_a_game_is_built_by_name() -> None:
    assert build("fishermen").digest == fishermen().digest
    assert build("fishermen", {"agents": 3}).digest == fishermen(agents=3).digest
    assert build("demand_response", {"heat": 0.4, "price": "1"}).digest == demand_response().digest


@pytest.mark.parametrize("name", BUILDERS)
def test_parameters_of_a_game_build_it_again(name: str) -> None:
    game = build(name)
    assert game.name == name
    assert set(game.parameters) == set(inspect.signature(BUILDERS[name]).parameters)
    assert build(name, game.parameters).digest == game.digest


@pytest.mark.parametrize("name", BUILDERS)
def test_the_reward_range_is_as_narrow_as_can_be(name: str) -> None:
    game = build(name)
    real = game.reachable[0][:, :, :, None] & (game.effort >= 0)[..., None]
    assert (game.reward[real].min(), game.reward[real].max()) == game.reward_range


@pytest.mark.parametrize("name", BUILDERS)
def test_the_page_of_a_game_agrees_with_its_module(name: str) -> None:
    """Every line of equations, every parameter and its default stand in both."""
    page = (DOCS / f"{name}.md").read_text(encoding="utf-8")
    lines = [line.strip() for line in page.splitlines()]
    module = importlib.import_module(f"amg.game.library.{name}")
    equations = [line for line in (module.__doc__ or "").splitlines() if line.startswith("    ")]
    assert equations
    for line in equations:
        assert line.strip() in lines
    for parameter in inspect.signature(BUILDERS[name]).parameters.values():
        assert f"| `{parameter.name}` | `{parameter.default!r}` |" in page
    (code,) = re.findall(r"^    (import amg\n    game = .*)$", page, re.M)
    names: dict[str, Any] = {}
    exec(code.replace("\n    ", "\n"), names)  # with the defaults written out
    assert names["game"].digest == build(name).digest
    assert "<!-- generated: references -->" in page


@pytest.mark.parametrize(
    ("name", "parameters", "words"),
    [
        ("fishing", {}, ["unknown game 'fishing'", ", ".join(BUILDERS)]),
        (["fishermen"], {}, ["unknown game ['fishermen']"]),
        ("fishermen", {"agent": 2}, ["fishermen: unknown parameter 'agent'", "agents, horizon"]),
        ("inspection", {"agents": 2}, ["inspection: unknown parameter 'agents'", "are horizon"]),
        ("fishermen", {1: 2}, ["unknown parameter 1"]),
        ("fishermen", {"agents": 1}, ["agents must be an integer from 2 to", "not 1"]),
        ("fishermen", {"agents": 2.0}, ["agents must be an integer", "not 2.0"]),
        ("fishermen", {"agents": True}, ["agents must be an integer", "not True"]),
        ("fishermen", {"agents": "2"}, ["agents must be an integer", "not '2'"]),
        ("fishermen", {"agents": 10**9}, ["agents must be an integer", "not 1000000000"]),
        ("fishermen", {"horizon": 0}, ["horizon must be an integer from 1 to", "not 0"]),
        ("fishermen", {"first": "full"}, ["first must be one of high, low, uniform, not 'full'"]),
        ("fishermen", {"first": ["high"]}, ["first must be one of", "not ['high']"]),
        ("inspection", {"horizon": None}, ["inspection: horizon must be", "not None"]),
        ("congestion", {"agents": -3}, ["congestion: agents must be", "not -3"]),
        ("congestion", {"horizon": "long"}, ["congestion: horizon must be", "not 'long'"]),
        ("demand_response", {"heat": 1}, ["heat must be a number above 0 and below 1", "not 1"]),
        ("demand_response", {"heat": "hot"}, ["heat must be a number", "not 'hot'"]),
        ("demand_response", {"heat": float("nan")}, ["heat must be a number", "not nan"]),
        ("demand_response", {"price": 0}, ["price must be a number above 0", "not 0"]),
        ("demand_response", {"price": [1]}, ["price must be a number", "not [1]"]),
        ("market", {"agents": 1}, ["market: agents must be an integer from 2 to", "not 1"]),
        ("market", {"horizon": 0}, ["market: horizon must be an integer from 1 to", "not 0"]),
        ("reservoir", {"cost": 0}, ["reservoir: cost must be a number above 0", "not 0"]),
        ("reservoir", {"agents": 2}, ["reservoir: unknown parameter 'agents'", "are cost"]),
    ],
)
def test_mistaken_parameters_are_named(name: Any, parameters: Any, words: list[str]) -> None:
    with pytest.raises(ParameterError) as refusal:
        build(name, parameters)
    assert "\n" not in str(refusal.value)
    for word in words:
        assert word in str(refusal.value)


@pytest.mark.parametrize("name", ["fishermen", "congestion", "market"])
@pytest.mark.parametrize("agents", [2, 5, 40])
def test_symmetric_games_pay_all_agents_alike(name: str, agents: int) -> None:
    game = build(name, {"agents": agents, "horizon": 2})
    assert (game.reward == game.reward[:, :, :1]).all()
    assert (game.effort == game.effort[:, :, :1]).all()
    assert np.array_equal(game.tables.raw_reward, game.reward)
