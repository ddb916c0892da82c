"""The same bytes everywhere: nothing around a computation has a say in its results."""

from __future__ import annotations

import functools
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from cases import few
from commands import HERE
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__
from places import small_sweep, tiny_study
from workplace import ROOT, Workplace

from amg.cli.compare import compare, runs
from amg.game.library import build
from amg.learning.job import Task, train_job
from amg.learning.parameters import VLearning

MATPLOTLIBRC = """
backend: svg
font.size: 31
font.family: monospace
axes.formatter.use_locale: True
axes.unicode_minus: False
figure.facecolor: pink
savefig.dpi: 37
savefig.bbox: tight
lines.linewidth: 9
pdf.compression: 0
"""
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
AROUND: dict[str, dict[str, str]] = {  # what a test changes in the environment
    "again": {},
    "time zone": {"TZ": "Asia/Kathmandu"},
    "hash seed": {"PYTHONHASHSEED": "4242"},
    "threads": dict.fromkeys(THREADS, "1"),
    "C locale": {"LC_ALL": "C"},
    "German locale": {"LC_ALL": "de_DE.UTF-8"},
    "Turkish locale": {"LC_ALL": "tr_TR.UTF-8"},
    "matplotlibrc": {"MATPLOTLIBRC": "matplotlibrc"},
    "umask": {},
    "elsewhere": {},
}
AT_ONCE = "all at once"
STRICT = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}  # Python's own cure for the C locale


@pytest.fixture(scope="session")
def around(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], dict[str, str]]:
    """The environment of a name, with the files that it needs."""
    place = tmp_path_factory.mktemp("around")
    (place / "matplotlibrc").write_text(MATPLOTLIBRC, encoding="utf-8")

    def environment(name: str) -> dict[str, str]:
        changes = all_at_once() if name == AT_ONCE else dict(AROUND.get(name, {}))
        if changes.get("LC_ALL", "C") != "C":
            changes["LOCPATH"] = str(place / "locales")
            make_locale(changes["LC_ALL"], place / "locales")
        if "MATPLOTLIBRC" in changes:
            changes["MATPLOTLIBRC"] = str(place / "matplotlibrc")
        return changes

    return environment


def all_at_once() -> dict[str, str]:
    """Every change together, with the last one of the locales."""
    return {key: value for changes in AROUND.values() for key, value in changes.items()}


def directory_in(name: str) -> str:
    return "Überall, auch hier" if name in ("elsewhere", AT_ONCE) else "here"


def umask_in(name: str) -> int:
    return 0o077 if name in ("umask", AT_ONCE) else 0o022


