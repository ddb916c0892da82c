"""How numba is set up: a cache of compiled kernels for each state of their sources, and no BLAS.

numba compiles a function again when its own file changes, but not when a function that it calls
does: after an update of the package it would run old code. So each state of the kernels' sources
has its own cache directory.
"""

import hashlib
import os
import sys
import tempfile
from importlib import import_module
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
VARIABLE, PREFIX = "NUMBA_CACHE_DIR", "amg-kernels-"


def separate_caches() -> None:
    """Give numba the cache directory of these sources, below NUMBA_CACHE_DIR if that is set."""
    directory = str(_base() / f"{PREFIX}{sources_digest(PACKAGE)}")
    os.environ[VARIABLE] = directory
    if "numba" in sys.modules:  # which has read the variable already
        sys.modules["numba"].config.CACHE_DIR = directory


def skip_blas() -> None:
    """Keep numba from looking for BLAS, which no kernel uses: that would import scipy.linalg."""
    module = "scipy.linalg.cython_blas"
    if "scipy.linalg" not in sys.modules:
        sys.modules.update({"scipy.linalg": None, module: None})  # type: ignore[dict-item]
        import_module("numba.np.arraymath")  # where it looks
        del sys.modules["scipy.linalg"], sys.modules[module]


def sources_digest(package: Path) -> str:
    """Return a digest of all files that may hold kernels: those that mention numba."""
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        content = path.read_bytes()
        if b"numba" in content:
            digest.update(str(path.relative_to(package)).encode() + b"\0" + content + b"\0")
    return digest.hexdigest()[:12]


def _base() -> Path:
    """Return the user's directory (perhaps set by a parent process), or the package's own."""
    if given := os.environ.get(VARIABLE):
        path = Path(given)
        return path.parent if path.name.startswith(PREFIX) else path
    if os.access(PACKAGE, os.W_OK):
        return PACKAGE / "__pycache__"
    caches = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(caches) if os.access(Path(caches).parent, os.W_OK) else Path(tempfile.gettempdir())
