# From runs to exact evaluations: value, best response and equilibrium gap, one row a run. One job
# evaluates all runs of a game: that takes less time than starting a job.


rule certify:
    input:
        runs=lambda wildcards: [PLACES.runs(job.name) for job in GAMES[wildcards.game]],
        compiled=compiled("evaluation"),
    output:
        PLACES.evaluation("{game}"),
    log:
        f"{LOGS}/certify/{{game}}.log",
    benchmark:
        f"{BENCHMARKS}/certify/{{game}}.tsv"
    conda:
        ENVIRONMENT
    params:
        jobs=lambda wildcards: [(job.name, job.groups) for job in GAMES[wildcards.game]],
        source=digest("amg.results.evaluate"),
    message:
        "Evaluate exactly: {wildcards.game}"
    script:
        "../scripts/certify.py"
