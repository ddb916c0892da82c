"""Compile the kernels of one module."""

from amg.learning.train import warm_up
from amg.process.job import job

with job(snakemake):
    warm_up(snakemake.wildcards.kernel)
