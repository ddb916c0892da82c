"""`amg games`: sizes and exact values, as text, JSON or a game file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from amg.cli.main import main
from amg.game.library import BUILDERS
from amg.results.run_file import load_run


def test_games_lists_every_game_with_exact_values(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games"]) == 0
    page = capsys.readouterr().out
    for name in BUILDERS:
        assert f"{name}(" in page
    assert "20.666667" in page  # the team optimum of the Fishermen Game
    assert main(["games", "fishermen", "--with", "agents=3", "--json"]) == 0
    (entry,) = json.loads(capsys.readouterr().out)
    assert entry["agents"] == ["fisher 1", "fisher 2", "fisher 3"]


def test_a_game_written_as_yaml_trains_to_the_same_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["games", "fishermen", "--yaml"]) == 0
    (tmp_path / "mine.yaml").write_text(capsys.readouterr().out, encoding="utf-8")
    outputs = []
    for j, game in enumerate(["fishermen", str(tmp_path / "mine.yaml")]):
        outputs.append(tmp_path / f"{j}.npz")
        assert main(["train", game, "--episodes", "500", "-o", str(outputs[j])]) == 0
    one, other = (load_run(path) for path in outputs)
    assert one.certificate is not None
    assert other.certificate is not None
    assert np.array_equal(one.certificate.cell_law, other.certificate.cell_law)
