"""Where the time of the study went."""

from pathlib import Path

from amg.analysis.tables import write_table
from amg.analysis.timing import timing_page, timing_table
from amg.jobs import job


def main(snakemake):
    with job(snakemake) as log:
        params = snakemake.params
        table = timing_table(params.jobs, Path(params.benchmarks), Path(params.logs))
        write_table(table, Path(snakemake.output.timing))
        print(timing_page(table), file=log)


if "snakemake" in globals():
    main(snakemake)
