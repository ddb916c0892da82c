"""Measure the speed of the kernels; print a table and write results/bench.json.

Everything is measured in one process on one core, and the variants take turns. So the ratios mean
something even on a busy machine. Numbers are medians over the turns.
"""

import argparse
import json
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from timeit import repeat, timeit

from amg.base.files import write_text
from amg.base.text import text_table
from amg.game.library import build
from amg.game.model import Game
from amg.learning.episode import generator
from amg.learning.literal import run_literal
from amg.learning.parameters import VLearning
from amg.learning.train import train_run
from amg.learning.v_learner import VLearner

TURNS = 7
GAMES = ("fishermen", "congestion")
EPISODES = {2: 1_000_000, 10: 4_000, 50: 1_000, 100: 1_000}  # of one turn, by agents
CERTIFICATE = 10_000_000  # episodes of the certificate to evaluate
YARDSTICK = "fishermen, N = 2, certified"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the output."""
    parser.add_argument("-o", "--output", type=Path, default=Path("results/bench.json"))


def run(options: argparse.Namespace) -> int:
    """Print and write the numbers; return 0."""
    with tempfile.TemporaryDirectory() as directory:
        measures = variants(Path(directory))
        turns = [{name: measure() for name, measure in measures.items()} for _ in range(TURNS)]
    seconds = {name: median(turn[name] for turn in turns) for name in measures}
    rows = [
        [name, f"{1e6 * one:,.3f}", f"{1 / one:,.0f}", f"{one / seconds[YARDSTICK]:,.2f} ×"]
        for name, one in seconds.items()
    ]
    header = ["two steps an episode", "µs/episode", "episodes/s", f"time of {YARDSTICK}"]
    print("\n".join(text_table(header, rows)))
    trained = train_run(build("fishermen"), VLearning(), CERTIFICATE, 1, record=0)
    evaluation = median(repeat(trained.evaluate, number=1, repeat=TURNS))
    print(f"\nevaluating a certificate of {CERTIFICATE:,} episodes: {1e3 * evaluation:.1f} ms")
    results = {"seconds_per_episode": seconds, "seconds_of_evaluation": evaluation}
    write_text(options.output, json.dumps(results, indent=2) + "\n")
    return 0


def variants(directory: Path) -> dict[str, Callable[[], float]]:
    """Return all that is measured: functions that return seconds per episode."""
    measures: dict[str, Callable[[], float]] = {}
    for name in GAMES:
        for n, episodes in EPISODES.items():
            game = build(name, {"agents": n, "horizon": 2})
            measures[f"{name}, N = {n}"] = partial(kernel, game, episodes, False)
            measures[f"{name}, N = {n}, certified"] = partial(kernel, game, episodes, True)
    measures["fishermen, N = 2, literal Python"] = partial(literal, 2_000)
    program, source = directory / "scalar", Path(__file__).with_name("scalar.c")
    if shutil.which("cc"):
        subprocess.run(["cc", "-O3", "-march=native", "-o", program, source, "-lm"], check=True)
        measures["fishermen, N = 2, scalar C loop"] = partial(scalar, program)
    return measures


def kernel(game: Game, episodes: int, certify: bool) -> float:
    """Return the seconds that the kernel takes for an episode."""
    rule = "floor" if game.N == 2 else "real"  # the printed rule stalls where N is large
    parameters = VLearning(stage_rule=rule)
    learner = VLearner(game, parameters, episodes + 1, 1, record=0, certify=certify)
    learner.advance(1)  # compile
    return timeit(lambda: learner.advance(episodes + 1), number=1) / episodes


def literal(episodes: int) -> float:
    """Return the seconds that the plain Python version takes for an episode."""
    game, parameters = build("fishermen"), VLearning()
    rng = generator(game, parameters, episodes, 1)
    return timeit(lambda: run_literal(game, parameters, episodes, rng), number=1) / episodes


def scalar(program: Path) -> float:
    """Return the seconds that the compiled C loop takes for an episode."""
    return 1 / float(subprocess.check_output([program, str(EPISODES[2])]).split()[0])
