"""Exact reference values of the study's games."""

from pathlib import Path

from amg.analysis.reference_values import reference_table
from amg.analysis.tables import write_table
from amg.jobs import job
from amg.plan import make_game


def main(snakemake):
    with job(snakemake):
        games = {name: make_game(spec) for name, spec in snakemake.params.games.items()}
        write_table(reference_table(games), Path(snakemake.output.references))


if "snakemake" in globals():
    main(snakemake)
