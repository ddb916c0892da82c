"""Draw one figure from its tables."""

from pathlib import Path

from amg.figures import FIGURES
from amg.process.job import job

with job(snakemake):
    tables = {Path(path).stem: Path(path) for path in snakemake.input}
    stem = Path(snakemake.output.png).with_suffix("")
    FIGURES[snakemake.wildcards.figure].make(tables, stem)
