"""Everything that works around Snakemake and the operating system, and nothing else.

Why it exists, in one place:

* `snakemake`: Snakemake's own lock outlives a killed command, its config reader is lax, and Ctrl-C
  ends in tracebacks.
* `job`: what every job of the workflow runs in: its log, one line for a user error, an exit code.
* `stopping`: requests to stop reach training at a moment when it can be saved.
* `progress`: a line that renews itself on a terminal and stays short in a log.
"""
