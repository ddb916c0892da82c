# What a sweep or the multiverse took.


rule cost:
    input:
        EVALUATIONS,
    output:
        f"{RESULTS}/cost.csv",
    log:
        f"{LOGS}/cost.log",
    benchmark:
        f"{BENCHMARKS}/cost.tsv"
    conda:
        ENVIRONMENT
    params:
        episodes={
            **{f"train/{job.name}": job.episodes for job in PLAN},
            **{f"certify/{game}": max(x.episodes for x in jobs) for game, jobs in GAMES.items()},
        },
        benchmarks=BENCHMARKS,
        logs=LOGS,
    message:
        "Add up what it cost"
    script:
        "../scripts/cost.py"
