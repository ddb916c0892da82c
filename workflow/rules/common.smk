# Load and validate; every name of a file that rules share is made here or in amg.plan.
# What is run is a study, or with `--config sweep=FILE` a sweep: both plan batches and lots.
import re
import sys
from functools import cache

from amg.config import CONFIG, SCHEMA, read_config
from amg.errors import AmgError
from amg.schema import load_schema, resolve
from amg.sources import closure
from amg.study import Study
from amg.sweep.file import read_sweep
from amg.warmup import KERNELS

ENVIRONMENT = "../../environment.yml"

# The strict reader of amg.config stands in for `configfile:`. Jobs, wherever they run, are given the
# same files and settings by Snakemake, which also has to know of the file for its report.
FIRST = [] if workflow.config_settings.replace_workflow_config else [CONFIG]
workflow.configfiles.extend(FIRST)

try:
    DOCUMENT = read_config(
        [*FIRST, *workflow.overwrite_configfiles], workflow.config_settings.config_args or []
    )
    SETTINGS = resolve(DOCUMENT, load_schema(Path(workflow.basedir) / SCHEMA))
    SWEEP_FILE = SETTINGS.get("sweep")
    if SWEEP_FILE is None:
        PLAN = STUDY = Study(SETTINGS, Path(workflow.basedir), DOCUMENT)
        RESULTS, FIGURE = SETTINGS["results"], SETTINGS["figures"]
    else:
        PLAN = SWEEP = read_sweep(Path(SWEEP_FILE), Path(workflow.basedir))
        RESULTS = f"{SETTINGS['results']}/sweeps/{SWEEP.name}"
        FIGURE = f"{SETTINGS['figures']}/sweeps"
except AmgError as error:
    print(f"error: {error}", file=sys.stderr)
    sys.exit(1)

RUNS = f"{RESULTS}/runs"
LOGS = f"{RESULTS}/logs"
BENCHMARKS = f"{RESULTS}/benchmarks"
BOOTSTRAP = SETTINGS["bootstrap"]


@cache
def code(*modules):
    """The package's sources that these modules consist of: inputs, so that a change reruns."""
    return [os.path.relpath(path) for path in closure(*modules)]


LOTS = {lot.name: lot for lot in PLAN.lots()}


# A file asked for on the command line is one that the study has, or no rule makes it.
wildcard_constraints:
    lot="|".join(map(re.escape, LOTS)),
    kernel="|".join(map(re.escape, KERNELS)),


def lot_runs(wildcards):
    """The runs of a lot."""
    return [f"{RUNS}/{run}" for run in LOTS[wildcards.lot].runs]


def evaluations(experiment=None):
    """The tables of exact evaluations, of one experiment or of all."""
    chosen = STUDY.series if experiment is None else STUDY.experiment(experiment)
    return [f"{RESULTS}/evaluations/{series.name}.csv" for series in chosen]
