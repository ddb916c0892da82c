"""Make the table, figure and findings of a sweep."""

from pathlib import Path

from amg.process.job import job
from amg.sweep.file import read_sweep
from amg.sweep.report import make_report
from amg.tables.intervals import Intervals
from amg.tables.tidy import read_evaluations

with job(snakemake):
    sweep = read_sweep(Path(str(snakemake.input.sweep)))
    evaluations = read_evaluations(map(Path, snakemake.input.evaluations))
    stem = Path(snakemake.output.csv).with_suffix("")
    make_report(sweep, evaluations, Intervals(snakemake.params.confidence), stem)
