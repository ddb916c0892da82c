"""Compile the kernels."""

from amg.jobs import job
from amg.warmup import warm_up


def main(snakemake):
    with job(snakemake):
        warm_up()


if "snakemake" in globals():
    main(snakemake)
