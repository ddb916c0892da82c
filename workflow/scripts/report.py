"""Write the claims page from everything the study made."""

from pathlib import Path

from amg.process.job import job, named_inputs
from amg.report.page import write_page

with job(snakemake):
    params, output = snakemake.params, Path(snakemake.output[0])
    write_page(named_inputs(snakemake), params.facts, Path(params.root), output)
