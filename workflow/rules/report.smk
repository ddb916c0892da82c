# The claims page. Snakemake's own report is made from outside: `make report` does both.

from amg.report.captions import claims_flags, facts

config["facts"] = facts(STUDY)  # what the captions in workflow/report are filled with


rule report_page:
    input:
        figures=FIGURES,
        claims=f"{RESULTS}/claims.json",
        findings=rules.findings.output.findings,
        references=f"{TABLE}/references.csv",
        timing=rules.timing.output.timing,
        provenance=f"{RESULTS}/provenance.json",
        config=rules.resolved_config.output[0],
        deviations=os.path.relpath(Path(workflow.basedir) / "docs/deviations.md"),
        code=code("amg.report.page"),
    output:
        page=report(f"{RESULTS}/report/claims.html", **claims_flags("claims.html")),
    log:
        f"{LOGS}/report.log",
    benchmark:
        f"{BENCHMARKS}/report.tsv"
    conda:
        ENVIRONMENT
    params:
        facts=config["facts"],
    message:
        "The claims page: {output.page}"
    script:
        "../scripts/report.py"
