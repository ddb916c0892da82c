# Load and validate; every name of a file that rules share is made here or in amg.study.
import sys
from functools import cache

from amg.config import load_schema, resolve
from amg.errors import AmgError
from amg.sources import closure
from amg.study import Study

ENVIRONMENT = "../../environment.yml"

try:
    SETTINGS = resolve(
        config,
        load_schema(Path(workflow.basedir) / "workflow/schemas/config.schema.yaml"),
        "config",
    )
    STUDY = Study(SETTINGS, Path(workflow.basedir))
except AmgError as error:
    print(f"error: {error}", file=sys.stderr)
    sys.exit(1)

RESULTS = SETTINGS["results"]
RUNS = f"{RESULTS}/runs"
LOGS = f"{RESULTS}/logs"
BENCHMARKS = f"{RESULTS}/benchmarks"


@cache
def code(*modules):
    """The package's sources that these modules consist of: inputs, so that a change reruns."""
    return [os.path.relpath(path) for path in closure(*modules)]


SERIES = {series.name: series for series in STUDY.series}


def series_runs(wildcards):
    """The runs of a series."""
    return [f"{RUNS}/{run}" for run in SERIES[wildcards.series].runs()]


def evaluations(experiment=None):
    """The tables of exact evaluations, of one experiment or of all."""
    chosen = STUDY.series if experiment is None else STUDY.experiment(experiment)
    return [f"{RESULTS}/evaluations/{series.name}.csv" for series in chosen]
