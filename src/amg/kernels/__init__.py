"""Compiled kernels are kept for the sources they were compiled from, and for no others.

numba keeps a compiled function until its own file changes, not when a function that it calls does:
after an update of the package it would go on with old code. So the cache of each state of the
kernels' sources is a directory of its own.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
VARIABLE = "NUMBA_CACHE_DIR"
PREFIX = "amg-kernels-"


def separate_caches() -> None:
    """Give numba the directory of these sources, below the user's choice if there is one."""
    directory = str(_base() / f"{PREFIX}{sources_digest(PACKAGE)}")
    os.environ[VARIABLE] = directory
    if "numba" in sys.modules:  # which has read the variable already
        sys.modules["numba"].config.CACHE_DIR = directory


def sources_digest(package: Path) -> str:
    """Of all files that may hold kernels: those that mention numba."""
    found = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        content = path.read_bytes()
        if b"numba" in content:
            found.update(str(path.relative_to(package)).encode() + b"\0" + content + b"\0")
    return found.hexdigest()[:12]


def _base() -> Path:
    """The user's directory (of a parent process, perhaps with other sources), or the package's."""
    given = os.environ.get(VARIABLE)
    if given:
        path = Path(given)
        return path.parent if path.name.startswith(PREFIX) else path
    if os.access(PACKAGE, os.W_OK):
        return PACKAGE / "__pycache__"
    caches = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(caches) if os.access(Path(caches).parent, os.W_OK) else Path(tempfile.gettempdir())
