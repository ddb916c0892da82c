# One job for each batch of runs that differ only in their seed. The files of a batch are known, not
# matched: a rule is made for each, so that a run's name says what it is and not who made it.

from amg.learning.training import LEARNERS
from amg.warmup import KERNELS


rule compile:
    input:
        code=lambda wildcards: code(wildcards.kernel),
    output:
        touch(f"{RESULTS}/compiled/{{kernel}}"),
    log:
        f"{LOGS}/compile/{{kernel}}.log",
    benchmark:
        f"{BENCHMARKS}/compile/{{kernel}}.tsv"
    conda:
        ENVIRONMENT
    message:
        "Compile once what jobs share: {wildcards.kernel}"
    script:
        "../scripts/compile.py"


for batch in STUDY.batches():

    rule:
        name:
            rule_name(batch)
        input:
            compiled=f"{RESULTS}/compiled/{batch.learner}",
            code=code("amg.batch", batch.learner),
        output:
            runs=[f"{RUNS}/{run}" for run in batch.runs],
        log:
            f"{LOGS}/train/{batch.name}.log",
        benchmark:
            f"{BENCHMARKS}/train/{batch.name}.tsv"
        priority: batch.priority
        group:
            group(batch)
        conda:
            ENVIRONMENT
        resources:
            runtime=runtime(batch),
        params:
            spec=batch.spec,
        message:
            f"Train {batch.title}"
        script:
            "../scripts/train.py"


rule train_mechanism:
    input:
        compiled=f"{RESULTS}/compiled/{LEARNERS['v_learning'][0]}",
        code=code("amg.learning.tracing", LEARNERS["v_learning"][0]),
    output:
        run=f"{RUNS}/mechanism.npz",
    log:
        f"{LOGS}/train/mechanism.log",
    benchmark:
        f"{BENCHMARKS}/train/mechanism.tsv"
    conda:
        ENVIRONMENT
    params:
        spec=STUDY.mechanism,
    message:
        "Train the run that shows the stage mechanism, recording everything"
    script:
        "../scripts/train_traced.py"
