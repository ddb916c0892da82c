"""Judge the paper's claims, and say what was found."""

from pathlib import Path

from amg.claims.judge import write_claims
from amg.process.job import job

with job(snakemake) as log:
    output = {name: Path(path) for name, path in snakemake.output.items()}
    tables = {Path(path).stem: Path(path) for path in snakemake.input.tables}
    write_claims(Path(snakemake.input.claims), tables, snakemake.params.roles, output, log)
