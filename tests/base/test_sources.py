"""The digest of sources: it covers what determines numbers, and nothing else."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from amg.base.sources import ROOT, _plain, closure, digest

MODULES = ("amg.learning.train", "amg.learning.v_learner")


def names(*modules: str) -> set[str]:
    return {str(path.relative_to(ROOT / "amg")) for path in closure(*modules)}


def test_a_closure_holds_what_is_imported_directly_or_not() -> None:
    files = names("amg.evaluation.values")
    assert {"evaluation/values.py", "game/model.py", "kernels/sums.py"} <= files
    assert "base/rational.py" in names(*MODULES)  # how numbers are read


def test_messages_files_and_processes_do_not_count() -> None:
    training = names(*MODULES)
    assert not training & {"__init__.py", "base/__init__.py", "base/errors.py", "base/files.py"}
    assert "base/text.py" not in training
    assert "base/text.py" in names("amg.figures.mechanism")  # what a caption looks like
    assert not {path for path in names("amg.learning.job") if path.startswith("process")}


def test_the_flow_goes_one_way() -> None:
    higher = ("tables", "figures", "claims", "sweep", "report", "cli", "study")
    assert not {path for path in names(*MODULES) if path.startswith(higher)}
    evaluating = names("amg.evaluation.values", "amg.results.evaluate", "amg.results.run")
    assert not {path for path in evaluating if path.startswith("learning")}


def test_one_algorithm_does_not_depend_on_the_other() -> None:
    assert "learning/q_learning.py" not in names(*MODULES)
    assert "learning/algorithm1.py" not in names("amg.learning.q_learning")


# --- the digest that results carry ----------------------------------------------------------------


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The package elsewhere, as it is."""
    ignore = shutil.ignore_patterns("__pycache__")
    return shutil.copytree(ROOT / "amg", tmp_path / "amg", ignore=ignore).parent


def digest_in(root: Path) -> str:
    """The digest as that copy of the package computes it."""
    program = (
        f"import sys; sys.path.insert(0, {str(root)!r})\n"
        f"from amg.base.sources import digest; print(digest(*{MODULES!r}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_a_copy_has_the_same_digest(copied: Path) -> None:
    for path in copied.rglob("*.py"):  # as checked out on another system
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert digest_in(copied) == digest(*MODULES)


@pytest.mark.parametrize(
    ("module", "added", "relevant"),
    [
        ("learning/algorithm1.py", "EXTRA = 1\n", True),
        ("learning/algorithm1.py", "# a comment\n", False),
        ("learning/algorithm1.py", "import math\n", False),
        ("game/model.py", "def extra():\n    return 1\n", True),
        ("learning/q_learning.py", "EXTRA = 1\n", False),
        ("figures/mechanism.py", "EXTRA = 1\n", False),
    ],
)
def test_the_digest_changes_with_what_determines_a_run(
    copied: Path, module: str, added: str, relevant: bool
) -> None:
    with (copied / "amg" / module).open("a", encoding="utf-8") as file:
        file.write(added)
    assert (digest_in(copied) != digest(*MODULES)) == relevant


def test_docstrings_do_not_count(copied: Path) -> None:
    path = copied / "amg" / "game" / "model.py"
    text = path.read_text(encoding="utf-8")
    assert text.count('"""Horizon."""') == 1
    path.write_text(text.replace('"""Horizon."""', '"""Number of steps."""'), encoding="utf-8")
    assert digest_in(copied) == digest(*MODULES)


def test_a_renamed_module_is_another_source(copied: Path) -> None:
    learning = copied / "amg" / "learning"
    (learning / "fluctuation.py").rename(learning / "wavering.py")
    for user in learning.glob("*.py"):
        text = user.read_text(encoding="utf-8")
        user.write_text(text.replace("amg.learning.fluctuation", "amg.learning.wavering"), "utf-8")
    assert digest_in(copied) != digest(*MODULES)


def test_an_empty_text_in_an_f_string_does_not_count() -> None:
    tree = ast.parse('f"{x:{style}}"', mode="eval")
    found = _plain(tree)
    specs = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
    for spec in specs:  # as Python 3.12 does
        spec.values.append(ast.Constant(""))
    assert len(specs) == 2
    assert _plain(tree) == found
