"""Compiled kernels never outlive the sources that they were compiled from."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from amg.kernels import PREFIX, sources_digest

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "amg"
LAW = """
from amg.game.library import build
from amg.learning.parameters import VLearning
from amg.learning.train import train_run
run = train_run(build("fishermen", {"agents": 3}), VLearning(), 200, seed=1)
print(run.certificate.cell_law.sum())
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    shutil.copytree(PACKAGE, tmp_path / "src" / "amg",
                    ignore=shutil.ignore_patterns("__pycache__"))  # fmt: skip
    return tmp_path / "src"


def law_sum(source: Path) -> str:
    """Of a run's certificate; empty if the run refuses to make a wrong one."""
    inherited = {k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"}
    done = subprocess.run(
        [sys.executable, "-c", LAW], capture_output=True, text=True, check=False,
        env={**inherited, "PYTHONPATH": str(source)},
    )  # fmt: skip
    return done.stdout


@pytest.mark.slow
def test_a_change_in_a_called_kernel_is_seen(copy: Path) -> None:
    """`learn` is compiled with `add_laws` inside; its own file does not change."""
    before = law_sum(copy)
    assert float(before) > 0
    laws = copy / "amg" / "kernels" / "laws.py"
    text = laws.read_text(encoding="utf-8")
    assert "+= policy[p] * memory" in text
    laws.write_text(text.replace("+= policy[p] * memory", "+= 1.0 * memory"), encoding="utf-8")
    assert law_sum(copy) != before
    laws.write_text(text, encoding="utf-8")
    assert law_sum(copy) == before
    assert len(list((copy / "amg" / "__pycache__").glob(f"{PREFIX}*"))) == 2


def test_only_files_with_kernels_count(copy: Path) -> None:
    before = sources_digest(copy / "amg")
    with (copy / "amg" / "base" / "text.py").open("a", encoding="utf-8") as stream:
        stream.write("# changed\n")
    assert sources_digest(copy / "amg") == before
    with (copy / "amg" / "learning" / "episode.py").open("a", encoding="utf-8") as stream:
        stream.write("# changed\n")
    assert sources_digest(copy / "amg") != before


PLACE = "import os, amg; print(os.environ['NUMBA_CACHE_DIR'])"


def test_the_users_directory_is_respected_and_a_parents_is_not_nested(tmp_path: Path) -> None:
    for given in (tmp_path, tmp_path / f"{PREFIX}of-a-parent"):
        done = subprocess.run(
            [sys.executable, "-c", PLACE], capture_output=True, text=True, check=True,
            env={**os.environ, "PYTHONPATH": str(PACKAGE.parent), "NUMBA_CACHE_DIR": str(given)},
        )  # fmt: skip
        assert Path(done.stdout.strip()) == tmp_path / f"{PREFIX}{sources_digest(PACKAGE)}"
