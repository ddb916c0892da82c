"""Train one short run, recording everything."""

from pathlib import Path

from amg.process.job import job
from amg.study.plan import trace_spec

with job(snakemake):
    trace_spec(snakemake.params.spec, Path(snakemake.output[0]))
