"""Compile the kernels of one module."""

from amg.jobs import job
from amg.warmup import warm_up


def main(snakemake):
    with job(snakemake):
        warm_up(snakemake.wildcards.kernel)


if "snakemake" in globals():
    main(snakemake)
