"""Write the config with every default filled in."""

from pathlib import Path

from amg.archive import write_bytes
from amg.jobs import job
from amg.schema import to_text


def main(snakemake):
    with job(snakemake):
        text = to_text(snakemake.params.settings)
        write_bytes(Path(snakemake.output[0]), text.encode())


if "snakemake" in globals():
    main(snakemake)
