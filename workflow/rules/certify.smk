# The exact evaluation of every run, one job for each series (a game with a learner).

from amg.warmup import EVALUATION


rule certify:
    input:
        runs=series_runs,
        compiled=f"{RESULTS}/compiled/{EVALUATION}",
        code=code("amg.analysis.evaluations"),
    output:
        table=f"{RESULTS}/evaluations/{{series}}.csv",
    log:
        f"{LOGS}/certify/{{series}}.log",
    benchmark:
        f"{BENCHMARKS}/certify/{{series}}.tsv"
    conda:
        ENVIRONMENT
    params:
        labels=lambda wildcards: SERIES[wildcards.series].labels,
    message:
        "Evaluate exactly: {wildcards.series}"
    script:
        "../scripts/certify.py"
