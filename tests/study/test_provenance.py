"""What stands beside the results: complete, and true of this machine."""

from __future__ import annotations

import json
import platform
import re
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from amg import __version__
from amg.study.account import LIBRARIES, STUDY, commit_order, git, provenance

ROOT = Path(__file__).resolve().parents[2]


def run_git(place: Path, *arguments: str) -> None:
    named = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", str(place), *named, *arguments], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    place = tmp_path / "repository"
    (place / "src").mkdir(parents=True)
    (place / "src" / "a.py").write_text("1\n", encoding="utf-8")
    run_git(tmp_path, "init", "-q", str(place))
    run_git(place, "add", ".")
    run_git(place, "commit", "-q", "-m", "one")
    return place


def test_everything_is_said(tmp_path: Path) -> None:
    found = provenance(tmp_path)
    assert json.loads(json.dumps(found)) == found
    assert found["package"]["version"] == __version__
    assert re.fullmatch("[0-9a-f]{64}", found["package"]["source"])
    assert found["git"] is None
    assert platform.python_version() in found["python"]
    assert found["libraries"]["numpy"] == np.__version__
    assert set(found["libraries"]) == set(LIBRARIES)
    assert all(found["libraries"].values())
    assert found["machine"]["cpu"]
    assert found["machine"]["cores"] >= 1
    assert found["machine"]["memory_bytes"] > 1 << 28
    age = datetime.now(UTC) - datetime.fromisoformat(found["date"])
    assert timedelta(0) <= age < timedelta(minutes=1)


def test_the_machine_is_not_named(tmp_path: Path) -> None:
    node = platform.node()
    assert not node or f'"{node}"' not in json.dumps(provenance(tmp_path))


def test_the_commit_and_whether_sources_differ_from_it(repository: Path) -> None:
    found = git(repository)
    assert found is not None
    assert re.fullmatch("[0-9a-f]{40,64}", found["commit"])
    assert not found["dirty"]
    (repository / "figures").mkdir()
    (repository / "figures" / "made.png").write_bytes(b"by the study itself")
    assert git(repository) == found
    (repository / "src" / "a.py").write_text("2\n", encoding="utf-8")
    assert git(repository) == {**found, "dirty": True}


def test_a_directory_in_somebody_elses_repository_has_no_commit(repository: Path) -> None:
    assert git(repository / "src") is None


def test_a_repository_without_a_commit(tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q", ".")
    assert git(tmp_path) is None


def test_what_makes_the_study_is_there() -> None:
    assert all((ROOT / name).exists() for name in STUDY)


def test_which_of_two_files_was_committed_last(repository: Path) -> None:
    assert commit_order(repository, "src/a.py", "b.json") is None
    (repository / "b.json").write_text("{}\n", encoding="utf-8")
    run_git(repository, "add", ".")
    run_git(repository, "commit", "-q", "-m", "two")
    assert str(commit_order(repository, "src/a.py", "b.json")).endswith("the first is older.")
    assert str(commit_order(repository, "b.json", "src/a.py")).endswith("the first is not older.")
    (repository / "src" / "a.py").write_text("2\n", encoding="utf-8")
    run_git(repository, "commit", "-q", "-a", "-m", "three")
    assert str(commit_order(repository, "src/a.py", "b.json")).endswith("the first is not older.")
    (repository / "b.json").write_text("[]\n", encoding="utf-8")
    (repository / "src" / "a.py").write_text("3\n", encoding="utf-8")
    run_git(repository, "commit", "-q", "-a", "-m", "four")
    assert "in the same commit" in str(commit_order(repository, "src/a.py", "b.json"))


def test_without_git_there_is_no_order(tmp_path: Path) -> None:
    assert commit_order(tmp_path, "a", "b") is None
