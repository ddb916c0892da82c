"""Train one run, with a progress bar and a checkpoint, and write it to a file."""

import argparse
import dataclasses
import sys
from pathlib import Path

from amg.base.errors import ParameterError
from amg.cli import add_game, add_settings, find_game, whole_number
from amg.evaluation.sampler import new_trace
from amg.learning.job import Task, checkpoint_path, train_job
from amg.learning.parameters import ALGORITHMS, VLearning, make_parameters
from amg.learning.train import RECORD, train_traced
from amg.process.stopping import Stopped
from amg.process.terminal import Progress
from amg.results.archive import LARGEST
from amg.results.run_file import save_runs


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the game, the learner and the file."""
    parser.epilog = _parameter_help()
    add_game(parser)
    parser.add_argument("--algorithm", choices=[*ALGORITHMS], default=VLearning.algorithm)
    parser.add_argument("--episodes", type=whole_number, required=True, help="K, as 1000 or 1e3")
    parser.add_argument("--seed", type=whole_number, default=1, help="default %(default)s")
    add_settings(parser, "--set", "a parameter of the algorithm, see below")
    text = "how many returns to keep one by one, default %(default)s"
    parser.add_argument("--record", type=whole_number, default=RECORD, help=text)
    parser.add_argument("--trace", action="store_true", help="record everything (short runs)")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="RUN.npz")


def run(options: argparse.Namespace) -> int:
    """Train and write the run; return 0, or the exit code of a signal to stop."""
    game = find_game(options.game, options.with_)
    parameters = make_parameters(options.algorithm, dict(options.set_))
    task = Task(parameters, options.episodes, options.seed, options.record)
    output = options.output
    if output.is_dir():
        raise ParameterError(f"{output}: is a directory; name a file in it, as in -o run.npz")
    episode = sum(part.nbytes for part in vars(new_trace(game, 1)).values()) if options.trace else 0
    size = min(task.record, task.episodes) * game.N * 8 + task.episodes * episode
    if size > LARGEST:
        raise ParameterError(
            f"episodes = {task.episodes}, record = {task.record} make {size >> 30} GiB for "
            f"{game.N} agents, more than the {LARGEST >> 30} GiB of a run file; ask for less"
        )
    if options.trace:
        if not isinstance(parameters, VLearning):
            raise ParameterError(f"{parameters.algorithm}: only v_learning records a trace")
        run = train_traced(game, parameters, task.episodes, task.seed, record=task.record)
        save_runs(output, [run])
    else:
        progress = Progress(task.episodes, game.name)
        try:
            train_job(game, [task], output, progress, log=sys.stderr, keep_stale=True)
        except Stopped as stopped:
            checkpoint = checkpoint_path(output)
            print(f"\namg: stopped; the same command goes on from {checkpoint}", file=sys.stderr)
            return stopped.exit_code
        progress.close()
    print(f"{output}: {game.name}, {task.episodes:,} episodes, seed {task.seed}")
    return 0


def _parameter_help() -> str:
    """Return every parameter of every algorithm with its default and its documentation."""
    lines = []
    for name, kind in ALGORITHMS.items():
        lines.append(f"parameters of {name}:")
        for f in dataclasses.fields(kind):
            choices = f" ({', '.join(f.metadata['choices'])})" if "choices" in f.metadata else ""
            lines.append(f"  {f.name}={f.default}{choices}: {f.metadata['doc']}")
    return "\n".join(lines)
