# A sweep: its table, figure and findings, and what it cost.
from textwrap import fill

from amg.report.summary import sweep_summary

end_with(workflow, lambda targets, seconds: sweep_summary(SWEEP, FIGURE, targets, seconds))
EVERYTHING = [
    *(f"{FIGURE}/{SWEEP.name}.{suffix}" for suffix in ("csv", "pdf", "png", "md")),
    f"{RESULTS}/cost.csv",
]

if workflow.is_main_process:
    print(fill(SWEEP.outlook(), 80), file=sys.stderr)


rule sweep:
    input:
        evaluations=EVALUATIONS,
        sweep=SETTINGS.sweep,
    output:
        csv=f"{FIGURE}/{SWEEP.name}.csv",
        pdf=f"{FIGURE}/{SWEEP.name}.pdf",
        png=f"{FIGURE}/{SWEEP.name}.png",
        md=f"{FIGURE}/{SWEEP.name}.md",
    log:
        f"{LOGS}/sweep.log",
    benchmark:
        f"{BENCHMARKS}/sweep.tsv"
    conda:
        ENVIRONMENT
    params:
        confidence=SETTINGS.confidence,
        source=digest("amg.sweep.report"),
    message:
        f"Table and figure of sweep {SWEEP.name}"
    script:
        "../scripts/sweep.py"
