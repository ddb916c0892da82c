"""`amg bench`: how fast the kernels are on this machine.

Everything is measured in one process on one core, and the variants take turns. So the ratios mean
something even on a busy machine. Rates are medians over the turns.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from math import log
from pathlib import Path
from typing import Any

from amg.base.files import write_text
from amg.base.text import text_table
from amg.cli import Commands, add_command

EPISODES = 2_000_000
LITERAL_EPISODES = 2_000
CERTIFIED_EPISODES = 10_000_000
TURNS = 7
AGENTS = (2, 10, 50, 100)
MANY = ("fishermen", "congestion")


def add(commands: Commands) -> None:
    """Declare the command."""
    command = add_command(commands, "bench", run)
    command.add_argument("-o", "--output", type=Path, default=Path("results/bench.json"))


def run(options: argparse.Namespace) -> int:
    """Measure the speed of the kernels; print a table and write results/bench.json."""
    with tempfile.TemporaryDirectory() as directory:
        results = {
            "two_agents": two_agents(compile_scalar(Path(directory))),
            "evaluation": evaluation(),
            "many_agents": {name: many_agents(name) for name in MANY},
        }
    print(page(results))
    write_text(options.output, json.dumps(results, indent=2) + "\n")
    return 0


def compile_scalar(directory: Path) -> Path | None:
    """Return the compiled C loop, or None without a compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return None
    program = directory / "scalar"
    source = Path(__file__).with_name("scalar.c")
    flags = ["-O3", "-march=native", "-o", str(program), str(source), "-lm"]
    built = subprocess.run([compiler, *flags], capture_output=True, check=False)
    return program if built.returncode == 0 else None


def two_agents(scalar: Path | None) -> dict[str, Any]:
    """Return episodes per second on the two-agent Fishermen Game, and ratios of medians."""
    from amg.game.library import build
    from amg.learning.literal import run_literal
    from amg.learning.parameters import VLearning
    from amg.learning.random import generator
    from amg.learning.v_learner import VLearner

    game, parameters = build("fishermen"), VLearning()

    def kernel(certify: bool) -> float:
        learner = VLearner(game, parameters, EPISODES, 1, record=0, certify=certify)
        return EPISODES / _seconds(lambda: learner.advance(EPISODES))

    def literal() -> float:
        rng = generator(game, parameters, LITERAL_EPISODES, 1)
        return LITERAL_EPISODES / _seconds(
            lambda: run_literal(game, parameters, LITERAL_EPISODES, rng)
        )

    def c_loop() -> float:
        done = subprocess.run([str(scalar), str(EPISODES)], capture_output=True, check=True)
        return float(done.stdout.split()[0])

    variants: dict[str, Callable[[], float]] = {
        "kernel": lambda: kernel(False),
        "kernel with certificate": lambda: kernel(True),
        "literal Python": literal,
    }
    if scalar is not None:
        variants["scalar C loop"] = c_loop
    kernel(True), kernel(False)  # compile
    turns: dict[str, list[float]] = {name: [] for name in variants}
    for _ in range(TURNS):
        for name, measure in variants.items():
            turns[name].append(measure())
    rates = {name: statistics.median(values) for name, values in turns.items()}
    certified = rates["kernel with certificate"]
    return {
        "episodes_per_second": rates,
        "certified_over": {name: certified / rate for name, rate in rates.items()},
    }


def evaluation() -> dict[str, Any]:
    """Return the seconds that the exact evaluation of a large certificate takes."""
    from amg.game.library import build
    from amg.learning.parameters import VLearning
    from amg.learning.train import train_run

    game = build("fishermen")
    run = train_run(game, VLearning(), CERTIFIED_EPISODES, 1, record=0)
    run.evaluate()  # compile
    seconds = [_seconds(run.evaluate) for _ in range(TURNS)]
    return {"episodes": CERTIFIED_EPISODES, "seconds": statistics.median(seconds)}


def many_agents(name: str) -> list[dict[str, float]]:
    """Return microseconds per episode as N grows, over two steps of a game."""
    from amg.game.library import build
    from amg.learning.parameters import VLearning
    from amg.learning.v_learner import VLearner

    rows = []
    for n in AGENTS:
        game = build(name, {"agents": n, "horizon": 2})
        row: dict[str, float] = {"agents": n}
        for column, certify in (("training", False), ("with certificate", True)):
            episodes = max((40_000 if certify else 400_000) // n, 1_000)
            parameters = VLearning(stage_rule="real")  # the printed rule stalls where N is large
            learner = VLearner(game, parameters, episodes + 100, 1, record=0, certify=certify)
            learner.advance(100)
            row[column] = 1e6 * _seconds(lambda: learner.advance(episodes + 100)) / episodes  # noqa: B023
        rows.append(row)
    return rows


def _seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def page(results: dict[str, Any]) -> str:
    """Return the results as text."""
    two = results["two_agents"]
    speed = text_table(
        ["fishermen, two agents", "episodes/s", "certified kernel is"],
        [
            [name, f"{rate:,.0f}", f"{two['certified_over'][name]:,.2f} ×"]
            for name, rate in two["episodes_per_second"].items()
        ],
    )
    grown = [line for name, rows in results["many_agents"].items() for line in growth(name, rows)]
    certified = results["evaluation"]
    exact = (
        f"evaluating a certificate of {certified['episodes']:,} episodes: "
        f"{1e3 * certified['seconds']:.1f} ms"
    )
    return "\n".join([*speed, "", *grown, exact])


def growth(name: str, rows: list[dict[str, float]]) -> list[str]:
    """Return time against the number of agents, and its growth beside the expected one."""
    table = text_table(
        [f"{name}, N agents", "µs/episode", "with certificate"],
        [
            [str(row["agents"]), f"{row['training']:.2f}", f"{row['with certificate']:.2f}"]
            for row in rows
        ],
    )
    few, many = next(row for row in rows if row["agents"] == 10), rows[-1]
    n, N = few["agents"], many["agents"]
    ratio = {column: many[column] / few[column] for column in ("training", "with certificate")}
    return [
        *table,
        f"from {n} to {N}: training × {ratio['training']:.1f} (N × {N / n:.0f}), with certificate "
        f"× {ratio['with certificate']:.1f} (N² log N × {N**2 * log(N) / n**2 / log(n):.0f})",
        "",
    ]
