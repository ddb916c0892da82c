"""Take the reference data from a finished study: a few runs, with recorded numbers.

For each game and K of `sample-complexity` it keeps the run of the first V-learner with seed 1. The
recorded numbers are the study's own evaluations; `amg verify` compares with them.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from amg.base.errors import FileError
from amg.cli.verify import REFERENCE, VALUES
from amg.results.run import Run
from amg.results.run_file import load_runs, save_runs
from amg.study.config import read_config
from amg.study.study import Study
from amg.tables.evaluations import EVALUATIONS
from amg.tables.needs import Places
from amg.tables.tidy import read_table, write_table

EXPERIMENT, SEED = "sample-complexity", 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare where the study is, and where the reference data goes."""
    parser.add_argument("results", nargs="?", type=Path, default=Path("results"))
    parser.add_argument("-o", "--output", type=Path, default=REFERENCE, metavar="DIRECTORY")


def run(options: argparse.Namespace) -> int:
    """Write the runs and the table of recorded numbers; return 0."""
    recorded = []
    for run, row in list(read_runs(options.results)):  # all of them, before anything is written
        path = options.output / f"{row['game']}-K{run.episodes}.npz"
        save_runs(path, [run])
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        recorded.append({"file": path.name, "sha256": digest, "source": run.source, **row})
    write_table(pd.DataFrame(recorded), options.output / VALUES)
    print(f"{options.output}: {len(recorded)} runs; `amg verify` checks them")
    return 0


def read_runs(results: Path) -> Iterator[tuple[Run, dict[str, Any]]]:
    """Yield the runs of a finished study that are kept, each with its evaluation."""
    study = Study(*read_config([_existing(f"{results}/config.yaml")]))
    wanted = {
        (series.name, episodes)
        for series in study.experiment(EXPERIMENT)
        if series.learner_label == study.learned.learner_label
        for episodes in series.episodes
    }
    places = Places(str(results))
    for job in study.jobs():
        if any(SEED in p.seeds and (p.series.name, p.episodes) in wanted for p in job.parts):
            runs = load_runs(_existing(places.runs(job.name)))
            path = _existing(places.evaluation(job.name))
            rows = read_table(path, EVALUATIONS).to_dict("records")
            if len(rows) != len(runs):
                raise FileError(f"{path}: is not of all {len(runs)} runs; run the study first")
            for run, row in zip(runs, rows, strict=True):
                if run.seed == SEED and (row["series"], run.episodes) in wanted:
                    yield run, row


def _existing(path: str) -> Path:
    if not Path(path).exists():
        raise FileError(f"{path}: does not exist; run the study first")
    return Path(path)
