"""The claims page, of everything the study left behind."""

from pathlib import Path

from amg.archive import write_bytes
from amg.jobs import job
from amg.report import page
from amg.report.environment import read_environment
from amg.report.material import (
    Material,
    read_pictures,
    read_references,
    read_text,
    read_timing,
)
from amg.report.verdicts import read_claims

LISTS = ("figures", "code")


def main(snakemake):
    with job(snakemake):
        files = {
            name: Path(str(path)) for name, path in snakemake.input.items() if name not in LISTS
        }
        material = Material(
            claims=read_claims(files["claims"]),
            pictures=read_pictures(Path(snakemake.input.figures[0]).parent),
            references=read_references(files["references"]),
            timing=read_timing(files["timing"]),
            findings=read_text(files["findings"]),
            deviations=read_text(files["deviations"]),
            config=read_text(files["config"]),
            facts=snakemake.params.facts,
            environment=read_environment(files["provenance"]),
        )
        write_bytes(Path(snakemake.output.page), page.render(material).encode())


if "snakemake" in globals():
    main(snakemake)
