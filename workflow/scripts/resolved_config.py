"""Write the config with every default filled in."""

from pathlib import Path

import yaml

from amg.archive import write_bytes
from amg.jobs import job


def main(snakemake):
    with job(snakemake):
        text = yaml.safe_dump(snakemake.params.settings, sort_keys=False, allow_unicode=True)
        write_bytes(Path(snakemake.output[0]), text.encode())


if "snakemake" in globals():
    main(snakemake)
