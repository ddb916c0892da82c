"""All that a sweep makes, in one process and without Snakemake: runs, evaluations, table, figure.

`python everything.py DIRECTORY`: the same bytes are to come out wherever and however it is run.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd

from amg.analysis.confidence import confidence_table
from amg.analysis.evaluations import evaluate_groups
from amg.analysis.intervals import Bootstrap
from amg.analysis.reference_values import reference_table
from amg.analysis.tables import write_table
from amg.batch import train_batch
from amg.games import BUILDERS, build
from amg.plan import make_game
from amg.run import load
from amg.sweep.file import read_sweep
from amg.sweep.report import make_report

SWEEP = """
title: Everything, small
base: { game: fishermen, algorithm: v_learning, episodes: 3000 }
compare:
  two: { agents: 2 }
  three: { agents: 3, lambda_min: 0.95 }
  İndependent: { algorithm: independent_q }
axes:
  horizon: [2, 3]
seeds: 2
measure: [max_gap, mean_return]
"""


def main(directory: Path) -> None:
    directory.mkdir(parents=True)
    file = directory / "everything.yaml"
    file.write_text(SWEEP, encoding="utf-8")
    sweep = read_sweep(file, Path())
    for batch in sweep.batches():
        items = [(make_game(item.spec["game"]), item.spec) for item in batch.items]
        train_batch(items, batch.title, [directory / run for run in batch.runs], sys.stderr)
    tables = []
    for lot in sweep.lots():
        runs = [directory / run for run in lot.runs]
        tables.append(evaluate_groups(lot.groups, runs, sys.stderr))
    evaluations = pd.concat(tables, ignore_index=True)
    write_table(evaluations, directory / "evaluations.csv")
    bootstrap = Bootstrap(level=0.95, resamples=500, seed=0)
    make_report(sweep, evaluations, bootstrap, directory / "figure")
    write_table(reference_table({name: build(name) for name in BUILDERS}), directory / "values.csv")
    write_table(
        confidence_table(load(directory / sweep.lots()[0].runs[0])), directory / "lemma.csv"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
