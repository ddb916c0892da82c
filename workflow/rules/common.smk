# Load and validate; every name of a file that rules share is made here or in amg.plan.
# What is run is a study, or with `--config sweep=FILE` a sweep: both plan batches and lots.
import sys

from amg.config import load_schema, resolve
from amg.errors import AmgError
from amg.sources import closure
from amg.study import Study
from amg.sweep.file import read_sweep

ENVIRONMENT = "../../environment.yml"

SWEEP_FILE = config.pop("sweep", None)

try:
    SETTINGS = resolve(
        config,
        load_schema(Path(workflow.basedir) / "workflow/schemas/config.schema.yaml"),
        "config",
    )
    if SWEEP_FILE is None:
        PLAN = STUDY = Study(SETTINGS, Path(workflow.basedir))
        RESULTS, FIGURE = SETTINGS["results"], SETTINGS["figures"]
    else:
        PLAN = SWEEP = read_sweep(Path(str(SWEEP_FILE)), Path(workflow.basedir))
        RESULTS = f"{SETTINGS['results']}/sweeps/{SWEEP.name}"
        FIGURE = f"{SETTINGS['figures']}/sweeps"
except AmgError as error:
    print(f"error: {error}", file=sys.stderr)
    sys.exit(1)

RUNS = f"{RESULTS}/runs"
LOGS = f"{RESULTS}/logs"
BENCHMARKS = f"{RESULTS}/benchmarks"
BOOTSTRAP = SETTINGS["bootstrap"]


def code(*modules):
    """The package's sources that these modules consist of: inputs, so that a change reruns."""
    return [os.path.relpath(path) for path in closure(*modules)]


LOTS = {lot.name: lot for lot in PLAN.lots()}


def lot_runs(wildcards):
    """The runs of a lot."""
    return [f"{RUNS}/{run}" for run in LOTS[wildcards.lot].runs]
