"""Returns over episodes: over seeds, of one run, and within stages."""

from pathlib import Path

from amg.analysis.intervals import Bootstrap
from amg.analysis.returns import restart_table, returns_table, single_run_table, stage_table
from amg.analysis.tables import write_table
from amg.jobs import job
from amg.run import load


def main(snakemake):
    with job(snakemake):
        bootstrap = Bootstrap(**snakemake.params.bootstrap)
        runs = iter([load(Path(path)) for path in snakemake.input.runs])
        groups = [
            (labels, [next(runs) for _ in range(seeds)])
            for labels, seeds in snakemake.params.groups
        ]
        shown = [load(Path(path)) for path in snakemake.input.shown]
        for name, table in {
            "returns": returns_table(groups, bootstrap),
            "single_run": single_run_table(shown[0]),
            "stages": stage_table(shown[0]),
            "restart": restart_table(shown, bootstrap),
        }.items():
            write_table(table, Path(snakemake.output[name]))


if "snakemake" in globals():
    main(snakemake)
