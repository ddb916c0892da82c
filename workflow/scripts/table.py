"""Make one table."""

from pathlib import Path

from amg.process.job import job, named_inputs
from amg.tables import TABLES
from amg.tables.needs import make_table
from amg.tables.tidy import write_table

with job(snakemake):
    table = TABLES[snakemake.wildcards.table]
    frame = make_table(table, named_inputs(snakemake), snakemake.params.spec)
    write_table(frame, Path(snakemake.output[0]))
