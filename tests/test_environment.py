"""One lock file, complete and hashed, is what every way of installing the project installs."""

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
LOCK = "requirements.lock"


@pytest.fixture(scope="module")
def pyproject():
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


@pytest.fixture(scope="module")
def conda_dependencies():
    return yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]


@pytest.fixture(scope="module")
def env_commands():
    """What `make env` would run on a fresh clone."""
    if not shutil.which("make"):
        pytest.skip("make is not installed")
    command = ["make", "--dry-run", "--always-make", "env"]
    # The flags of a `make test` around this process are not for this one.
    environ = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL")}
    return subprocess.run(
        command, cwd=ROOT, env=environ, check=True, capture_output=True, text=True
    ).stdout


def locked_requirements():
    """The lock's requirements, each one logical line: ``name==version ; marker --hash=…``."""
    text = (ROOT / LOCK).read_text().replace("\\\n", " ")
    return [line for line in text.splitlines() if line and not line.lstrip().startswith("#")]


def locked_versions():
    pins = [Requirement(line.split(" --hash=")[0].strip()) for line in locked_requirements()]
    return {canonicalize_name(pin.name): str(pin.specifier).removeprefix("==") for pin in pins}


def declared_requirements(pyproject):
    project = pyproject["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    groups.append(pyproject["build-system"]["requires"])
    return [Requirement(text) for group in groups for text in group]


def test_every_pin_is_exact_and_hashed():
    lines = locked_requirements()
    assert len(lines) > 50
    pattern = re.compile(r"[\w.-]+==[\w.]+ .*--hash=sha256:[0-9a-f]{64}")
    assert [line for line in lines if not pattern.match(line)] == []


def test_each_package_is_pinned_once():
    # Not one version per Python or platform: results are compared across them.
    assert len(locked_versions()) == len(locked_requirements())


def test_lock_satisfies_every_declared_dependency(pyproject):
    versions = locked_versions()
    unmet = [
        str(requirement)
        for requirement in declared_requirements(pyproject)
        if versions.get(canonicalize_name(requirement.name), "") not in requirement.specifier
    ]
    assert unmet == []


def test_lock_names_no_host():
    text = (ROOT / LOCK).read_text()
    for word in ("http", "--index", "--extra-index", "--find-links"):
        assert word not in text


def test_make_installs_the_lock_and_nothing_unlocked(env_commands):
    installs = [line for line in env_commands.splitlines() if "pip install" in line]
    assert any(f"--require-hashes -r {LOCK}" in line for line in installs)
    for line in installs:
        assert "--no-build-isolation" in line  # an isolated build fetches what it likes
        assert "--require-hashes" in line or "--no-index --no-deps" in line  # the project itself


def test_conda_installs_the_lock_and_nothing_else(conda_dependencies):
    names = [re.split(r"[ <>=]", item)[0] for item in conda_dependencies if isinstance(item, str)]
    assert names == ["python", "pip"]
    assert {"pip": [f"-r {LOCK}"]} in conda_dependencies


def test_python_bounds_agree(pyproject, conda_dependencies, env_commands):
    declared = SpecifierSet(pyproject["project"]["requires-python"])
    (conda,) = [item for item in conda_dependencies if str(item).startswith("python ")]
    assert SpecifierSet(conda.removeprefix("python ")) == declared

    bounds = re.search(
        r"\((\d+), (\d+)\) <= sys.version_info\[:2\] < \((\d+), (\d+)\)", env_commands
    )
    assert bounds is not None
    low, high = ".".join(bounds.groups()[:2]), ".".join(bounds.groups()[2:])
    assert SpecifierSet(f">={low},<{high}") == declared
    assert pyproject["tool"]["mypy"]["python_version"] == low
