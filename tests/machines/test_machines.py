"""The Dockerfile and the scripts for other machines: what can be seen without building anything."""

from __future__ import annotations

import os
import re
import subprocess
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted(Path(__file__).parent.glob("*.sh"))
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
STEPS = [
    tuple(line.split(maxsplit=1))
    for line in DOCKERFILE.splitlines()
    if line and not line.startswith("#")
]
NOBODY = 65534


def left_out(path: str) -> bool:
    """Whether .dockerignore leaves a path out. It knows the two kinds of lines that we use."""
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    patterns = [line for line in lines if line and not line.startswith("#")]
    parts = path.split("/")
    heads = ["/".join(parts[: i + 1]) for i in range(len(parts))]
    return any(
        fnmatch(part, pattern.removeprefix("**/"))
        for pattern in patterns
        for part in (parts if pattern.startswith("**/") else heads)
    )


def test_packages_come_from_the_lock_as_an_ordinary_user() -> None:
    user = STEPS.index(("USER", "amg"))
    environment = next(i for i, (_, what) in enumerate(STEPS) if "make env" in what)
    assert [what for key, what in STEPS if key == "USER"] == ["amg"]
    assert user < environment
    assert not re.search(r"pip|uv|https?:", DOCKERFILE)


def test_the_base_can_be_chosen() -> None:
    assert STEPS[:2] == [("ARG", "BASE=debian:bookworm-slim"), ("FROM", "$BASE")]


def test_what_is_copied_exists() -> None:
    copies = [what.split() for key, what in STEPS if key in ("COPY", "ADD")]
    sources = [name for words in copies for name in words[:-1] if not name.startswith("--")]
    assert sources
    assert all((ROOT / name).exists() for name in sources)


def test_image_and_bare_machine_have_the_same_packages() -> None:
    installed = re.search(r"--no-install-recommends ([\w -]*\w)", DOCKERFILE)
    bare = re.search(r"^fresh_debian bare (\S+)", script("bare.sh"), re.M)
    assert installed
    assert bare
    assert set(installed[1].split()) == {*bare[1].split(","), "debianutils"}


@pytest.mark.parametrize(
    "path", [".venv/bin/python", "results/runs/a.npz", "src/amg/__pycache__/m.nbi", ".git/config"]
)
def test_what_belongs_to_a_machine_is_left_out(path: str) -> None:
    assert left_out(path)


def test_what_git_ignores_is_left_out() -> None:
    lines = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    patterns = [line.strip("/") for line in lines if line and not line.startswith("#")]
    examples = [pattern.replace("*", "x").replace("[cod]", "c") for pattern in patterns]
    assert [path for path in examples if not left_out(path)] == []


def test_what_git_tracks_is_in_the_image() -> None:
    listed = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "-z"], capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("not a clone")
    assert [path for path in listed.stdout.split("\0") if path and left_out(path)] == []


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_scripts_are_plain_shell(path: Path) -> None:
    subprocess.run(["sh", "-n", path], check=True)


@pytest.mark.parametrize("name", ["container", "bare"])
def test_without_root_one_line_says_so(name: str) -> None:
    root = os.getuid() == 0
    done = subprocess.run(
        ["sh", f"tests/machines/{name}.sh"],
        cwd=ROOT,
        user=NOBODY if root else None,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert re.fullmatch(rf"make test-{name}: [^\n]*root[^\n]*\n", done.stderr)


def test_a_missing_program_that_cannot_be_installed_is_one_line(tmp_path: Path) -> None:
    done = subprocess.run(
        ["/bin/sh", "tests/machines/install.sh", "test-it", "things", "sh", "no-such-program"],
        cwd=ROOT,
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("make test-it: no-such-program is not installed")
    assert done.stderr.count("\n") == 1


def script(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")
