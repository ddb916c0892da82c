# Load and validate; every name of a file that rules share is made here or in amg.study.
import re
import sys

from amg.config import CONFIG, SCHEMA, read_config
from amg.errors import AmgError
from amg.schema import load_schema, resolve
from amg.sources import closure
from amg.study import Study
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
    STUDY = Study(SETTINGS, Path(workflow.basedir), DOCUMENT)
except AmgError as error:
    print(f"error: {error}", file=sys.stderr)
    sys.exit(1)

RESULTS = SETTINGS["results"]
RUNS = f"{RESULTS}/runs"
LOGS = f"{RESULTS}/logs"
BENCHMARKS = f"{RESULTS}/benchmarks"


def code(*modules):
    """The package's sources that these modules consist of: inputs, so that a change reruns."""
    return [os.path.relpath(path) for path in closure(*modules)]


SERIES = {series.name: series for series in STUDY.series}


# A file asked for on the command line is one that the study has, or no rule makes it.
wildcard_constraints:
    series="|".join(map(re.escape, SERIES)),
    kernel="|".join(map(re.escape, KERNELS)),


def series_runs(wildcards):
    """The runs of a series."""
    return [f"{RUNS}/{run}" for run in SERIES[wildcards.series].runs()]


def evaluations(experiment=None):
    """The tables of exact evaluations, of one experiment or of all."""
    chosen = STUDY.series if experiment is None else STUDY.experiment(experiment)
    return [f"{RESULTS}/evaluations/{series.name}.csv" for series in chosen]
