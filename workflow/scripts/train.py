"""Train one batch of runs."""

from pathlib import Path

from amg.batch import train_batch
from amg.jobs import job
from amg.plan import make_game


def main(snakemake):
    with job(snakemake) as log:
        outputs = [Path(path) for path in snakemake.output.runs]
        items = [(make_game(spec["game"]), spec) for spec in snakemake.params.specs]
        train_batch(items, snakemake.params.label, outputs, log)


if "snakemake" in globals():
    main(snakemake)
