"""Evaluate the runs of one lot exactly."""

from pathlib import Path

from amg.analysis.evaluations import evaluate_groups
from amg.analysis.tables import write_table
from amg.jobs import job


def main(snakemake):
    with job(snakemake) as log:
        runs = [Path(path) for path in snakemake.input.runs]
        table = evaluate_groups(snakemake.params.groups, runs, log)
        write_table(table, Path(snakemake.output.table))


if "snakemake" in globals():
    main(snakemake)
