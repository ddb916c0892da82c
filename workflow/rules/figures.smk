# One rule for each figure of amg.figures: pictures, the data in them, and a computed caption.
from amg import figures
from amg.report.captions import figure_flags

FIGURE_NAMES = list(figures.FIGURES)
FIGURES = [f"{FIGURE}/{name}.{suffix}" for name in FIGURE_NAMES for suffix in figures.SUFFIXES]


for figure in figures.FIGURES.values():

    rule:
        name:
            f"figure_{figure.name}"
        input:
            tables=[f"{TABLE}/{table}.csv" for table in figure.tables],
            code=code(figure.module),
        output:
            pdf=report(f"{FIGURE}/{figure.name}.pdf", **figure_flags(figure.name, "pdf")),
            png=report(f"{FIGURE}/{figure.name}.png", **figure_flags(figure.name, "png")),
            data=report(f"{FIGURE}/{figure.name}.csv", **figure_flags(figure.name, "csv")),
            caption=f"{FIGURE}/{figure.name}.md",
        log:
            f"{LOGS}/figure/{figure.name}.log",
        benchmark:
            f"{BENCHMARKS}/figure/{figure.name}.tsv"
        conda:
            ENVIRONMENT
        params:
            name=figure.name,
        message:
            f"Draw figure {figure.name}: {figure.title}"
        script:
            "../scripts/figure.py"
