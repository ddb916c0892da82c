"""Everything that works around Snakemake and the operating system, and nothing else.

* `snakemake`: a command's config, its lock on the results, and its answer to Ctrl-C.
* `console`: what Snakemake shows while it works; `costs`: what its jobs take, and the time left.
* `terminal`: a line that is rewritten in place, and progress of episodes in it.
* `job`: what every job of the workflow runs in: its log, errors in one line, its end.
* `stopping`: training is stopped at a moment when it can be saved; Ctrl-C is one line.
"""
