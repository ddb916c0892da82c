# One job for each batch of runs. The files of a batch are known, not matched: a rule is made for
# each, so that a run's name says what it is and not who made it. They are flagged as updated, so
# that a job keeps finished runs when it goes on after an interruption or others join its batch.

from amg.learning.training import LEARNERS


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


for batch in PLAN.batches():

    rule:
        name:
            rule_name(batch)
        input:
            compiled=f"{RESULTS}/compiled/{batch.learner}",
            code=code("amg.batch", batch.learner),
        output:
            runs=[update(f"{RUNS}/{run}") for run in batch.runs],
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
            specs=batch.spec,
            label=batch.title,
        message:
            f"Train {batch.title}"
        script:
            "../scripts/train.py"
