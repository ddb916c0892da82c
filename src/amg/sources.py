"""Which of the package's modules a module depends on, and a digest of them.

Snakemake sees a changed script but not a changed module that the script imports; rules therefore
list these files among their inputs, so that a change reruns just what it touches. Results carry the
digest of the sources that made them.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def closure(*modules: str) -> list[Path]:
    """Files of these modules and of all that they import, directly or not, sorted."""
    found: set[Path] = set()
    waiting = list(modules)
    while waiting:
        for path in _files(waiting.pop()):
            if path not in found:
                found.add(path)
                waiting.extend(_imports(path))
    return sorted(found)


def package() -> list[Path]:
    """Files of all modules, sorted."""
    return sorted((ROOT / "amg").rglob("*.py"))


@cache
def digest(*modules: str) -> str:
    """SHA-256 of the closure of these modules, the same wherever the package lies."""
    return digest_of(closure(*modules))


def digest_of(files: Iterable[Path]) -> str:
    """SHA-256 over names below the root and contents; how lines end does not matter."""
    total = hashlib.sha256()
    for path in files:
        content = path.read_text(encoding="utf-8").encode()
        name = path.relative_to(ROOT).as_posix()
        total.update(f"{name}\0{len(content)}\0".encode() + content)
    return total.hexdigest()


def _files(module: str) -> list[Path]:
    """The file of a module and of the packages it lies in; none if it is not this package's."""
    if module.split(".")[0] != "amg":
        return []
    parts = module.split(".")
    packages = [ROOT.joinpath(*parts[:n], "__init__.py") for n in range(1, len(parts) + 1)]
    return [path for path in [*packages, ROOT.joinpath(*parts).with_suffix(".py")] if path.exists()]


@cache
def _imports(path: Path) -> tuple[str, ...]:
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return tuple(names)
