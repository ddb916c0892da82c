"""Write down the config with every default, and where the study ran."""

from pathlib import Path

from amg.process.job import job
from amg.study.account import write_provenance

with job(snakemake):
    params, output = snakemake.params, snakemake.output
    write_provenance(Path(params.root), params.config, Path(output.config), Path(output.provenance))
