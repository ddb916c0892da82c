# The multiverse: verdicts in every universe, and a figure for each claim.
from textwrap import fill

from amg.multiverse.evidence import jobs_with
from amg.report.summary import multiverse_summary

end_with(
    workflow, lambda targets, seconds: multiverse_summary(MULTIVERSE, FIGURE, targets, seconds)
)

EVERYTHING = [
    f"{FIGURE}/universes.csv",
    *(f"{FIGURE}/{claim.id}.{kind}" for claim in MULTIVERSE.claims for kind in ("pdf", "png")),
    f"{RESULTS}/cost.csv",
]

if workflow.is_main_process:
    print(fill(MULTIVERSE.outlook(), 80), file=sys.stderr)


wildcard_constraints:
    claim="|".join(claim.id for claim in MULTIVERSE.claims),


rule universes:
    input:
        evaluations=EVALUATIONS,
        runs=[
            PLACES.runs(job.name)
            for job in jobs_with(MULTIVERSE, MULTIVERSE.runs_of("rewards", "restarts"))
        ],
        multiverse=SETTINGS.multiverse,
        claims=str(ROOT / CLAIMS),
        confirm=str(ROOT / FILES["confirmatory study"]),
    output:
        universes=f"{FIGURE}/universes.csv",
        choices=f"{FIGURE}/choices.csv",
        shares=f"{FIGURE}/shares.json",
        page=f"{FIGURE}/page.md",
    log:
        f"{LOGS}/universes.log",
    benchmark:
        f"{BENCHMARKS}/universes.tsv"
    conda:
        ENVIRONMENT
    threads: MULTIVERSE.groups + 1
    params:
        confidence=SETTINGS.confidence,
        decades=SETTINGS.slope_decades,
        root=str(ROOT),
        source=digest("amg.multiverse.report"),
    message:
        "Judge every claim in every universe"
    script:
        "../scripts/universes.py"


rule specification_curve:
    input:
        universes=rules.universes.output.universes,
        multiverse=SETTINGS.multiverse,
        claims=str(ROOT / CLAIMS),
    output:
        pdf=f"{FIGURE}/{{claim}}.pdf",
        png=f"{FIGURE}/{{claim}}.png",
    log:
        f"{LOGS}/specification_curve/{{claim}}.log",
    benchmark:
        f"{BENCHMARKS}/specification_curve/{{claim}}.tsv"
    conda:
        ENVIRONMENT
    params:
        source=digest("amg.multiverse.figure"),
    message:
        "Specification curve: {wildcards.claim}"
    script:
        "../scripts/specification_curve.py"
