"""Table, figure and findings of a sweep."""

from pathlib import Path

from amg.analysis.intervals import Bootstrap
from amg.analysis.tables import read_evaluations
from amg.jobs import job
from amg.sweep.file import read_sweep
from amg.sweep.report import make_report


def main(snakemake):
    with job(snakemake):
        params = snakemake.params
        sweep = read_sweep(Path(str(snakemake.input.sweep)), Path(params.root))
        evaluations = read_evaluations(snakemake.input.evaluations)
        stem = Path(snakemake.output.csv).with_suffix("")
        make_report(sweep, evaluations, Bootstrap(**params.bootstrap), stem)


if "snakemake" in globals():
    main(snakemake)
