"""What an agent's update reads: of the run that shows the mechanism, and where there are more."""

from pathlib import Path

from amg.analysis.locality import locality_table, run_of_four
from amg.analysis.tables import write_table
from amg.jobs import job
from amg.run import load


def main(snakemake):
    with job(snakemake):
        runs = {snakemake.params.game: load(Path(snakemake.input.run)), "of four": run_of_four()}
        write_table(locality_table(runs), Path(snakemake.output.locality))


if "snakemake" in globals():
    main(snakemake)
