# Where the time went: the last rule, after everything that it accounts for.

JOBS = [
    *(f"compile/{kernel}" for kernel in KERNELS),
    *(f"train/{batch.name}" for batch in STUDY.batches()),
    "train/mechanism",
    *(f"certify/{series.name}" for series in STUDY.series),
    *(f"table/{name}" for name in TABLE_JOBS),
    *(f"figure/{name}" for name in FIGURE_NAMES),
]


rule timing:
    input:
        figures=FIGURES,
        tables=TABLES,
        evaluations=evaluations(),
        claims=rules.claims.output,
    output:
        timing=report(f"{TABLE}/timing.csv", **table_flags("timing")),
    log:
        f"{LOGS}/timing.log",
    benchmark:
        f"{BENCHMARKS}/timing.tsv"
    conda:
        ENVIRONMENT
    params:
        jobs=JOBS,
        benchmarks=BENCHMARKS,
        logs=LOGS,
    message:
        "Where the time went"
    script:
        "../scripts/timing.py"
