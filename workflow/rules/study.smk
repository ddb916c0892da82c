# From evaluations to tables, figures and claims. The lists are amg.tables and
# amg.figures.
from amg.claims.entries import CLAIMS, JUDGED_FROM, read_claims
from amg.figures import FIGURES, SUFFIXES
from amg.tables.needs import table_files, table_spec
from amg.tables import TABLES

CLAIMS_FILE = ROOT / CLAIMS
try:
    read_claims(CLAIMS_FILE)
except AmgError as error:
    sys.exit(f"error: {error}")

ALL_TABLES = [PLACES.table(name) for name in TABLES]
ALL_FIGURES = [f"{FIGURE}/{name}.{suffix}" for name in FIGURES for suffix in SUFFIXES]


wildcard_constraints:
    table="|".join(TABLES),
    figure="|".join(FIGURES),


rule trace:
    input:
        compiled(kernel_of("v_learning")),
    output:
        PLACES.trace,
    log:
        f"{LOGS}/trace/mechanism.log",
    benchmark:
        f"{BENCHMARKS}/trace/mechanism.tsv"
    conda:
        ENVIRONMENT
    params:
        spec=STUDY.mechanism,
        source=digest("amg.learning.train"),
    message:
        "Train one short run and record everything"
    script:
        "../scripts/trace.py"


rule table:
    input:
        unpack(lambda wildcards: table_files(STUDY, TABLES[wildcards.table], PLACES)),
    output:
        report(
            PLACES.table("{table}"),
            caption="../report/table.rst",
            category="Tables",
            labels={"table": "{table}"},
        ),
    log:
        f"{LOGS}/table/{{table}}.log",
    benchmark:
        f"{BENCHMARKS}/table/{{table}}.tsv"
    conda:
        ENVIRONMENT
    params:
        spec=lambda wildcards: table_spec(STUDY, TABLES[wildcards.table]),
        source=lambda wildcards: digest(TABLES[wildcards.table].module),
    message:
        "Table {wildcards.table}"
    script:
        "../scripts/table.py"


rule figure:
    input:
        lambda wildcards: [PLACES.table(table) for table in FIGURES[wildcards.figure].tables],
    output:
        pdf=f"{FIGURE}/{{figure}}.pdf",
        png=report(
            f"{FIGURE}/{{figure}}.png",
            caption="../report/figure.rst",
            category="Figures",
            labels={"figure": "{figure}"},
        ),
        csv=f"{FIGURE}/{{figure}}.csv",
        md=f"{FIGURE}/{{figure}}.md",
    log:
        f"{LOGS}/figure/{{figure}}.log",
    benchmark:
        f"{BENCHMARKS}/figure/{{figure}}.tsv"
    conda:
        ENVIRONMENT
    params:
        source=lambda wildcards: digest(FIGURES[wildcards.figure].module),
    message:
        "Figure {wildcards.figure}"
    script:
        "../scripts/figure.py"


# Whatever the verdicts, the build is fine.
rule claims:
    input:
        tables=[PLACES.table(name) for name in JUDGED_FROM],
        claims=str(CLAIMS_FILE),
    output:
        json=f"{RESULTS}/claims.json",
        page=report(f"{RESULTS}/claims.md", caption="../report/claims.rst", category="Claims"),
        compact=f"{FIGURE}/claims.md",
        findings=report(
            f"{FIGURE}/findings.md", caption="../report/findings.rst", category="Claims"
        ),
    log:
        f"{LOGS}/claims/claims.log",
    benchmark:
        f"{BENCHMARKS}/claims/claims.tsv"
    conda:
        ENVIRONMENT
    params:
        roles=STUDY.roles,
        source=digest("amg.claims.judge", "amg.claims.findings"),
    message:
        "Judge the paper's claims"
    script:
        "../scripts/claims.py"
