"""Evaluate the runs of one job exactly."""

from pathlib import Path

from amg.process.job import job
from amg.results.evaluate import evaluate_file

with job(snakemake) as log:
    runs, output = Path(snakemake.input.runs), Path(snakemake.output[0])
    evaluate_file(runs, snakemake.params.groups, output, log)
