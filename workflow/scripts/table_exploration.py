"""Independent Q-learning across its exploration."""

from pathlib import Path

from amg.analysis.exploration import exploration_table
from amg.analysis.intervals import Bootstrap
from amg.analysis.tables import read_evaluations, write_table
from amg.jobs import job


def main(snakemake):
    with job(snakemake):
        table = exploration_table(
            read_evaluations(snakemake.input.evaluations),
            snakemake.params.varied,
            Bootstrap(**snakemake.params.bootstrap),
        )
        write_table(table, Path(snakemake.output.exploration))


if "snakemake" in globals():
    main(snakemake)
