"""Where a study ran: what stands beside the results because it must not change their bytes.

---
Where the time of a study went, from Snakemake's benchmark files and the jobs' logs.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from amg.base import VERSION
from amg.base.files import write_text
from amg.base.sources import digest_files, package
from amg.base.text import text_table
from amg.process.job import WORK

TIMING = {"kind": str, "job": str, "seconds": float, "startup": float, "peak_mib": float}
LIBRARIES = (
    *("numpy", "numba", "llvmlite", "scipy", "pandas"),
    *("matplotlib", "seaborn", "snakemake"),
)
STUDY = ("Snakefile", "config", "src", "workflow")  # what a commit has to say to give the results


def write_provenance(root: Path, config: Any, to_config: Path, to_provenance: Path) -> None:
    """Write the config with every default filled in, and the facts of `provenance`."""
    facts = json.dumps(provenance(root), indent=2, ensure_ascii=False)
    write_text(to_config, yaml.safe_dump(config, sort_keys=False, allow_unicode=True))
    write_text(to_provenance, f"{facts}\n")


def provenance(root: Path) -> dict[str, Any]:
    """Return versions, commit, machine and date of a study of the sources in `root`, now."""
    return {
        "package": {"version": VERSION, "source": digest_files(package())},
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


# ===== tables/timing


def timing_table(jobs: Sequence[str], benchmarks: Path, logs: Path) -> pd.DataFrame:
    """One row for each job, named kind/…: seconds, of which start-up, and peak memory in MiB.

    Jobs whose benchmark or log is not there, damaged or not of this version, are left out.
    """
    rows = []
    for job in jobs:
        kind, _, name = job.partition("/")
        try:
            work = work_seconds(logs / f"{job}.log")
            measured = pd.read_csv(benchmarks / f"{job}.tsv", sep="\t", na_values="-").iloc[0]
            seconds, peak = float(measured["s"]), float(measured["max_rss"])
        except (OSError, ValueError, LookupError):
            continue
        rows.append(
            {
                "kind": kind,
                "job": name,
                "seconds": seconds,
                "startup": max(seconds - work, 0.0),
                "peak_mib": peak,
            }
        )
    return pd.DataFrame(rows, columns=list(TIMING))


def work_seconds(log: Path) -> float:
    """Seconds of work that a job's log ends with; ValueError if it does not."""
    return float(log.read_text(encoding="utf-8").rpartition(WORK)[2].strip().removesuffix(" s"))


def timing_page(timing: pd.DataFrame) -> str:
    """Sums for each kind of job, for the terminal."""
    rows = [_sums(kind, group) for kind, group in timing.groupby("kind", sort=False)]
    header = ["jobs", "number", "seconds", "of it start-up", "peak MiB"]
    return "\n".join(text_table(header, [*rows, _sums("all", timing)]))


def _sums(kind: str, group: pd.DataFrame) -> list[str]:
    return [
        kind,
        str(len(group)),
        f"{group['seconds'].sum():.1f}",
        f"{group['startup'].sum():.1f}",
        f"{group['peak_mib'].max():.0f}",
    ]


def cost_table(timing: pd.DataFrame, episodes: Mapping[str, int]) -> pd.DataFrame:
    """Return what the jobs took, for each kind of job and number of episodes.

    Parameters
    ----------
    timing : DataFrame
        One row for each job, as `amg.study.account.timing_table` makes it.
    episodes : mapping
        The largest number of episodes of each job, by its name. Other jobs are left out.
    """
    own = timing[timing["job"].isin(list(episodes))]
    groups = own.assign(episodes=own["job"].map(episodes)).groupby(["kind", "episodes"])
    return groups.agg(
        jobs=("job", "size"),
        seconds=("seconds", "sum"),
        startup=("startup", "sum"),
        peak_mib=("peak_mib", "max"),
    ).reset_index()
