# From evaluations to tables, figures and claims. The lists are amg.tables and
# amg.figures.
from dataclasses import replace

from amg.claims.entries import JUDGED_FROM, read_claims
from amg.claims.frozen import digests
from amg.figures import FIGURES, SUFFIXES, drawn_by_shape
from amg.tables.needs import table_files, table_spec
from amg.tables import BY_EXPERIMENT, BY_SHAPE, TABLES

CLAIMS_FILE = ROOT / CLAIMS
try:
    read_claims(CLAIMS_FILE, SETTINGS.names)
except AmgError as error:
    sys.exit(f"error: {error}")

# What `make multiverse` and `make confirm` have left, shown beside the verdicts.
BESIDE = {
    "shares": f"{FIGURE}/multiverse/shares.json",
    "confirmation": f"{FIGURE}/confirmation/claims.json",
}
ALL_TABLES = [PLACES.table(name) for name in TABLES]
ALL_FIGURES = [f"{FIGURE}/{name}.{suffix}" for name in FIGURES for suffix in SUFFIXES]
OTHERS = {
    name: replace(BY_SHAPE, experiment=name) for name in drawn_by_shape(STUDY.config.experiments)
}


wildcard_constraints:
    figure="|".join(FIGURES),
    experiment="|".join(OTHERS),


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


# One job makes the tables of one experiment: they read the same files.
for experiment, own in BY_EXPERIMENT.items():

    rule:
        name:
            f"table_{experiment}".replace("-", "_")
        input:
            **table_files(STUDY, PLACES, *own),
        output:
            **{
                table.name: report(
                    PLACES.table(table.name),
                    caption="../report/table.rst",
                    category="Tables",
                    labels={"table": table.name},
                )
                for table in own
            },
        log:
            f"{LOGS}/table/{experiment}.log",
        benchmark:
            f"{BENCHMARKS}/table/{experiment}.tsv"
        conda:
            ENVIRONMENT
        params:
            spec=table_spec(STUDY, *own),
            source=digest(*dict.fromkeys(table.module for table in own)),
        message:
            f"Tables of {experiment}"
        script:
            "../scripts/tables.py"


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


# An experiment that no figure above shows has a table and a figure by its shape.
rule experiment:
    input:
        lambda wildcards: table_files(STUDY, PLACES, OTHERS[wildcards.experiment])["evaluations"],
    output:
        table=PLACES.table("experiments/{experiment}"),
        pdf=f"{FIGURE}/experiments/{{experiment}}.pdf",
        png=report(
            f"{FIGURE}/experiments/{{experiment}}.png",
            caption="../report/experiment.rst",
            category="Figures",
            labels={"figure": "{experiment}"},
        ),
        csv=f"{FIGURE}/experiments/{{experiment}}.csv",
        md=f"{FIGURE}/experiments/{{experiment}}.md",
    log:
        f"{LOGS}/experiment/{{experiment}}.log",
    benchmark:
        f"{BENCHMARKS}/experiment/{{experiment}}.tsv"
    conda:
        ENVIRONMENT
    params:
        spec=lambda wildcards: table_spec(STUDY, OTHERS[wildcards.experiment]),
        source=digest("amg.figures.experiment", "amg.tables.experiments"),
    message:
        "Table and figure of {wildcards.experiment}"
    script:
        "../scripts/experiment.py"


# Whatever the verdicts, the build is fine.
rule claims:
    input:
        **{name: path for name, path in BESIDE.items() if Path(path).exists()},
        tables=[PLACES.table(name) for name in JUDGED_FROM],
        claims=str(CLAIMS_FILE),
    output:
        json=f"{FIGURE}/claims.json",
        page=report(f"{RESULTS}/claims.md", caption="../report/claims.rst", category="Claims"),
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
        root=str(ROOT),
        roles=STUDY.roles,
        names=SETTINGS.names,
        digests=digests(ROOT),
        source=digest("amg.claims.judge", "amg.claims.findings"),
    message:
        "Judge the paper's claims"
    script:
        "../scripts/claims.py"
