"""Add up the time that the jobs took."""

from pathlib import Path

from amg.process.job import job
from amg.study.account import timing_page, timing_table
from amg.tables.tidy import write_table

with job(snakemake) as log:
    params = snakemake.params
    table = timing_table(params.jobs, Path(params.benchmarks), Path(params.logs))
    write_table(table, Path(snakemake.output[0]))
    print(timing_page(table), file=log)
