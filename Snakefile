# The workflow is workflow/Snakefile. An include does not set the default target, so it is set here.
include: "workflow/Snakefile"


rule default:
    default_target: True
    input:
        rules.all.input,
