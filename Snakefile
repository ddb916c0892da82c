# The study as a whole: from config/config.yaml to every figure. `snakemake -c all` runs it.
from pathlib import Path


configfile: "config/config.yaml"


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/cluster.smk"
include: "workflow/rules/train.smk"
include: "workflow/rules/certify.smk"
include: "workflow/rules/tables.smk"
include: "workflow/rules/claims.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/timing.smk"
include: "workflow/rules/provenance.smk"
include: "workflow/rules/report.smk"


rule all:
    default_target: True
    input:
        FIGURES,
        TABLES,
        evaluations(),
        timing=f"{RESULTS}/tables/timing.csv",
        config=f"{RESULTS}/config.yaml",
        provenance=rules.provenance.output,
        findings=rules.findings.output,
        claims=rules.claims.output,
    message:
        "All figures, tables and the account of the time are there"
