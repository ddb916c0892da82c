# Where the time went: the last rule, after everything that it accounts for.

JOBS = [
    "compile/kernels",
    *(f"train/{batch.name}" for batch in STUDY.batches()),
    "train/mechanism",
    *(f"certify/{series.name}" for series in STUDY.series),
    *(f"table/{name}" for name in TABLE_JOBS),
    *(f"figure/{name}" for name in FIGURE_NAMES),
]


rule timing:
    message:
        "Where the time went"
    input:
        figures=FIGURES,
        tables=TABLES,
    output:
        timing=f"{TABLE}/timing.csv",
    params:
        jobs=JOBS,
        benchmarks=BENCHMARKS,
        logs=LOGS,
    log:
        f"{LOGS}/timing.log",
    benchmark:
        f"{BENCHMARKS}/timing.tsv"
    conda:
        ENVIRONMENT
    script:
        "../scripts/timing.py"
