"""ε versus K: intervals, slopes, the theorem's rate and the lemma's coverage."""

from pathlib import Path

from amg.analysis.confidence import coverage_table
from amg.analysis.gaps import gap_table, slope_table, theory_table
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
        gaps = gap_table(evaluations, bootstrap)
        for name, table in {
            "gaps": gaps,
            "slopes": slope_table(evaluations, bootstrap, params.decades),
            "theory": theory_table(games, gaps, params.p),
            "coverage": coverage_table(evaluations),
        }.items():
            write_table(table, Path(snakemake.output[name]))


if "snakemake" in globals():
    main(snakemake)
