"""Where the time of a study went, from Snakemake's benchmark files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from amg.tables import aligned

KINDS = ("compile", "train", "certify", "table", "figure")


def timing_table(benchmarks: Sequence[Path], root: Path) -> pd.DataFrame:
    """One row a job: its kind (the directory of its benchmark), seconds and peak memory in MiB."""
    rows = []
    for path in benchmarks:
        frame = pd.read_csv(path, sep="\t", na_values="-")
        kind, *rest = path.relative_to(root).with_suffix("").parts
        rows.append({"kind": kind, "job": "/".join(rest), "seconds": frame["s"].iloc[0],
                     "cpu_seconds": frame["cpu_time"].iloc[0],
                     "peak_mib": frame["max_rss"].iloc[0]})  # fmt: skip
    return pd.DataFrame(rows)


def timing_page(timing: pd.DataFrame) -> str:
    """The sum for each kind of job, for the terminal."""
    groups = timing.groupby("kind", sort=False)
    rows = [
        [kind, str(len(group)), f"{group['seconds'].sum():.1f}", f"{group['peak_mib'].max():.0f}"]
        for kind, group in groups
    ]
    rows.append(["all", str(len(timing)), f"{timing['seconds'].sum():.1f}",
                 f"{timing['peak_mib'].max():.0f}"])  # fmt: skip
    return "\n".join(aligned(["jobs", "number", "seconds", "peak MiB"], rows))
