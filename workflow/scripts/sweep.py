"""Table, figure and findings of a sweep."""

from pathlib import Path

import pandas as pd

from amg.analysis.intervals import Bootstrap
from amg.analysis.tables import read_table
from amg.jobs import job
from amg.sweep.file import read_sweep
from amg.sweep.report import make_report


def main(snakemake):
    with job(snakemake):
        params = snakemake.params
        sweep = read_sweep(Path(str(snakemake.input.sweep)), Path(params.root))
        tables = [read_table(Path(path)) for path in snakemake.input.evaluations]
        evaluations = pd.concat(tables, ignore_index=True)
        stem = Path(snakemake.output.csv).with_suffix("")
        make_report(sweep, evaluations, Bootstrap(**params.bootstrap), stem)


if "snakemake" in globals():
    main(snakemake)
