"""All that a sweep makes, in one process and without Snakemake: runs, evaluations, table, figure.

`python everything.py DIRECTORY`: the same bytes are to come out wherever and however it is run.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd

from amg.game.library import BUILDERS, build
from amg.results.evaluate import evaluate_files
from amg.results.run_file import load_runs
from amg.study.plan import by_game, train_spec
from amg.sweep.file import read_sweep
from amg.sweep.report import make_report
from amg.tables.games import reference_table
from amg.tables.intervals import Intervals, log_mean
from amg.tables.stages import confidence_table
from amg.tables.tidy import read_evaluations, write_table

SWEEP = """
title: Everything, small
base: { game: fishermen, algorithm: v_learning, episodes: 3000 }
compare:
  two: { agents: 2 }
  three: { agents: 3, lambda_min: 0.95 }
  İndependent: { algorithm: independent_q }
axes:
  horizon: [2, 3]
seeds: 4
measure: [max_gap, mean_return]
"""


def main(directory: Path) -> None:
    directory.mkdir(parents=True)
    file = directory / "everything.yaml"
    file.write_text(SWEEP, encoding="utf-8")
    sweep = read_sweep(file)
    outputs = []
    for game, jobs in by_game(sweep.jobs()).items():
        runs = [directory / "runs" / f"{job.name}.npz" for job in jobs]
        for job, path in zip(jobs, runs, strict=True):
            train_spec(job.spec, job.name, path, sys.stderr)
        outputs.append(directory / "evaluations" / f"{game}.csv")
        named = [(job.name, job.groups) for job in jobs]
        evaluate_files(runs, named, outputs[-1], sys.stderr)
    evaluations = read_evaluations(outputs)
    intervals = Intervals()
    make_report(sweep, evaluations, intervals, directory / "figure")
    means = [log_mean(rows["mean_return"].to_numpy()) for _, rows in evaluations.groupby("series")]
    fit = intervals.exponent(range(1, len(means) + 1), means)
    write_table(pd.DataFrame([fit]), directory / "exponent.csv")
    write_table(reference_table({name: build(name) for name in BUILDERS}), directory / "values.csv")
    first = load_runs(directory / "runs" / f"{sweep.jobs()[0].name}.npz")[0]
    write_table(confidence_table([first]), directory / "lemma.csv")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
