"""Where the time of a study went, from Snakemake's benchmark files and the jobs' logs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from amg.jobs import WORK
from amg.tables import aligned


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
    return pd.DataFrame(rows, columns=["kind", "job", "seconds", "startup", "peak_mib"])


def work_seconds(log: Path) -> float:
    """Seconds of work that a job's log ends with; ValueError if it does not."""
    return float(log.read_text(encoding="utf-8").rpartition(WORK)[2].strip().removesuffix(" s"))


def timing_page(timing: pd.DataFrame) -> str:
    """Sums for each kind of job, for the terminal."""
    rows = [_sums(kind, group) for kind, group in timing.groupby("kind", sort=False)]
    header = ["jobs", "number", "seconds", "of it start-up", "peak MiB"]
    return "\n".join(aligned(header, [*rows, _sums("all", timing)]))


def _sums(kind: str, group: pd.DataFrame) -> list[str]:
    return [
        kind,
        str(len(group)),
        f"{group['seconds'].sum():.1f}",
        f"{group['startup'].sum():.1f}",
        f"{group['peak_mib'].max():.0f}",
    ]
