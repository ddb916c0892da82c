"""Make the table and the figure of one experiment by its shape."""

from pathlib import Path

from amg.figures.experiment import make
from amg.process.job import job

with job(snakemake):
    output = {name: Path(path) for name, path in snakemake.output.items()}
    files = {"evaluations": [Path(path) for path in snakemake.input]}
    make(files, snakemake.params.spec, snakemake.wildcards.experiment, output)
