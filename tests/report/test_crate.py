"""What is in a crate beside the results; tests/workflow/test_study.py has a whole one."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from sample import ROOT

from amg.cli.main import main
from amg.report.crate import PROJECT, project_files
from amg.results.crate_file import NAME


def test_the_whole_project_is_in_a_crate() -> None:
    listed = shutil.which("git") and subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, text=True, check=False
    )
    if not listed or listed.returncode:
        pytest.skip("needs git and a repository")
    tracked = {name for name in listed.stdout.split("\0") if name and (ROOT / name).exists()}
    assert tracked <= dict(project_files(ROOT)).keys(), "add what is missing to PROJECT"


def test_names_in_the_project_fit_into_a_crate() -> None:
    assert [name for name, _ in project_files(ROOT) if not NAME.fullmatch(name)] == []


def test_what_programs_leave_behind_is_not_in_a_crate(tmp_path: Path) -> None:
    kept = ["Snakefile", ".gitignore", "src/amg/x.py", "config/games/mine.yaml"]
    left = ["src/amg/__pycache__/x.pyc", "src/a.egg-info/b", "docs/.DS_Store", "mine/notes.txt"]
    for name in (*kept, *left):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert {name for name, _ in project_files(tmp_path)} == set(kept)
    assert "mine" not in PROJECT


def test_without_a_study_there_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["crate"]) == 2
    assert capsys.readouterr().err == (
        "amg: error: results/config.yaml: does not exist; finish the study first (`make figures`)\n"
    )
    assert list(tmp_path.iterdir()) == []