def make_locale(name: str, directory: Path) -> None:
    """Compile a locale, which need not be installed."""
    if (directory / name).exists():
        return
    directory.mkdir(exist_ok=True)
    language, encoding = name.split(".")
    if not shutil.which("localedef"):
        pytest.skip("localedef is not installed")
    command = ["localedef", "-i", language, "-f", encoding, str(directory / name)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip(f"the locale {name} cannot be made here")


# --- without Snakemake ----------------------------------------------------------------------------


def everything(directory: Path, umask: int = 0o022, **environment: str) -> dict[str, bytes]:
    """What everything.py makes."""
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONUTF8"}
    done = subprocess.run(
        [sys.executable, str(HERE / "everything.py"), str(directory / "made")],
        cwd=directory,
        env={**inherited, "PYTHONPATH": str(ROOT / "src"), "PYTHONHASHSEED": "0", **environment},
        capture_output=True,
        text=True,
        errors="replace",
        umask=umask,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in (directory / "made").rglob("*")
        if path.is_file()
    }


Made = Callable[[str], dict[str, bytes]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, around: Callable[[str], dict[str, str]]) -> Made:
    """What is made in an environment of this name, once."""

    @functools.cache
    def make(name: str) -> dict[str, bytes]:
        environment = around(name)
        if name == "C locale":
            environment |= STRICT
        directory = tmp_path_factory.mktemp("made") / directory_in(name)
        directory.mkdir()
        return everything(directory, umask_in(name), **environment)

    return make


@pytest.mark.parametrize("name", few([AT_ONCE, *AROUND], AT_ONCE))
def test_nothing_around_it_matters(made: Made, name: str) -> None:
    plain, other = made("plain"), made(name)
    assert {Path(file).suffix for file in plain} == {".npz", ".csv", ".pdf", ".png", ".md", ".yaml"}
    assert other == plain


def test_the_order_of_seeds_does_not_matter(tmp_path: Path) -> None:
    """Nor which of them share a job."""
    game, found = build("fishermen"), []
    for number, jobs in enumerate(([[1, 2, 3]], [[3, 1], [2]])):
        for name, seeds in enumerate(jobs):
            tasks = [Task(VLearning(), 500, seed, 10) for seed in seeds]
            output = tmp_path / str(number) / f"{name}.npz"
            train_job(game, tasks, output, lambda done: None, sys.stderr)
        found.append(runs(tmp_path / str(number)))
    assert {kind: len(names) for kind, names in compare(*found).items()} == {
        "equal": 3, "differ": 0, "only before": 0, "only after": 0,
    }  # fmt: skip


# --- another processor ----------------------------------------------------------------------------

INTEL = pytest.mark.skipif(platform.machine() != "x86_64", reason="made for x86-64")
DISPATCHED = " ".join(name for name in __cpu_dispatch__ if __cpu_features__.get(name))
PROCESSORS = {  # numpy, BLAS and numba each choose their code by the processor
    "an old processor": {"NPY_DISABLE_CPU_FEATURES": DISPATCHED, "OPENBLAS_CORETYPE": "Nehalem"},
    "BLAS of another processor": {"OPENBLAS_CORETYPE": "Sandybridge"},
}


@INTEL
@pytest.mark.parametrize("name", few(PROCESSORS, "an old processor"))
def test_another_processor_makes_the_same_bytes(made: Made, name: str, tmp_path: Path) -> None:
    """Sums have a fixed order, without BLAS."""
    assert everything(tmp_path, **PROCESSORS[name]) == made("plain")


@INTEL
@pytest.mark.slow
def test_kernels_compiled_for_any_processor_and_a_cold_cache(made: Made, tmp_path: Path) -> None:
    """Without wide vectors or fused multiplication, in a cache of its own."""
    generic = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    assert everything(tmp_path, **generic, **cache) == made("plain")


LOCKSTEP = """
import hashlib
from amg.game.library import build
from amg.learning.group import together
from amg.learning.parameters import make_parameters
from amg.learning.train import new_learner

digest = hashlib.sha256()
for name, agents in (("fishermen", 2), ("congestion", 2)):
    for algorithm in ("v_learning", "independent_q", "centralized_q"):
        game, parameters = build(name, {"agents": agents}), make_parameters(algorithm, {})
        learners = [new_learner(game, parameters, 5000, seed, record=50) for seed in range(9)]
        group = together(learners, lockstep=True)
        group.advance(5000)
        for _, array in sorted(group.state().items()):
            digest.update(array.tobytes())
print(digest.hexdigest())
"""


@pytest.mark.slow
def test_lockstep_on_any_processor(tmp_path: Path) -> None:
    """Vectors of another width add nothing in another order."""

    def digest(name: str, **environment: str) -> str:
        cache = {"NUMBA_CACHE_DIR": str(tmp_path / name)}
        command = [sys.executable, "-c", LOCKSTEP]
        return subprocess.check_output(command, text=True, env=os.environ | cache | environment)

    generic = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    assert digest("this") == digest("any", **generic)


@pytest.mark.slow
def test_a_cold_cache(made: Made, tmp_path: Path) -> None:
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    assert everything(tmp_path, **cache) == made("plain")
    assert list((tmp_path / "cache").rglob("*.nbc"))


# --- with Snakemake ------------------------------------------------------------------------------


@pytest.mark.slow  # in short: those that were killed and go on use two cores, too
def test_two_cores_make_the_same_sweep(undisturbed_sweep: dict[str, bytes], tmp_path: Path) -> None:
    place = small_sweep(tmp_path / "copy")
    place.run()
    assert place.made() == undisturbed_sweep


@pytest.mark.slow
@pytest.mark.parametrize("name", AROUND)
def test_nothing_around_a_study_matters(
    undisturbed_study: dict[str, bytes],
    around: Callable[[str], dict[str, str]],
    tmp_path: Path,
    name: str,
) -> None:
    place = tiny_study(tmp_path / directory_in(name), **around(name))
    place.umask = umask_in(name)
    place.run()
    assert place.made() == undisturbed_study


@pytest.mark.slow
def test_one_core_and_other_batches_make_the_same_study(
    undisturbed_study: dict[str, bytes], tmp_path: Path
) -> None:
    """Runs stand in other files then; tables and figures have the same bytes."""
    place = tiny_study(tmp_path / "copy")
    place.edit("config/tiny.yaml", lambda config: config.update(batch=1))
    place.arguments[0] = "-c1"
    place.run()
    batched = ("/runs/", "/evaluations/", "config.yaml")
    assert {
        name: content
        for name, content in place.made().items()
        if not any(part in name for part in batched)
    } == {
        name: content
        for name, content in undisturbed_study.items()
        if not any(part in name for part in batched)
    }


@pytest.mark.slow
def test_a_copy_of_the_package_makes_the_same_study(
    undisturbed_study: dict[str, bytes], tmp_path: Path
) -> None:
    """In another place, compiled anew."""
    place = tiny_study(tmp_path / "copy", NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    other = Workplace(tmp_path / "other", own_package=True)
    place.environment["PYTHONPATH"] = str(other.source)
    place.run()
    assert place.made() == undisturbed_study
