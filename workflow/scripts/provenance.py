"""Where the study ran."""

import json
from pathlib import Path

from amg.archive import write_bytes
from amg.jobs import job
from amg.provenance import provenance


def main(snakemake):
    with job(snakemake):
        text = json.dumps(provenance(Path(snakemake.params.root)), indent=2, ensure_ascii=False)
        write_bytes(Path(snakemake.output.provenance), f"{text}\n".encode())


if "snakemake" in globals():
    main(snakemake)
