"""What was found, in sentences."""

from pathlib import Path

from amg.analysis.tables import read_table
from amg.archive import write_bytes
from amg.findings import TABLES, Roles, findings
from amg.jobs import job


def main(snakemake):
    with job(snakemake):
        tables = {name: read_table(Path(snakemake.input[name])) for name in TABLES}
        text = findings(tables, Roles(**snakemake.params.roles))
        write_bytes(Path(snakemake.output.findings), text.encode())


if "snakemake" in globals():
    main(snakemake)
