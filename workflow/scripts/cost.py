"""Add up what a sweep cost."""

from pathlib import Path

from amg.process.job import job
from amg.study.account import cost_table, timing_page, timing_table
from amg.tables.tidy import write_table

with job(snakemake) as log:
    params = snakemake.params
    timing = timing_table(list(params.episodes), Path(params.benchmarks), Path(params.logs))
    write_table(cost_table(timing, params.episodes), Path(snakemake.output[0]))
    print(timing_page(timing), file=log)
