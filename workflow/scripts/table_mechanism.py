"""The stage mechanism of one run."""

from pathlib import Path

from amg.analysis.mechanism import mechanism_table, signal_table
from amg.analysis.tables import write_table
from amg.jobs import job
from amg.run import load


def main(snakemake):
    with job(snakemake):
        run = load(Path(snakemake.input.run))
        write_table(signal_table(run), Path(snakemake.output.signal))
        write_table(mechanism_table(run), Path(snakemake.output.mechanism))


if "snakemake" in globals():
    main(snakemake)
