# The exact evaluation of every run, one job for each lot of them.

from amg.warmup import EVALUATION


rule certify:
    input:
        runs=lot_runs,
        compiled=f"{RESULTS}/compiled/{EVALUATION}",
        code=code("amg.analysis.evaluations"),
    output:
        table=f"{RESULTS}/evaluations/{{lot}}.csv",
    log:
        f"{LOGS}/certify/{{lot}}.log",
    benchmark:
        f"{BENCHMARKS}/certify/{{lot}}.tsv"
    conda:
        ENVIRONMENT
    params:
        groups=lambda wildcards: LOTS[wildcards.lot].groups,
    message:
        "Evaluate exactly: {wildcards.lot}"
    script:
        "../scripts/certify.py"
