# The exact evaluation of every run, one job for each series (a game with a learner).

from amg.warmup import EVALUATION

SERIES = {series.name: series for series in STUDY.series}


def series_runs(wildcards):
    return [f"{RUNS}/{run}" for run in SERIES[wildcards.series].runs()]


def series_table(series):
    return f"{RESULTS}/evaluations/{series.name}.csv"


def experiment_tables(experiment):
    return [series_table(series) for series in STUDY.experiment(experiment)]


EVALUATIONS = [series_table(series) for series in STUDY.series]


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
