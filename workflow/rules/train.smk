# From games to runs. One job trains one game with one learner, for a batch of seeds.


rule compile:
    output:
        touch(compiled("{kernel}")),
    log:
        f"{LOGS}/compile/{{kernel}}.log",
    benchmark:
        f"{BENCHMARKS}/compile/{{kernel}}.tsv"
    conda:
        ENVIRONMENT
    params:
        source=lambda wildcards: digest(KERNELS[wildcards.kernel]),
    message:
        "Compile the kernels of {wildcards.kernel}"
    script:
        "../scripts/compile.py"


# `update` keeps the archive, so that a job trains only the runs that are missing.
rule train:
    input:
        lambda wildcards: compiled(kernel_of(JOBS[wildcards.job].algorithm)),
    output:
        update(PLACES.runs("{job}")),
    log:
        f"{LOGS}/train/{{job}}.log",
    benchmark:
        f"{BENCHMARKS}/train/{{job}}.tsv"
    priority: 1
    conda:
        ENVIRONMENT
    resources:
        runtime=lambda wildcards, attempt: attempt * JOBS[wildcards.job].minutes,
    params:
        spec=lambda wildcards: JOBS[wildcards.job].spec,
        source=lambda wildcards: digest(KERNELS[kernel_of(JOBS[wildcards.job].algorithm)]),
    message:
        "Train {wildcards.job}"
    script:
        "../scripts/train.py"
