"""A digest of what the package's modules compute.

Snakemake sees a changed script but not a changed module that the script imports. So each rule has
the digest of its modules as a parameter, and each run carries the digest of those that made it. It
is taken over syntax trees without comments, docstrings and imports: editing those reruns nothing.
"""

import ast
import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
# Modules that decide messages, files and processes, but no number in a result.
WITHOUT_NUMBERS = {"amg", "amg.base", "amg.base.errors", "amg.base.files", "amg.base.sources"}
# The look of numbers is part of what these layers write. For others it is only in messages.
TEXT, WRITERS = "amg.base.text", ("amg.figures", "amg.claims", "amg.sweep", "amg.report")
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@cache
def digest(*modules: str) -> str:
    """Return the SHA-256 of these modules and of all that they import."""
    return digest_files(closure(*modules))


def closure(*modules: str) -> list[Path]:
    """Return the files of these modules and of all modules that they import, sorted.

    Only imports at the top of a module count. A function may import a higher layer, as
    `Run.evaluate` does, without making it part of what the module computes.
    """
    parts = {path: path.relative_to(ROOT).with_suffix("").parts for path in package()}
    paths = {".".join(parts[path]).removesuffix(".__init__"): path for path in parts}
    without = WITHOUT_NUMBERS if modules[0].startswith(WRITERS) else {*WITHOUT_NUMBERS, TEXT}
    names: set[str] = set()
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name in paths and name not in names | without and not name.startswith("amg.process"):
            names.add(name)
            waiting.extend(_imports(paths[name]))
    return sorted(paths[name] for name in names)


@cache
def package() -> list[Path]:
    """Return the files of all modules of the package, sorted."""
    return sorted((ROOT / "amg").rglob("*.py"))


def digest_files(files: Iterable[Path]) -> str:
    """Return the SHA-256 over the names and syntax trees of these files."""
    total = hashlib.sha256()
    for path in files:
        total.update(f"{path.relative_to(ROOT).as_posix()}\0{_meaning(path)}\0".encode())
    return total.hexdigest()


@cache
def _meaning(path: Path) -> str:
    """Return the syntax tree as text, the same on every version of Python."""
    return repr(_plain(ast.parse(path.read_text(encoding="utf-8"))))


def _plain(node: Any) -> Any:
    """Return a syntax tree as nested lists, without docstrings, imports and empty fields."""
    if isinstance(node, list):
        return [_plain(item) for item in node if not isinstance(item, ast.Import | ast.ImportFrom)]
    if not isinstance(node, ast.AST):
        return node
    fields = {name: value for name, value in ast.iter_fields(node) if value not in (None, [])}
    if isinstance(node, ast.JoinedStr):  # Python 3.12 puts an empty text into some f-strings
        fields["values"] = [part for part in node.values if getattr(part, "value", None) != ""]
    if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
        fields["body"] = fields["body"][1:]
    return [type(node).__name__, *([name, _plain(value)] for name, value in fields.items())]


@cache
def _imports(path: Path) -> tuple[str, ...]:
    names: list[str] = []
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return tuple(names)
