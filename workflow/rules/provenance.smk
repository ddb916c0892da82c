# Beside the results, what must not change their bytes: versions, machine and date.

from amg import sources


rule provenance:
    input:
        evaluations=evaluations(),
        code=[os.path.relpath(path) for path in sources.package()],
    output:
        provenance=f"{RESULTS}/provenance.json",
    log:
        f"{LOGS}/provenance.log",
    benchmark:
        f"{BENCHMARKS}/provenance.tsv"
    conda:
        ENVIRONMENT
    params:
        root=os.path.relpath(workflow.basedir),
    message:
        "Write down versions, machine and date"
    script:
        "../scripts/provenance.py"


EVERYTHING = [
    *FIGURES,
    *TABLES,
    *evaluations(),
    *rules.timing.output,
    *rules.resolved_config.output,
    *rules.provenance.output,
    *rules.findings.output,
    *rules.claims.output,
]
