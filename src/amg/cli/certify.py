"""Evaluate the policy of a run exactly: its value, equilibrium gap and bounds."""

import argparse
import json
from pathlib import Path

from amg.base.errors import FileError
from amg.base.text import choices
from amg.cli import whole_number
from amg.evaluation.best_response import BUDGET
from amg.results.evaluate import describe, summarise
from amg.results.run_file import load_runs


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the run, and how it is evaluated and printed."""
    parser.add_argument("file", type=Path, metavar="RUN.npz")
    for name in ("--seed", "--episodes"):
        parser.add_argument(name, type=whole_number, help="which run, if the file holds several")
    parser.add_argument("--json", action="store_true", help="for programs")
    text = "histories to search per agent, default %(default)s"
    parser.add_argument("--budget", type=whole_number, default=BUDGET, help=text)


def run(options: argparse.Namespace) -> int:
    """Print the evaluation of the one run that fits; return 0."""
    runs = load_runs(options.file)
    fitting = [
        run
        for run in runs
        if options.seed in (None, run.seed) and options.episodes in (None, run.episodes)
    ]
    if len(fitting) != 1:
        names = choices(f"seed {run.seed}, K = {run.episodes}" for run in runs)
        raise FileError(
            f"{options.file}: {len(fitting)} of its {len(runs)} runs fit ({names}); choose one "
            f"with --seed and --episodes"
        )
    summary = summarise(fitting[0], options.budget)
    print(json.dumps(summary, indent=2) if options.json else describe(summary))
    return 0
