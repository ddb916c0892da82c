"""Evaluate exactly the policy of a run, or a policy of a game: its value and equilibrium gap."""

import argparse
import json
from pathlib import Path
from typing import Any

from amg.base.errors import FileError, ParameterError, PolicyError
from amg.base.files import printable
from amg.base.text import choices
from amg.cli import add_settings, find_game, whole_number
from amg.evaluation.best_response import BUDGET
from amg.process.terminal import waiting
from amg.results.describe import describe
from amg.results.evaluate import summarise, summarise_policy
from amg.results.policy_file import holds_policy, load_policy
from amg.results.run_file import load_runs


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the run or policy, and how it is evaluated and printed."""
    parser.add_argument("file", type=Path, metavar="RUN.npz|POLICY")
    text = "the game of a policy file (.npz or .json): a game's name or a game file"
    parser.add_argument("--game", metavar="GAME|FILE.yaml", help=text)
    add_settings(parser, "--with", "a parameter of that game, as agents=4")
    for name in ("--seed", "--episodes"):
        parser.add_argument(name, type=whole_number, help="which run, if the file holds several")
    parser.add_argument("--json", action="store_true", help="for programs")
    text = "histories to search per agent, default %(default)s"
    parser.add_argument("--budget", type=whole_number, default=BUDGET, help=text)


def run(options: argparse.Namespace) -> int:
    """Print the evaluation of the policy, or of the one run that fits; return 0."""
    with waiting(f"evaluating {printable(options.file)}"):
        summary = _of_run(options) if options.game is None else _of_policy(options)
    print(json.dumps(summary, indent=2) if options.json else describe(summary))
    return 0


def _of_policy(options: argparse.Namespace) -> dict[str, Any]:
    if (options.seed, options.episodes) != (None, None):
        raise ParameterError("--seed and --episodes choose a run; with --game leave them out")
    game = find_game(options.game, options.with_)
    given = load_policy(options.file)
    try:
        return summarise_policy(game, given, options.budget)
    except PolicyError as error:
        raise FileError(f"{options.file}: {error}") from None


def _of_run(options: argparse.Namespace) -> dict[str, Any]:
    if holds_policy(options.file):
        raise ParameterError(f"{options.file}: is a policy; name its game, as in --game fishermen")
    if options.with_:
        raise ParameterError("--with goes with --game; a run file holds its own game")
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
    return summarise(fitting[0], options.budget)
