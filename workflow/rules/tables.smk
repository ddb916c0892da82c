# Tidy tables with intervals: everything that figures and claims read. Each is made once.

from amg.findings import TABLES as FINDINGS

TABLE = f"{RESULTS}/tables"
BOOTSTRAP = SETTINGS["bootstrap"]
REWARDS = STUDY.experiment("rewards")
SHOWN = STUDY.shown  # the series of `rewards` that single-run figures show
LARGEST = STUDY.largest  # path of the run that shows the confidence lemma
TABLE_JOBS = [
    "config",
    "references",
    "returns",
    "gaps",
    "confidence",
    "exploration",
    "mechanism",
    "findings",
]
TABLES = expand(
    f"{TABLE}/{{name}}.csv",
    name=[
        "references",
        "returns",
        "single_run",
        "stages",
        "restart",
        "gaps",
        "slopes",
        "theory",
        "coverage",
        "confidence",
        "exploration",
        "signal",
        "mechanism",
    ],
)


rule resolved_config:
    output:
        f"{RESULTS}/config.yaml",
    log:
        f"{LOGS}/table/config.log",
    benchmark:
        f"{BENCHMARKS}/table/config.tsv"
    conda:
        ENVIRONMENT
    params:
        settings=SETTINGS,
    message:
        "Write the config with every default filled in"
    script:
        "../scripts/resolved_config.py"


rule table_references:
    input:
        code=code("amg.analysis.reference_values"),
    output:
        references=f"{TABLE}/references.csv",
    log:
        f"{LOGS}/table/references.log",
    benchmark:
        f"{BENCHMARKS}/table/references.tsv"
    conda:
        ENVIRONMENT
    params:
        games=STUDY.game_specs,
    message:
        "Exact reference values of the games"
    script:
        "../scripts/table_references.py"


rule table_returns:
    input:
        runs=[f"{RUNS}/{run}" for series in REWARDS for run in series.runs()],
        shown=[f"{RUNS}/{run}" for run in SHOWN.runs()],
        code=code("amg.analysis.returns", "amg.analysis.tables"),
    output:
        returns=f"{TABLE}/returns.csv",
        single_run=f"{TABLE}/single_run.csv",
        stages=f"{TABLE}/stages.csv",
        restart=f"{TABLE}/restart.csv",
    log:
        f"{LOGS}/table/returns.log",
    benchmark:
        f"{BENCHMARKS}/table/returns.tsv"
    conda:
        ENVIRONMENT
    params:
        bootstrap=BOOTSTRAP,
        groups=[(series.labels, series.seeds) for series in REWARDS],
    message:
        "Returns over episodes, over seeds and of one run"
    script:
        "../scripts/table_returns.py"


rule table_gaps:
    input:
        evaluations=evaluations("sample-complexity"),
        code=code("amg.analysis.gaps", "amg.analysis.confidence", "amg.analysis.tables"),
    output:
        gaps=f"{TABLE}/gaps.csv",
        slopes=f"{TABLE}/slopes.csv",
        theory=f"{TABLE}/theory.csv",
        coverage=f"{TABLE}/coverage.csv",
    log:
        f"{LOGS}/table/gaps.log",
    benchmark:
        f"{BENCHMARKS}/table/gaps.tsv"
    conda:
        ENVIRONMENT
    params:
        bootstrap=BOOTSTRAP,
        decades=SETTINGS["slope_decades"],
        games=STUDY.game_specs,
        p=STUDY.failure_probability,
    message:
        "ε versus K with intervals, slopes, the theorem's rate and the lemma's coverage"
    script:
        "../scripts/table_gaps.py"


rule table_confidence:
    input:
        run=f"{RUNS}/{LARGEST}",
        code=code("amg.analysis.confidence", "amg.analysis.tables"),
    output:
        confidence=f"{TABLE}/confidence.csv",
    log:
        f"{LOGS}/table/confidence.log",
    benchmark:
        f"{BENCHMARKS}/table/confidence.tsv"
    conda:
        ENVIRONMENT
    message:
        "The bounds of the confidence lemma over one run"
    script:
        "../scripts/table_confidence.py"


rule table_exploration:
    input:
        evaluations=evaluations("exploration"),
        code=code("amg.analysis.exploration", "amg.analysis.tables"),
    output:
        exploration=f"{TABLE}/exploration.csv",
    log:
        f"{LOGS}/table/exploration.log",
    benchmark:
        f"{BENCHMARKS}/table/exploration.tsv"
    conda:
        ENVIRONMENT
    params:
        bootstrap=BOOTSTRAP,
        varied=list(SETTINGS["experiments"]["exploration"]["vary"]),
    message:
        "Independent Q-learning across its exploration"
    script:
        "../scripts/table_exploration.py"


rule table_mechanism:
    input:
        run=f"{RUNS}/mechanism.npz",
        code=code("amg.analysis.mechanism", "amg.analysis.tables"),
    output:
        signal=f"{TABLE}/signal.csv",
        mechanism=f"{TABLE}/mechanism.csv",
    log:
        f"{LOGS}/table/mechanism.log",
    benchmark:
        f"{BENCHMARKS}/table/mechanism.tsv"
    conda:
        ENVIRONMENT
    message:
        "The stage mechanism of one run"
    script:
        "../scripts/table_mechanism.py"


rule findings:
    input:
        **{name: f"{TABLE}/{name}.csv" for name in FINDINGS},
        code=code("amg.findings"),
    output:
        findings=f"{SETTINGS['figures']}/findings.md",
    log:
        f"{LOGS}/table/findings.log",
    benchmark:
        f"{BENCHMARKS}/table/findings.tsv"
    conda:
        ENVIRONMENT
    params:
        roles=STUDY.roles,
    message:
        "What was found, in sentences"
    script:
        "../scripts/findings.py"
