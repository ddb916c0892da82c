"""Everything that works around Snakemake and the operating system, and nothing else.

* `snakemake`: a command's config, its lock on the results, and its answer to Ctrl-C.
* `job`: what every job of the workflow runs in: its log, errors in one line, its end.
* `stopping`: training is stopped at a moment when it can be saved; Ctrl-C is one line.
* `progress`: a line that renews itself on a terminal, a line now and then in a log.
"""
