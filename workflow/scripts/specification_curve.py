"""Draw the specification curve of one claim."""

from pathlib import Path

from amg.multiverse.figure import draw_curve
from amg.process.job import job, named_inputs

with job(snakemake):
    stem = Path(snakemake.output.png).with_suffix("")
    draw_curve(named_inputs(snakemake), snakemake.wildcards.claim, stem)
