"""The bounds of the confidence lemma over one run."""

from pathlib import Path

from amg.analysis.confidence import confidence_table
from amg.analysis.tables import write_table
from amg.jobs import job
from amg.run import load


def main(snakemake):
    with job(snakemake):
        table = confidence_table(load(Path(snakemake.input.run)))
        write_table(table, Path(snakemake.output.confidence))


if "snakemake" in globals():
    main(snakemake)
