"""How fast the kernels are here and now: prints a table and writes results/bench.json.

Everything is measured in one run on one core, variants taking turns, so that the ratios mean
something even where the machine is busy; rates are medians over the turns.
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

from amg.archive import write_bytes
from amg.certification.controller import controller_of
from amg.certification.evaluation import evaluate
from amg.games import build
from amg.learning.literal import run_literal
from amg.learning.parameters import VLearning
from amg.learning.seeds import generator
from amg.learning.training import train
from amg.learning.v_learner import VLearner
from amg.stopping import run_process
from amg.tables import aligned

EPISODES = 2_000_000
LITERAL_EPISODES = 2_000
CERTIFIED_EPISODES = 10_000_000
TURNS = 7
AGENTS = (2, 10, 50, 100)
MANY = ("fishermen", "congestion")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m amg.bench", description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=Path("results/bench.json"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        results = {
            "two_agents": two_agents(compile_scalar(Path(directory))),
            "evaluation": evaluation(),
            "many_agents": {name: many_agents(name) for name in MANY},
        }
    print(page(results))
    write_bytes(options.output, (json.dumps(results, indent=2) + "\n").encode())


def compile_scalar(directory: Path) -> Path | None:
    """The hand-written C loop, where there is a compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return None
    program = directory / "scalar"
    source = Path(__file__).with_name("scalar.c")
    flags = ["-O3", "-march=native", "-o", str(program), str(source), "-lm"]
    built = subprocess.run([compiler, *flags], capture_output=True, check=False)
    return program if built.returncode == 0 else None


def two_agents(scalar: Path | None) -> dict[str, Any]:
    """Episodes per second on the two-agent Fishermen Game, and ratios of medians."""
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
    """Seconds to evaluate a large certificate exactly."""
    game = build("fishermen")
    run = train(game, VLearning(), CERTIFIED_EPISODES, 1, record=0)
    evaluate(game, controller_of(run))  # compile
    seconds = [_seconds(lambda: evaluate(game, controller_of(run))) for _ in range(TURNS)]
    return {"episodes": CERTIFIED_EPISODES, "seconds": statistics.median(seconds)}


def many_agents(name: str) -> list[dict[str, float]]:
    """Microseconds per episode as N grows, over two steps of a game."""
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
    """The results for the terminal."""
    two = results["two_agents"]
    speed = aligned(
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
    """Time against the number of agents, and how it grew beside what is expected of it."""
    table = aligned(
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


if __name__ == "__main__":
    run_process("amg.bench", main)
