"""`amg theory`: the rate, both ι, and the bound with its constants."""

from __future__ import annotations

import math

import pytest

from amg.cli.main import main
from amg.game.library import BUILDERS


@pytest.mark.parametrize("game", BUILDERS)
def test_every_game_has_a_rate_and_bounds(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["theory", game, "--episodes", "1e4"]) == 0
    page = capsys.readouterr().out
    assert page.startswith(f"{game}: ")
    assert "vacuous" in page
    assert "no bound: stages need not grow" in page


def test_the_numbers_of_the_fishermen_game(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["theory", "fishermen", "--episodes", "1e8", "--p", "0.1"]) == 0
    page = capsys.readouterr().out
    for factor in (2, 4):
        value = math.log(factor * 2 * 2 * 2 * 1e8 * 2 / 0.1)
        size = 16 * math.sqrt(2 * 2 * 2**5 * value / 1e8)
        assert f"{value:.2f}" in page
        assert f"{size:.3g}" in page
    assert "vacuous" not in page
    assert "drawn" not in page


def test_a_game_file_and_parameters(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["theory", "demand_response", "--episodes", "1e12", "--lambda-min", "1"]
    assert main(arguments) == 0
    page = capsys.readouterr().out
    assert "mean gap over starts" in page
    assert "no bound" not in page  # with λ = 1 the floor grows


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["fishermen"], ["--episodes"]),
        (["chess", "--episodes", "9"], ["chess", "fishermen"]),
        (["fishermen", "--episodes", "0"], ["episodes = 0", "[1, "]),
        (["fishermen", "--episodes", "1e400"], ["episodes"]),
        (["fishermen", "--episodes", "many"], ["'many'"]),
        (["fishermen", "--episodes", "9", "--p", "0"], ["p = 0", "(0, 1]"]),
        (["fishermen", "--episodes", "9", "--p", "low"], ["p = 'low'", "not a number"]),
        (["fishermen", "--episodes", "9", "--lambda-min", "0.5"], ["lambda_min = 0.5", "0.666667"]),
        (["fishermen", "--episodes", "9", "--with", "boats=2"], ["boats", "agents"]),
    ],
)
def test_bad_input_gives_one_clear_line(
    arguments: list[str], says: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["theory", *arguments]) == 2
    line = capsys.readouterr().err
    assert line.count("\n") == 1
    for word in says:
        assert word in line
