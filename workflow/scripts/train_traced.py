"""Train one short run, recording everything."""

from pathlib import Path

from amg.jobs import job
from amg.learning.parameters import make_parameters
from amg.learning.tracing import train_traced
from amg.plan import make_game


def main(snakemake):
    with job(snakemake):
        spec = snakemake.params.spec
        parameters = make_parameters(spec["algorithm"], spec["parameters"])
        run = train_traced(make_game(spec["game"]), parameters, spec["episodes"], spec["seed"])
        run.save(Path(snakemake.output.run))


if "snakemake" in globals():
    main(snakemake)
