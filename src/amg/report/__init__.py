"""Reports for an evaluator: the claims page, and the words around Snakemake's own report.

`captions` is what the rules need and loads nothing heavy. The page is made in layers: `markup`
(elements, all text escaped) and `markdown` below, `verdicts` and `environment` for what it says,
`page` for the whole.
"""
