# The one run that is recorded in full, for the figure of the stage mechanism.


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
