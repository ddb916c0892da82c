"""How the lengths of stages grow."""

from pathlib import Path

from amg.analysis.growth import growth_table
from amg.analysis.intervals import Bootstrap
from amg.analysis.tables import write_table
from amg.jobs import job
from amg.run import load


def main(snakemake):
    with job(snakemake):
        paths = iter(snakemake.input.runs)
        groups = [
            (labels, [load(Path(next(paths))) for _ in range(seeds)])
            for labels, seeds in snakemake.params.groups
        ]
        table = growth_table(groups, Bootstrap(**snakemake.params.bootstrap))
        write_table(table, Path(snakemake.output.growth))


if "snakemake" in globals():
    main(snakemake)
