"""Draw one figure from its tables."""

from pathlib import Path

from amg.figures import FIGURES
from amg.jobs import job


def main(snakemake):
    with job(snakemake):
        tables = {Path(path).stem: Path(path) for path in snakemake.input.tables}
        FIGURES[snakemake.params.name].make(tables, Path(snakemake.output.pdf).with_suffix(""))


if "snakemake" in globals():
    main(snakemake)
