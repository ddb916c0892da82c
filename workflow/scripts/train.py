"""Train one batch of runs."""

from pathlib import Path

from amg.batch import train_batch
from amg.jobs import job
from amg.study import make_game


def main(snakemake):
    with job(snakemake) as log:
        spec = snakemake.params.spec
        outputs = [Path(path) for path in snakemake.output.runs]
        label = f"{spec['algorithm']} K={spec['episodes']}"
        train_batch(make_game(spec["game"]), spec, label, outputs, log)


if "snakemake" in globals():
    main(snakemake)
