# From runs to exact evaluations: value, best response and equilibrium gap, one row a run.


rule certify:
    input:
        runs=PLACES.runs("{job}"),
        compiled=compiled("evaluation"),
    output:
        PLACES.evaluation("{job}"),
    log:
        f"{LOGS}/certify/{{job}}.log",
    benchmark:
        f"{BENCHMARKS}/certify/{{job}}.tsv"
    conda:
        ENVIRONMENT
    params:
        groups=lambda wildcards: JOBS[wildcards.job].groups,
        source=digest("amg.results.evaluate"),
    message:
        "Evaluate exactly: {wildcards.job}"
    script:
        "../scripts/certify.py"
