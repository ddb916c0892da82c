"""Workplaces for the tests of the workflow."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from workplace import Workplace


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Workplace:
    """A workplace in which the smoke study has been run; tests must leave it as it is."""
    workplace = Workplace(tmp_path_factory.mktemp("study") / "copy", own_package=True)
    workplace.screen = workplace.smoke()
    return workplace


@pytest.fixture
def workplace(tmp_path: Path) -> Workplace:
    """A fresh workplace."""
    return Workplace(tmp_path / "copy")


@pytest.fixture
def copied(finished: Workplace, tmp_path: Path) -> Workplace:
    """A finished workplace that a test may change."""
    copy = Workplace.__new__(Workplace)
    copy.directory = tmp_path / "copy"
    copy.source = copy.directory / "src"
    shutil.copytree(finished.directory, copy.directory, symlinks=True)
    return copy
