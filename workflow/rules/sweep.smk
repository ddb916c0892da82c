# A sweep: its table, its figure with a caption, and what it cost.

SUFFIXES = ("csv", "pdf", "png", "md")
PICTURES = [f"{FIGURE}/{SWEEP.name}.{suffix}" for suffix in SUFFIXES]

EVERYTHING = [*PICTURES, f"{RESULTS}/cost.csv"]

if workflow.is_main_process:
    print(SWEEP.outlook(), file=sys.stderr)


rule sweep_figure:
    input:
        evaluations=[f"{RESULTS}/evaluations/{lot}.csv" for lot in LOTS],
        sweep=SWEEP_FILE,
        code=code("amg.sweep.report"),
    output:
        csv=PICTURES[0],
        pdf=PICTURES[1],
        png=PICTURES[2],
        md=PICTURES[3],
    log:
        f"{LOGS}/sweep.log",
    benchmark:
        f"{BENCHMARKS}/sweep.tsv"
    conda:
        ENVIRONMENT
    params:
        root=os.path.relpath(workflow.basedir),
        bootstrap=BOOTSTRAP,
    message:
        f"Table and figure of sweep {SWEEP.name}"
    script:
        "../scripts/sweep.py"


rule sweep_cost:
    input:
        evaluations=rules.sweep_figure.input.evaluations,
        code=code("amg.sweep.expense", "amg.analysis.timing"),
    output:
        cost=f"{RESULTS}/cost.csv",
    log:
        f"{LOGS}/cost.log",
    benchmark:
        f"{BENCHMARKS}/cost.tsv"
    conda:
        ENVIRONMENT
    params:
        train={batch.name: batch.items[0].episodes for batch in PLAN.batches()},
        certify={name: lot.members[0][1].episodes[0] for name, lot in LOTS.items()},
        benchmarks=BENCHMARKS,
        logs=LOGS,
    message:
        "What it cost"
    script:
        "../scripts/sweep_cost.py"
