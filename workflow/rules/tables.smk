# Tidy tables with intervals: everything that figures and claims read. Each is made once.

from amg.findings import TABLES as FINDINGS
from amg.report.captions import claims_flags, table_flags

TABLE = f"{RESULTS}/tables"
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
    "growth",
    "agents",
    "payoffs",
    "locality",
    "findings",
    "claims",
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
        "growth",
        "agents",
        "agent_slopes",
        "payoffs",
        "locality",
    ],
)
GROWING = [series for series in STUDY.series if series.parameters.algorithm == "v_learning"]


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
        references=report(f"{TABLE}/references.csv", **table_flags("references")),
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
        returns=report(f"{TABLE}/returns.csv", **table_flags("returns")),
        single_run=report(f"{TABLE}/single_run.csv", **table_flags("single_run")),
        stages=report(f"{TABLE}/stages.csv", **table_flags("stages")),
        restart=report(f"{TABLE}/restart.csv", **table_flags("restart")),
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
        gaps=report(f"{TABLE}/gaps.csv", **table_flags("gaps")),
        slopes=report(f"{TABLE}/slopes.csv", **table_flags("slopes")),
        theory=report(f"{TABLE}/theory.csv", **table_flags("theory")),
        coverage=report(f"{TABLE}/coverage.csv", **table_flags("coverage")),
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
        confidence=report(f"{TABLE}/confidence.csv", **table_flags("confidence")),
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
        exploration=report(f"{TABLE}/exploration.csv", **table_flags("exploration")),
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
        signal=report(f"{TABLE}/signal.csv", **table_flags("signal")),
        mechanism=report(f"{TABLE}/mechanism.csv", **table_flags("mechanism")),
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


rule table_growth:
    input:
        runs=[
            f"{RUNS}/{series.run(series.episodes[-1], seed)}"
            for series in GROWING
            for seed in range(1, series.seeds + 1)
        ],
        code=code("amg.analysis.growth", "amg.analysis.tables"),
    output:
        growth=report(f"{TABLE}/growth.csv", **table_flags("growth")),
    log:
        f"{LOGS}/table/growth.log",
    benchmark:
        f"{BENCHMARKS}/table/growth.tsv"
    conda:
        ENVIRONMENT
    params:
        bootstrap=BOOTSTRAP,
        groups=[(series.labels, series.seeds) for series in GROWING],
    message:
        "How the lengths of stages grow"
    script:
        "../scripts/table_growth.py"


rule table_agents:
    input:
        evaluations=evaluations("agents"),
        code=code("amg.analysis.agents", "amg.analysis.tables"),
    output:
        agents=report(f"{TABLE}/agents.csv", **table_flags("agents")),
        agent_slopes=report(f"{TABLE}/agent_slopes.csv", **table_flags("agent_slopes")),
    log:
        f"{LOGS}/table/agents.log",
    benchmark:
        f"{BENCHMARKS}/table/agents.tsv"
    conda:
        ENVIRONMENT
    params:
        bootstrap=BOOTSTRAP,
        games=STUDY.game_specs,
        p=STUDY.failure_probability,
    message:
        "The gap against the number of agents"
    script:
        "../scripts/table_agents.py"


rule table_payoffs:
    input:
        code=code("amg.analysis.payoffs", "amg.analysis.tables"),
    output:
        payoffs=report(f"{TABLE}/payoffs.csv", **table_flags("payoffs")),
    log:
        f"{LOGS}/table/payoffs.log",
    benchmark:
        f"{BENCHMARKS}/table/payoffs.tsv"
    conda:
        ENVIRONMENT
    params:
        games=STUDY.game_specs,
    message:
        "Payoff matrices of games of two"
    script:
        "../scripts/table_payoffs.py"


rule table_locality:
    input:
        run=f"{RUNS}/mechanism.npz",
        compiled=f"{RESULTS}/compiled/{LEARNERS['v_learning'][0]}",
        code=code("amg.analysis.locality", "amg.analysis.tables"),
    output:
        locality=report(f"{TABLE}/locality.csv", **table_flags("locality")),
    log:
        f"{LOGS}/table/locality.log",
    benchmark:
        f"{BENCHMARKS}/table/locality.tsv"
    conda:
        ENVIRONMENT
    params:
        game=SETTINGS["mechanism"]["game"],
    message:
        "What an agent's update reads"
    script:
        "../scripts/table_locality.py"


rule findings:
    input:
        **{name: f"{TABLE}/{name}.csv" for name in FINDINGS},
        code=code("amg.findings"),
    output:
        findings=report(f"{FIGURE}/findings.md", **claims_flags("findings.md")),
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
