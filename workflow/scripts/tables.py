"""Make the tables of one experiment."""

from pathlib import Path

from amg.process.job import job, named_inputs
from amg.tables.needs import make_tables

with job(snakemake):
    output = {name: Path(path) for name, path in snakemake.output.items()}
    make_tables(output, named_inputs(snakemake), snakemake.params.spec)
