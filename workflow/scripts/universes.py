"""Judge every claim in every universe."""

from pathlib import Path

from amg.multiverse.report import make_report
from amg.process.job import job, named_inputs

with job(snakemake) as log:
    output = {name: Path(path) for name, path in snakemake.output.items()}
    params = {**dict(snakemake.params), "processes": snakemake.threads}
    make_report(named_inputs(snakemake), params, output, log)
