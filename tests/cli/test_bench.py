"""`amg bench`: every variant is measured, printed and written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from amg.cli import bench
from amg.cli.main import main


def test_every_variant_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench, "TURNS", 1)
    monkeypatch.setattr(bench, "EPISODES", {2: 1000, 3: 100})
    monkeypatch.setattr(bench, "CERTIFICATE", 1000)
    output = tmp_path / "bench.json"
    assert main(["bench", "-o", str(output)]) == 0
    results = json.loads(output.read_text())
    seconds = results["seconds_per_episode"]
    assert {bench.YARDSTICK, "congestion, N = 3", "fishermen, N = 2, literal Python"} <= {*seconds}
    assert all(value > 0 for value in (*seconds.values(), results["seconds_of_evaluation"]))
    page = capsys.readouterr().out
    assert all(f"{name} " in page for name in seconds)
