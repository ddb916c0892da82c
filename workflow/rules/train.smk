# One job for each batch of runs that differ only in their seed. The files of a batch are known, not
# matched: a rule is made for each, so that a run's name says what it is and not who made it.

from amg.learning.training import LEARNERS


rule compile:
    message:
        "Compile the kernels once, before jobs that share them start"
    input:
        code=code("amg.warmup", *(module for module, _ in LEARNERS.values())),
    output:
        touch(f"{RESULTS}/compiled"),
    log:
        f"{LOGS}/compile/kernels.log",
    benchmark:
        f"{BENCHMARKS}/compile/kernels.tsv"
    conda:
        ENVIRONMENT
    script:
        "../scripts/compile.py"


for batch in STUDY.batches():

    rule:
        name:
            f"train_{batch.name.replace('/', '_')}"
        message:
            f"Train {batch.title}"
        input:
            compiled=ancient(f"{RESULTS}/compiled"),
            code=code("amg.batch", LEARNERS[batch.series.parameters.algorithm][0]),
        output:
            runs=[f"{RUNS}/{run}" for run in batch.runs],
        params:
            spec=batch.spec,
        log:
            f"{LOGS}/train/{batch.name}.log",
        benchmark:
            f"{BENCHMARKS}/train/{batch.name}.tsv"
        priority: batch.priority
        conda:
            ENVIRONMENT
        script:
            "../scripts/train.py"


rule train_mechanism:
    message:
        "Train the run that shows the stage mechanism, recording everything"
    input:
        compiled=ancient(f"{RESULTS}/compiled"),
        code=code("amg.batch", LEARNERS["v_learning"][0]),
    output:
        run=f"{RUNS}/mechanism.npz",
    params:
        spec=STUDY.mechanism,
    log:
        f"{LOGS}/train/mechanism.log",
    benchmark:
        f"{BENCHMARKS}/train/mechanism.tsv"
    conda:
        ENVIRONMENT
    script:
        "../scripts/train_traced.py"
