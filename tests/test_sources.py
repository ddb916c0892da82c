"""Which modules depend on which."""

from __future__ import annotations

from amg.learning.training import LEARNERS
from amg.sources import ROOT, closure


def names(*modules: str) -> set[str]:
    return {str(path.relative_to(ROOT / "amg")) for path in closure(*modules)}


def test_a_closure_holds_what_is_imported_directly_or_not() -> None:
    found = names("amg.certification.evaluation")
    assert {"certification/evaluation.py", "certification/controller.py", "laws.py"} <= found
    assert "__init__.py" in found


def test_the_flow_goes_one_way() -> None:
    training = names("amg.batch", *(module for module, _ in LEARNERS.values()))
    assert "learning/v_learning.py" in training
    assert not {path for path in training if path.startswith(("analysis", "figures"))}
    assert not training & {"certification/evaluation.py", "certification/controller.py"}
    reading = names("amg.certification.evaluation", "amg.summary", "amg.run")
    assert not {path for path in reading if path.startswith("learning")}


def test_one_algorithm_does_not_depend_on_the_other() -> None:
    assert "learning/q_learning.py" not in names("amg.batch", "amg.learning.v_learner")
    assert "learning/v_learning.py" not in names("amg.batch", "amg.learning.q_learner")
