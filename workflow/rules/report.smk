# What is said about the study as a whole: its cost, where it ran, and the claims page.
import hashlib
import os
from importlib.resources import files

from amg.report.captions import captions
from amg.report.summary import study_summary

config["captions"] = captions(STUDY)  # the templates in workflow/report print them
GIVEN = " ".join(map(os.path.relpath, workflow.overwrite_configfiles))
REPORT = f"snakemake -c all report --configfile {GIVEN}" if GIVEN else "make report"
end_with(workflow, lambda targets, seconds: study_summary(STUDY, REPORT, targets, seconds))
DEVIATIONS = "docs/deviations.md"
TEMPLATES = sorted(files("amg.report").joinpath("templates").iterdir())  # of the claims page

EVERYTHING = [
    *EVALUATIONS,
    *ALL_TABLES,
    *ALL_FIGURES,
    *expand(rules.experiment.output, experiment=OTHERS),
    *rules.claims.output,
    f"{RESULTS}/tables/timing.csv",
    f"{RESULTS}/provenance.json",
]
TIMED = [
    *(f"compile/{kernel}" for kernel in KERNELS),
    *(f"train/{job}" for job in JOBS),
    "trace/mechanism",
    *(f"certify/{game}" for game in GAMES),
    *(f"table/{experiment}" for experiment in BY_EXPERIMENT),
    *(f"figure/{figure}" for figure in FIGURES),
    *(f"experiment/{experiment}" for experiment in OTHERS),
    "claims/claims",
]


rule timing:
    input:
        EVALUATIONS,
        ALL_TABLES,
        ALL_FIGURES,
        expand(rules.experiment.output, experiment=OTHERS),
        rules.claims.output,
    output:
        f"{RESULTS}/tables/timing.csv",
    log:
        f"{LOGS}/timing.log",
    benchmark:
        f"{BENCHMARKS}/timing.tsv"
    conda:
        ENVIRONMENT
    params:
        jobs=TIMED,
        benchmarks=BENCHMARKS,
        logs=LOGS,
    message:
        "Add up the time that the jobs took"
    script:
        "../scripts/timing.py"


rule provenance:
    input:
        EVALUATIONS,
    output:
        config=f"{RESULTS}/config.yaml",
        provenance=f"{RESULTS}/provenance.json",
    log:
        f"{LOGS}/provenance.log",
    benchmark:
        f"{BENCHMARKS}/provenance.tsv"
    conda:
        ENVIRONMENT
    params:
        root=str(ROOT),
        config=SETTINGS.model_dump(mode="json", by_alias=True, exclude_none=True),
    message:
        "Write down the config with every default, versions, machine and date"
    script:
        "../scripts/provenance.py"


rule report:
    input:
        figures=ALL_FIGURES,
        claims=rules.claims.output.json,
        findings=rules.claims.output.findings,
        tables=[PLACES.table(name) for name in JUDGED_FROM],
        references=PLACES.table("references"),
        timing=rules.timing.output[0],
        provenance=rules.provenance.output.provenance,
        config=rules.provenance.output.config,
        deviations=workflow.source_path(f"../../{DEVIATIONS}") if HOSTED else str(ROOT / DEVIATIONS),
    output:
        report(
            f"{RESULTS}/report/claims.html",
            caption="../report/claims.rst",
            category="Claims",
        ),
    log:
        f"{LOGS}/report.log",
    benchmark:
        f"{BENCHMARKS}/report.tsv"
    conda:
        ENVIRONMENT
    params:
        root=str(ROOT),
        facts=config["captions"]["facts"],
        source=digest("amg.report.page"),
        templates=hashlib.sha256(b"".join(map(Path.read_bytes, TEMPLATES))).hexdigest(),
    message:
        "The claims page: {output}"
    script:
        "../scripts/report.py"
