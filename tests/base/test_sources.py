"""Which modules depend on which."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from amg.base.sources import ROOT, closure, digest
from amg.learning.train import LEARNERS


def names(*modules: str) -> set[str]:
    return {str(path.relative_to(ROOT / "amg")) for path in closure(*modules)}


def test_a_closure_holds_what_is_imported_directly_or_not() -> None:
    found = names("amg.evaluation.values")
    assert {"certification/evaluation.py", "certification/controller.py", "laws.py"} <= found
    assert "__init__.py" in found


def test_the_flow_goes_one_way() -> None:
    training = names("amg.learning.job", *(module for module, _ in LEARNERS.values()))
    assert "learning/v_learning.py" in training
    assert not {path for path in training if path.startswith(("analysis", "figures"))}
    assert not training & {"certification/evaluation.py", "certification/controller.py"}
    reading = names("amg.evaluation.values", "amg.results.evaluate", "amg.results.run")
    assert not {path for path in reading if path.startswith("learning")}
    assert not {path for path in names("amg.cli.verify") if path.startswith("learning")}


def test_one_algorithm_does_not_depend_on_the_other() -> None:
    assert "learning/q_learning.py" not in names("amg.learning.job", "amg.learning.v_learner")
    assert "learning/v_learning.py" not in names("amg.learning.job", "amg.learning.q_learning")


# --- the digest that results carry ----------------------------------------------------------------

MODULES = ("amg.learning.train", "amg.learning.v_learner")


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The package elsewhere, as it is."""
    ignore = shutil.ignore_patterns("__pycache__")
    return shutil.copytree(ROOT / "amg", tmp_path / "amg", ignore=ignore).parent


def digest_in(root: Path) -> str:
    """The digest as that copy of the package computes it."""
    program = f"from amg.base.sources import digest; print(digest(*{MODULES!r}))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_a_copy_has_the_same_digest(copied: Path) -> None:
    assert digest_in(copied) == digest(*MODULES)
    for path in copied.rglob("*.py"):  # as checked out on another system
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert digest_in(copied) == digest(*MODULES)


@pytest.mark.parametrize(
    ("module", "relevant"),
    [
        ("learning/v_learning.py", True),
        ("learning/fluctuation.py", True),
        ("game.py", True),
        ("__init__.py", True),
        ("learning/q_learning.py", False),
        ("certification/evaluation.py", False),
        ("figures/mechanism.py", False),
        ("verify.py", False),
    ],
)
def test_the_digest_changes_with_what_determines_a_run(
    copied: Path, module: str, relevant: bool
) -> None:
    with (copied / "amg" / module).open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    assert (digest_in(copied) != digest(*MODULES)) == relevant


def test_a_renamed_module_is_another_source(copied: Path) -> None:
    learning = copied / "amg" / "learning"
    (learning / "fluctuation.py").rename(learning / "wavering.py")
    user = learning / "v_learning.py"
    user.write_text(user.read_text(encoding="utf-8").replace("fluctuation", "wavering"), "utf-8")
    assert digest_in(copied) != digest(*MODULES)
