"""Payoff matrices of games of two."""

from pathlib import Path

from amg.analysis.payoffs import payoff_table
from amg.analysis.tables import write_table
from amg.jobs import job
from amg.plan import make_game


def main(snakemake):
    with job(snakemake):
        games = {name: make_game(spec) for name, spec in snakemake.params.games.items()}
        write_table(payoff_table(games), Path(snakemake.output.payoffs))


if "snakemake" in globals():
    main(snakemake)
