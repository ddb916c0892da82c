"""What commands end with: it fits a screen of 80 columns and 20 lines, and comes from the files."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from amg.claims.judgement import read_judged
from amg.multiverse.file import read_multiverse
from amg.report.summary import multiverse_summary, sweep_summary, verdicts
from amg.study.account import changed_files
from amg.sweep.file import read_sweep

ROOT = Path(__file__).resolve().parents[2]
SWEEPS = sorted((ROOT / "config" / "sweeps").glob("*.yaml"))


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def fits(text: str) -> bool:
    lines = text.splitlines()
    return len(lines) <= 22 and max(map(len, lines)) <= 80


@pytest.mark.parametrize("path", SWEEPS, ids=lambda path: path.stem)
def test_a_sweep_ends_with_its_findings(path: Path) -> None:
    sweep = read_sweep(path)
    text = sweep_summary(sweep, "figures/sweeps", [], 61.0)
    assert fits(text)
    assert " ".join(text.split()).startswith(sweep.title)
    assert "time      61 s" in text
    assert f"figures/sweeps/{sweep.name}.md" in text
    assert sweep_summary(sweep, "figures/sweeps", ["results/x.csv"], 61.0) == ""


def test_the_multiverse_ends_with_shares() -> None:
    multiverse = read_multiverse(Path("config/multiverse.yaml"), Path("config/claims.yaml"))
    text = multiverse_summary(multiverse, "figures/multiverse", ["all"], None)
    assert fits(text)
    assert text.count(" of ") >= len(multiverse.claims)
    assert "time" not in text


def test_verdicts_are_those_of_the_file() -> None:
    path = Path("figures/claims.json")
    text, claims = verdicts(path), read_judged(path).claims
    assert fits(text)
    rows = text.splitlines()[1:]
    for row, claim in zip(rows, claims, strict=False):
        assert row.startswith(claim.title[:20])
        assert row.endswith(f"  {claim.verdict}")


def test_what_differs_from_the_committed_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    place = Path("figures")
    (place / "sweeps").mkdir(parents=True)
    for path in (place / "a.png", place / "b.png", place / "sweeps" / "c.png"):
        path.write_text("1")
    assert changed_files(place) is None  # no git
    if shutil.which("git") is None:
        return
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run([*git, "init", "-q"], check=True)
    assert changed_files(place) is None  # nothing is committed
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "all"], check=True)
    assert changed_files(place) == []
    (place / "b.png").write_text("2")
    (place / "sweeps" / "c.png").write_text("2")  # of another command
    assert changed_files(place) == ["b.png"]
