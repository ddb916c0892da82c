"""The gap against the number of agents."""

from pathlib import Path

from amg.analysis.agents import agent_slopes_table, agents_table
from amg.analysis.intervals import Bootstrap
from amg.analysis.tables import read_evaluations, write_table
from amg.jobs import job
from amg.plan import make_game


def main(snakemake):
    with job(snakemake):
        params = snakemake.params
        bootstrap = Bootstrap(**params.bootstrap)
        evaluations = read_evaluations(snakemake.input.evaluations)
        games = {name: make_game(spec) for name, spec in params.games.items()}
        for name, table in {
            "agents": agents_table(evaluations, games, bootstrap),
            "agent_slopes": agent_slopes_table(evaluations, games, bootstrap, params.p),
        }.items():
            write_table(table, Path(snakemake.output[name]))


if "snakemake" in globals():
    main(snakemake)
