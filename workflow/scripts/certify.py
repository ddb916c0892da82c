"""Evaluate the runs of one game exactly."""

from pathlib import Path

from amg.process.job import job
from amg.results.evaluate import evaluate_files

with job(snakemake) as log:
    runs, output = list(map(Path, snakemake.input.runs)), Path(snakemake.output[0])
    evaluate_files(runs, snakemake.params.jobs, output, log)
