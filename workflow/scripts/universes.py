"""Judge every claim in every universe."""

from pathlib import Path

from amg.multiverse.report import make_report
from amg.process.job import job, named_inputs

with job(snakemake) as log:
    output = {name: Path(path) for name, path in snakemake.output.items()}
    # There are few tasks. More processes than cores share them evenly: no core waits at the end.
    params = {**dict(snakemake.params), "processes": 4 * snakemake.threads}
    make_report(named_inputs(snakemake), params, output, log)
