"""Jobs load only what they need: there are many of them, and each starts anew."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from workplace import ROOT

JOB = """
import runpy
import sys
from types import SimpleNamespace

import numba  # by itself it loads yaml, to look for a file of settings

before = set(sys.modules)
part = {"algorithm": "v_learning", "parameters": {}, "episodes": 50, "seeds": [1], "record": 0}
spec = {"game": {"builder": "fishermen"}, "parts": [part]}
for name, output in {"train": "runs.npz", "certify": "evaluation.csv"}.items():
    snakemake = SimpleNamespace(
        rule=name,
        input=SimpleNamespace(runs=["runs.npz"]),
        output=[output],
        log=[f"{name}.log"],
        params=SimpleNamespace(spec=spec, jobs=[("a", [({"series": "a"}, 1)])]),
        wildcards=SimpleNamespace(job="a"),
    )
    runpy.run_path(f"{sys.argv[1]}/{name}.py", {"snakemake": snakemake})
print(*sys.modules.keys() - before)
"""
FOREIGN = {"pandas", "matplotlib", "seaborn", "yaml", "pydantic", "scipy.linalg", "scipy.optimize"}


def loaded(program: str, *arguments: str, directory: Path) -> set[str]:
    """The modules that a program in a process of its own says it loaded."""
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_training_and_evaluation_load_no_library_for_tables_figures_or_files(
    tmp_path: Path,
) -> None:
    modules = loaded(JOB, str(ROOT / "workflow" / "scripts"), directory=tmp_path)
    assert (tmp_path / "evaluation.csv").exists()
    assert "amg.learning.algorithm1" in modules
    assert not modules & FOREIGN


def test_drawing_loads_no_compiler(tmp_path: Path) -> None:
    program = "import sys, amg.figures.confidence; print(*sys.modules)"
    modules = loaded(program, directory=tmp_path)
    assert "matplotlib" in modules
    assert not modules & {"numba", "scipy", "seaborn", "yaml", "pydantic"}
