"""Evaluate the runs of one job exactly."""

from pathlib import Path

from amg.process.job import job
from amg.tables.tidy import evaluate_file, write_table

with job(snakemake) as log:
    table = evaluate_file(Path(snakemake.input.runs), snakemake.params.groups, log)
    write_table(table, Path(snakemake.output[0]))
