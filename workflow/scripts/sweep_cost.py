"""What a sweep cost."""

from pathlib import Path

from amg.analysis.tables import write_table
from amg.analysis.timing import timing_page, timing_table
from amg.jobs import job
from amg.sweep.expense import cost_table


def main(snakemake):
    with job(snakemake) as log:
        params = snakemake.params
        jobs = [
            *(f"train/{name}" for name in params.train),
            *(f"certify/{name}" for name in params.certify),
        ]
        timing = timing_table(jobs, Path(params.benchmarks), Path(params.logs))
        write_table(
            cost_table(timing, {**params.train, **params.certify}), Path(snakemake.output.cost)
        )
        print(timing_page(timing), file=log)


if "snakemake" in globals():
    main(snakemake)
