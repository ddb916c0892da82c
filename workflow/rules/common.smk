# Read the config, plan the jobs, and name the files. A mistake in the config is one line.
import re
import sys
from importlib.util import find_spec
from pathlib import Path

if find_spec("amg") is None:
    sys.exit(
        "error: Python has no package amg; make the workflow's environment with `make env` or "
        "from environment.yml, and run Snakemake in it"
    )

from amg.base.errors import AmgError
from amg.base.sources import digest
from amg.claims.entries import CLAIMS
from amg.claims.frozen import FILES
from amg.learning.train import KERNELS, kernel_of
from amg.multiverse.file import read_multiverse
from amg.process.snakemake import announce, begin, claim, config_sources, end_with
from amg.study.config import CONFIG, read_config
from amg.study.plan import by_game
from amg.study.study import Study
from amg.sweep.file import read_sweep
from amg.tables.needs import Places

ENVIRONMENT = "../../environment.yml"  # in Snakemake's report; `begin` refuses --sdm
ROOT = Path(str(workflow.current_basedir)).parents[1]
HOSTED = not ROOT.is_dir()  # a module from a host; its config/ is here, put by snakedeploy
if HOSTED or ROOT == Path.cwd():
    ROOT = Path()  # so that a directory that is moved has nothing to make again

shell.prefix("trap '' INT; set -euo pipefail; ")  # jobs hear of Ctrl-C from their command
begin(workflow)

try:
    SETTINGS, DOCUMENT = read_config(**config_sources(workflow, config, ROOT, CONFIG))
    RESULTS, FIGURE = SETTINGS.results, SETTINGS.figures
    STUDY = SWEEP = MULTIVERSE = None
    if SETTINGS.sweep is not None:
        SWEEP = read_sweep(Path(SETTINGS.sweep))
        RESULTS, FIGURE = f"{RESULTS}/sweeps/{SWEEP.name}", f"{FIGURE}/sweeps"
    elif SETTINGS.multiverse is not None:
        MULTIVERSE = read_multiverse(Path(SETTINGS.multiverse), ROOT / CLAIMS)
        RESULTS, FIGURE = f"{RESULTS}/multiverse", f"{FIGURE}/multiverse"
    else:
        STUDY = Study(SETTINGS, DOCUMENT)
    PLAN = (STUDY or SWEEP or MULTIVERSE).jobs()
except AmgError as error:
    sys.exit(f"error: {error}")

JOBS = {job.name: job for job in PLAN}
GAMES = by_game(PLAN)
PLACES = Places(RESULTS)
LOGS, BENCHMARKS = f"{RESULTS}/logs", f"{RESULTS}/benchmarks"


def compiled(kernel):
    """The mark that kernels are compiled, which jobs that share them wait for."""
    return f"{RESULTS}/compiled/{kernel}"


EVALUATIONS = [PLACES.evaluation(game) for game in GAMES]


wildcard_constraints:
    job="|".join(map(re.escape, JOBS)),
    game="|".join(map(re.escape, GAMES)),
    kernel="|".join(map(re.escape, KERNELS)),


# What jobs are expected to take that were never measured here, for the time left.
EVALUATION = 0.2  # of the training time
SECONDS = {
    f"{BENCHMARKS}/train/{job.name}.tsv": sum(part.seconds for part in job.parts) for job in PLAN
}
for game, jobs in GAMES.items():
    training = sum(SECONDS[f"{BENCHMARKS}/train/{job.name}.tsv"] for job in jobs)
    SECONDS[f"{BENCHMARKS}/certify/{game}.tsv"] = EVALUATION * training


onstart:
    announce(workflow, SECONDS)
    claim(RESULTS)
