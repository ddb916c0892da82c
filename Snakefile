# The study as a whole: from config/config.yaml to every figure. `snakemake -c all` runs it, and
# `snakemake -c all --config sweep=config/sweeps/NAME.yaml` a sweep through the same rules.
from pathlib import Path


report: "workflow/report/workflow.rst"


include: "workflow/rules/alone.smk"
include: "workflow/rules/common.smk"
include: "workflow/rules/cluster.smk"
include: "workflow/rules/train.smk"
include: "workflow/rules/certify.smk"


if SWEEP_FILE is None:

    include: "workflow/rules/mechanism.smk"
    include: "workflow/rules/tables.smk"
    include: "workflow/rules/claims.smk"
    include: "workflow/rules/figures.smk"
    include: "workflow/rules/timing.smk"
    include: "workflow/rules/provenance.smk"
    include: "workflow/rules/report.smk"

else:

    include: "workflow/rules/sweep.smk"


rule all:
    default_target: True
    input:
        EVERYTHING,
    message:
        "Everything is there"
