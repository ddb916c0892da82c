"""Evaluate the runs of one series exactly."""

from pathlib import Path

from amg.analysis.evaluations import evaluate_runs
from amg.analysis.tables import write_table
from amg.jobs import job


def main(snakemake):
    with job(snakemake):
        labels = snakemake.params.labels
        table = evaluate_runs(labels, [Path(path) for path in snakemake.input.runs])
        write_table(table, Path(snakemake.output.table))


if "snakemake" in globals():
    main(snakemake)
