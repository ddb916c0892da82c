# One command at a time makes a set of results; one that was killed leaves nothing in the way of the
# next; Ctrl-C stops jobs cleanly: they hear of it from their command, not from the terminal.

from amg import command, stopping

shell.prefix("trap '' INT; set -euo pipefail; ")
stopping.lead()

if workflow.is_main_process:
    command.begin()


onstart:
    if workflow.is_main_process:
        command.claim(RESULTS)
