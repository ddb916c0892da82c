# Load and validate; every name of a file that rules share is made here or in amg.study.
import sys

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


def code(*modules):
    """The package's sources that these modules consist of: inputs, so that a change reruns."""
    return [os.path.relpath(path) for path in closure(*modules)]


rule resolved_config:
    output:
        f"{RESULTS}/config.yaml",
    log:
        f"{LOGS}/table/config.log",
    benchmark:
        f"{BENCHMARKS}/table/config.tsv"
    conda:
        ENVIRONMENT
    params:
        settings=SETTINGS,
    message:
        "Write the config with every default filled in"
    script:
        "../scripts/resolved_config.py"
