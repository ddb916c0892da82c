# The workflow lives in workflow/Snakefile; this file makes `snakemake -c all` work from here.
include: "workflow/Snakefile"


rule default:
    default_target: True
    input:
        rules.all.input,
