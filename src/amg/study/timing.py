"""Where the time of a study went, from Snakemake's benchmark files and the jobs' logs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from amg.process.job import WORK

TIMING = {"kind": str, "job": str, "seconds": float, "startup": float, "peak_mib": float}
SUMS = {  # over several jobs
    "jobs": ("job", "size"),
    "seconds": ("seconds", "sum"),
    "startup": ("startup", "sum"),
    "peak_mib": ("peak_mib", "max"),
}


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

    `episodes` is the largest number of episodes of each job, by its name. Others are left out.
    """
    own = timing[timing["job"].isin(list(episodes))]
    groups = own.assign(episodes=own["job"].map(episodes)).groupby(["kind", "episodes"])
    return groups.agg(**SUMS).reset_index()
