"""Where a study ran: what stands beside the results because it must not change their bytes."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from amg import __version__
from amg.sources import digest_of, package

LIBRARIES = (
    *("numpy", "numba", "llvmlite", "scipy", "pandas"),
    *("matplotlib", "seaborn", "snakemake"),
)
STUDY = ("Snakefile", "config", "src", "workflow")  # what a commit has to say to give the results


def provenance(root: Path) -> dict[str, Any]:
    """Versions, commit, machine and date of a study that runs in `root`, now."""
    return {
        "package": {"version": __version__, "source": digest_of(package())},
        "git": git(root),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "libraries": {name: _version(name) for name in LIBRARIES},
        "machine": machine(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def git(root: Path) -> dict[str, Any] | None:
    """The commit checked out in `root`, and whether the study's sources differ from it."""
    top = _output("git", "-C", str(root), "rev-parse", "--show-toplevel")
    if top is None or Path(top).resolve() != root.resolve():
        return None  # no repository, or one that `root` merely lies in
    commit = _output("git", "-C", str(root), "rev-parse", "--verify", "HEAD")
    changed = _output("git", "-C", str(root), "status", "--porcelain", "--", *STUDY)
    return None if commit is None else {"commit": commit, "dirty": changed != ""}


def machine() -> dict[str, Any]:
    """Processor, cores, memory and system; None for what the system does not tell."""
    return {
        "cpu": _cpu(),
        "architecture": platform.machine(),
        "cores": os.cpu_count(),
        "memory_bytes": _memory(),
        "system": platform.platform(),
    }


def _cpu() -> str:
    """The model as the system calls it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return (
        next(named, "")
        or _output("sysctl", "-n", "machdep.cpu.brand_string")  # macOS
        or platform.processor()
        or platform.machine()
    )


def _memory() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def _version(library: str) -> str | None:
    try:
        return version(library)
    except PackageNotFoundError:
        return None


def _output(*command: str) -> str | None:
    """What a command prints; None if it fails or is not there."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()
