"""The account of a study: where it ran, and where its time went.

These facts stand beside the results, because they must not change the bytes of results.
"""

import json
import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd
import psutil
import yaml

from amg.base import VERSION
from amg.base.files import write_text
from amg.base.sources import digest_files, package
from amg.process.job import WORK

LIBRARIES = ["numpy", "numba", "llvmlite", "scipy", "pandas", "matplotlib", "seaborn", "snakemake"]
STUDY = ("Snakefile", "config", "src", "workflow")  # what decides the results of a commit
TIMING = {"kind": str, "job": str, "seconds": float, "startup": float, "peak_mib": float}
SUMS = {  # over several jobs
    "jobs": ("job", "size"),
    "seconds": ("seconds", "sum"),
    "startup": ("startup", "sum"),
    "peak_mib": ("peak_mib", "max"),
}


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
        "libraries": {name: version(name) for name in LIBRARIES},
        "machine": {
            "cpu": _processor(),
            "architecture": platform.machine(),
            "cores": os.cpu_count(),
            "memory_bytes": psutil.virtual_memory().total,
            "system": platform.platform(),
        },
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def git(root: Path) -> dict[str, Any] | None:
    """Return the commit checked out in `root`, and whether the study's sources differ from it."""
    top = _output("git", "-C", str(root), "rev-parse", "--show-toplevel")
    commit = _output("git", "-C", str(root), "rev-parse", "--verify", "HEAD")
    if not top or not commit or Path(top).resolve() != root.resolve():
        return None  # no repository, none with a commit, or one that `root` merely lies in
    changed = _output("git", "-C", str(root), "status", "--porcelain", "--", *STUDY)
    return {"commit": commit, "dirty": changed != ""}


def commit_order(root: Path, first: str, second: str) -> str | None:
    """Return which of two files was committed first, with both commits, or None without git."""
    commits = [_output("git", "-C", str(root), "log", "-1", "--format=%h of %cs", "--", path)
               for path in (first, second)]  # fmt: skip
    if not all(commits):
        return None
    one, two = (str(commit).split()[0] for commit in commits)
    both = f"{first} was last committed in {commits[0]}, {second} in {commits[1]}"
    if one == two:
        return f"{both}: in the same commit, so the order cannot be seen."
    before = _output("git", "-C", str(root), "merge-base", "--is-ancestor", one, two) is not None
    return f"{both}: the first is {'' if before else 'not '}older."


def _processor() -> str:
    """Return the model of the processor, as Linux or macOS names it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    except OSError:
        names = [_output("sysctl", "-n", "machdep.cpu.brand_string") or ""]
    return next(iter(names), "") or platform.processor() or platform.machine()


def _output(*command: str) -> str | None:
    """Return what a command prints; None if it fails or does not exist."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def timing_table(jobs: Sequence[str], benchmarks: Path, logs: Path) -> pd.DataFrame:
    """Return seconds, of which start-up, and peak memory in MiB of each job, named kind/….

    Jobs whose benchmark or log is missing, damaged or of another version are left out.
    """
    rows = []
    for job in jobs:
        try:
            work = work_seconds(logs / f"{job}.log")
            measured = pd.read_csv(benchmarks / f"{job}.tsv", sep="\t", na_values="-").iloc[0]
            seconds, peak = float(measured["s"]), float(measured["max_rss"])
        except (OSError, ValueError, LookupError):
            continue
        rows.append((*job.split("/", 1), seconds, max(seconds - work, 0.0), peak))
    return pd.DataFrame(rows, columns=list(TIMING))


def work_seconds(log: Path) -> float:
    """Return the seconds of work that a job's log ends with; ValueError if it does not."""
    return float(log.read_text(encoding="utf-8").rpartition(WORK)[2].strip().removesuffix(" s"))


def timing_page(timing: pd.DataFrame) -> str:
    """Return the sums for each kind of job and for all, as text for the terminal."""
    both = pd.concat([timing, timing.assign(kind="all")])
    return both.groupby("kind", sort=False).agg(**SUMS).round(1).to_string()


def cost_table(timing: pd.DataFrame, episodes: Mapping[str, int]) -> pd.DataFrame:
    """Return what the jobs took, for each kind of job and number of episodes.

    `episodes` is the largest number of episodes of each job, named kind/….
    """
    names = timing["kind"] + "/" + timing["job"]
    groups = timing.assign(episodes=names.map(episodes)).groupby(["kind", "episodes"])
    return groups.agg(**SUMS).reset_index()


def changed_files(directory: Path) -> list[str] | None:
    """Return the figures of a directory that differ from the committed ones; None if none is."""
    files = [f":(glob){directory}/{where}*" for where in ("", "experiments/")]
    if not _output("git", "ls-files", "--", *files):
        return None
    changed = _output("git", "diff", "--name-only", "HEAD", "--", *files) or ""
    return [Path(line).name for line in changed.splitlines()]
