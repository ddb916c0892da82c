"""Train the runs of one job."""

from pathlib import Path

from amg.process.job import job
from amg.study.plan import train_spec

with job(snakemake) as log:
    train_spec(snakemake.params.spec, snakemake.wildcards.job, Path(snakemake.output[0]), log)
