"""Judge the paper's claims."""

from pathlib import Path

from amg.analysis.tables import read_table
from amg.archive import write_bytes
from amg.claims.entries import read_claims
from amg.claims.report import as_json, compact, judge_all, page, tally
from amg.jobs import job
from amg.schema import load_schema


def main(snakemake):
    with job(snakemake) as log:
        paths, output = snakemake.input, snakemake.output
        claims = read_claims(Path(paths.claims), load_schema(Path(paths.schema)))
        tables = {name: read_table(Path(paths[name])) for name in snakemake.params.judged_from}
        judged = judge_all(claims, tables)
        for path, text in {
            output.json: as_json(judged),
            output.page: page(judged),
            output.compact: compact(judged, str(Path(output.compact).parent)),
        }.items():
            write_bytes(Path(path), text.encode())
        print(tally(judged), file=log)


if "snakemake" in globals():
    main(snakemake)
