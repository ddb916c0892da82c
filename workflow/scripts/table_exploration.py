"""Independent Q-learning across its exploration."""

from pathlib import Path

import pandas as pd

from amg.analysis.exploration import exploration_table
from amg.analysis.intervals import Bootstrap
from amg.analysis.tables import read_table, write_table
from amg.jobs import job


def main(snakemake):
    with job(snakemake):
        tables = [read_table(Path(path)) for path in snakemake.input.evaluations]
        table = exploration_table(
            pd.concat(tables, ignore_index=True),
            snakemake.params.varied,
            Bootstrap(**snakemake.params.bootstrap),
        )
        write_table(table, Path(snakemake.output.exploration))


if "snakemake" in globals():
    main(snakemake)
