"""Measure the speed of the kernels; print a table and write results/bench.json.

Everything is measured in one process on one core, and the variants take turns. So the ratios mean
something even on a busy machine. Numbers are medians over the turns. The keys of the file are flat:
`lockstep_16_certified` and the like are seconds of one core for an episode of one run, and
`certified_over_scalar_c` and the like say how many times faster the first is than the second.
"""

import argparse
import csv
import json
import shutil
import subprocess
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

from amg.base.files import write_text
from amg.base.text import text_table
from amg.game.library import build
from amg.game.model import Game
from amg.learning.episode import generator
from amg.learning.group import together
from amg.learning.literal import run_literal
from amg.learning.parameters import VLearning, make_parameters
from amg.learning.train import new_learner, train_run
from amg.learning.v_learner import VLearner

TURNS = 7
LANES = (1, 4, 8, 16, 32)
Q_LANES = 16
Q_LEARNERS = ("centralized_q", "independent_q")
INCREMENTAL = "v_learning_incremental"
GAMES = ("fishermen", "congestion")
EPISODES = {2: 1_000_000, 4: 100_000, 10: 20_000, 32: 2_000, 100: 500}  # of one turn, by agents
CERTIFICATE = 10_000_000  # episodes of the certificate to evaluate
TIMING = Path("results/tables/timing.csv")  # of a finished study
RATIOS = {  # the first is so many times faster than the second
    "certified_over_scalar_c": ("lockstep_16_certified", "scalar_c"),
    "uncertified_over_scalar_c": ("lockstep_16", "scalar_c"),
    "certified_over_readable": ("lockstep_16_certified", "fishermen_2_certified"),
    "readable_over_scalar_c": ("fishermen_2_certified", "scalar_c"),
    "readable_over_literal": ("fishermen_2_certified", "literal_python"),
    "incremental_over_readable": (INCREMENTAL, "fishermen_2_certified"),
    **{f"{q}_over_readable": (f"{q}_lockstep_{Q_LANES}", q) for q in Q_LEARNERS},
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the output."""
    parser.add_argument("-o", "--output", type=Path, default=Path("results/bench.json"))


def run(options: argparse.Namespace) -> int:
    """Print and write the numbers; return 0."""
    with tempfile.TemporaryDirectory() as directory:
        measures = variants(Path(directory))
        turns = [{name: measure() for name, measure in measures.items()} for _ in range(TURNS)]
    seconds = {name: median(turn[name] for turn in turns) for name in measures}
    rows = [[name, f"{1e9 * one:,.0f}", f"{1 / one:,.0f}"] for name, one in seconds.items()]
    print("\n".join(text_table(["two steps an episode", "ns/episode", "episodes/s"], rows)))
    ratios = {
        name: median(turn[slow] / turn[fast] for turn in turns)
        for name, (fast, slow) in RATIOS.items()
        if {fast, slow} <= measures.keys()
    }
    print()
    print("\n".join(text_table(["times faster", ""], [[k, f"{x:.2f}"] for k, x in ratios.items()])))
    results = {**seconds, **ratios, "evaluation_seconds": evaluation(), **account(TIMING)}
    print(f"\nevaluating {CERTIFICATE:,} episodes: {1e3 * results['evaluation_seconds']:.1f} ms")
    for name in sorted(results.keys() & account(TIMING).keys()):
        print(f"{name}: {results[name]:.1f}")
    write_text(options.output, json.dumps(results, indent=2) + "\n")
    return 0


def variants(directory: Path) -> dict[str, Callable[[], float]]:
    """Return all that is measured: functions that return seconds for an episode of a run."""
    measures: dict[str, Callable[[], float]] = {"literal_python": partial(literal, 2_000)}
    program, source = directory / "scalar", Path(__file__).with_name("scalar.c")
    if shutil.which("cc"):
        subprocess.run(["cc", "-O3", "-march=native", "-o", program, source, "-lm"], check=True)
        measures["scalar_c"] = partial(scalar, program)
    for certify, ending in ((False, ""), (True, "_certified")):
        for lanes in LANES:
            measures[f"lockstep_{lanes}{ending}"] = partial(lockstep, "v_learning", lanes, certify)
    for name in Q_LEARNERS:
        measures[name] = partial(alone, build("fishermen"), name, EPISODES[2], True)
        measures[f"{name}_lockstep_{Q_LANES}"] = partial(lockstep, name, Q_LANES, True)
    measures[INCREMENTAL] = partial(alone, build("fishermen"), INCREMENTAL, EPISODES[2], True)
    for game in GAMES:
        for n, episodes in EPISODES.items():
            played = build(game, {"agents": n, "horizon": 2})
            for certify, ending in ((False, ""), (True, "_certified")):
                name = f"{game}_{n}{ending}"
                measures[name] = partial(alone, played, "v_learning", episodes, certify)
    return measures


def alone(game: Game, algorithm: str, episodes: int, certify: bool) -> float:
    """Measure the readable kernel."""
    rule = {"stage_rule": "real"} if game.N > 2 else {}  # the printed rule stalls where N is large
    parameters = make_parameters(algorithm, rule if algorithm == "v_learning" else {})
    learner = new_learner(game, parameters, episodes + 1, 1, record=0)
    if isinstance(learner, VLearner):
        learner.certify = certify
    learner.advance(1)  # compile
    return seconds_of(lambda: learner.advance(episodes + 1)) / episodes


def lockstep(algorithm: str, lanes: int, certify: bool) -> float:
    """Measure the lockstep kernel."""
    game, parameters, K = build("fishermen"), make_parameters(algorithm, {}), EPISODES[2]
    learners = [new_learner(game, parameters, K + 1, seed, record=0) for seed in range(lanes)]
    for learner in learners:
        if isinstance(learner, VLearner):
            learner.certify = certify
    group = together(learners, lockstep=True)
    group.advance(1)  # compile
    return seconds_of(lambda: group.advance(K + 1)) / (K * lanes)


def literal(episodes: int) -> float:
    """Measure the plain Python version."""
    game, parameters = build("fishermen"), VLearning()
    rng = generator(game, parameters, episodes, 1)
    return seconds_of(lambda: run_literal(game, parameters, episodes, rng)) / episodes


def scalar(program: Path) -> float:
    """Measure the compiled C loop, which has no certificate."""
    return 1 / float(subprocess.check_output([program, str(EPISODES[2])]).split()[0])


def evaluation() -> float:
    """Return the seconds that the exact evaluation of a certificate takes."""
    trained = train_run(build("fishermen"), VLearning(), CERTIFICATE, 1, record=0)
    return median(seconds_of(trained.evaluate) for _ in range(TURNS))


def account(timing: Path) -> dict[str, float]:
    """Return the core seconds of a finished study by kind of job, and of their start-up."""
    if not timing.is_file():
        return {}
    total: defaultdict[str, float] = defaultdict(float)
    with timing.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            for name in (f"study_{row['kind']}_core_seconds", "study_core_seconds"):
                total[name] += float(row["seconds"])
            total["study_startup_core_seconds"] += float(row["startup"])
    return dict(total)


def seconds_of(work: Callable[[], object]) -> float:
    """Return the processor time that the work takes."""
    begun = time.process_time()
    work()
    return time.process_time() - begun
