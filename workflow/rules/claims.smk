# The paper's claims, judged from the tables. Whatever the verdicts, the build is fine.

from amg.claims import entries
from amg.claims.entries import TABLES as JUDGED_FROM
from amg.report.captions import claims_flags

CLAIMS = os.path.relpath(Path(workflow.basedir) / entries.CLAIMS)
CLAIMS_SCHEMA = os.path.relpath(Path(workflow.basedir) / entries.SCHEMA)

try:
    entries.read_claims(Path(CLAIMS), load_schema(Path(CLAIMS_SCHEMA)))
except AmgError as error:
    print(f"error: {error}", file=sys.stderr)
    sys.exit(1)


rule claims:
    input:
        **{name: f"{TABLE}/{name}.csv" for name in JUDGED_FROM},
        claims=CLAIMS,
        schema=CLAIMS_SCHEMA,
        code=code("amg.claims.report"),
    output:
        json=report(f"{RESULTS}/claims.json", **claims_flags("claims.json")),
        page=report(f"{RESULTS}/claims.md", **claims_flags("claims.md")),
        compact=f"{FIGURE}/claims.md",
    log:
        f"{LOGS}/table/claims.log",
    benchmark:
        f"{BENCHMARKS}/table/claims.tsv"
    conda:
        ENVIRONMENT
    params:
        judged_from=JUDGED_FROM,
    message:
        "Judge the paper's claims"
    script:
        "../scripts/claims.py"
