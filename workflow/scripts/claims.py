"""Judge the paper's claims, and say what was found."""

from pathlib import Path

from amg.claims.judge import write_claims
from amg.process.job import job, named_inputs

with job(snakemake) as log:
    output = {name: Path(path) for name, path in snakemake.output.items()}
    write_claims(named_inputs(snakemake), dict(snakemake.params), output, log)
