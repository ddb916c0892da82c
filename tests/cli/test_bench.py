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
    timing = tmp_path / "timing.csv"
    timing.write_text("kind,job,seconds,startup\ntrain,a,2.5,1\ntrain,b,2,0.5\nfigure,c,1,0.25\n")
    monkeypatch.setattr(bench, "TIMING", timing)
    output = tmp_path / "bench.json"
    assert main(["bench", "-o", str(output)]) == 0
    results = json.loads(output.read_text())
    assert all(value > 0 for value in results.values())
    lanes = {f"lockstep_{n}{end}" for n in (1, 4, 8, 16, 32) for end in ("", "_certified")}
    assert {"congestion_3_certified", "literal_python", "evaluation_seconds"} | lanes <= {*results}
    assert results["study_train_core_seconds"] == 4.5
    assert results["study_core_seconds"] == 5.5
    assert results["study_startup_core_seconds"] == 1.75
    slow, fast = results["independent_q"], results["independent_q_lockstep_16"]
    assert results["independent_q_over_readable"] == pytest.approx(slow / fast)
    page = capsys.readouterr().out
    assert all(name in page for name in ("certified_over_readable", "lockstep_16_certified"))
