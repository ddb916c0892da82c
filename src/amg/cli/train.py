"""`amg train`: train one run and write it to a file.

---
`amg certify`: the exact value and equilibrium gap of a run.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from amg.base.errors import ParameterError
from amg.cli import Commands, add_command, add_game_settings, find_game, setting, whole
from amg.learning.parameters import ALGORITHMS, VLearning, make_parameters

if TYPE_CHECKING:
    from amg.game.model import Game
    from amg.learning.job import Task


import json
from collections.abc import Mapping
from typing import Any

from amg.base.errors import FileError
from amg.base.text import choices

LONGEST = 200  # bytes of a run's name; the names of its checkpoint and partial files are longer


def add(commands: Commands) -> None:
    """Declare the command."""
    command = add_command(commands, "train", run, epilog=_parameter_help())
    command.add_argument("game", metavar="GAME|FILE.yaml", help="a game's name or a game file")
    add_game_settings(command)
    command.add_argument("--algorithm", default="v_learning", help=", ".join(ALGORITHMS))
    command.add_argument("--episodes", required=True, help="K, as 1000000 or 1e6")
    command.add_argument("--seed", default="1", help="default 1")
    command.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter, see below"
    )
    command.add_argument(
        "--record", default="100000", help="how many returns to keep one by one, default 100000"
    )
    command.add_argument("--trace", action="store_true", help="record everything (short runs)")
    command.add_argument("-o", "--output", required=True, metavar="RUN.npz")


def run(options: argparse.Namespace) -> int:
    """Train, with a progress bar and a checkpoint, and write the run."""
    from amg.learning.job import Task

    game = find_game(options.game, options.with_)
    task = Task(
        parameters=make_parameters(options.algorithm, dict(map(setting, options.set))),
        episodes=whole("episodes", options.episodes),
        seed=whole("seed", options.seed),
        record=whole("record", options.record),
    )
    output = Path(options.output)
    _check_output(output)
    _check_size(game, task, options.trace)
    code = _trace(game, task, output) if options.trace else _train(game, task, output)
    if code == 0:
        print(
            f"{output}: {task.parameters.algorithm} on {game.name}, {task.episodes:,} episodes, "
            f"seed {task.seed}"
        )
    return code


def _train(game: Game, task: Task, output: Path) -> int:
    from amg.learning.job import checkpoint_path, train_job
    from amg.process.job import Progress
    from amg.process.stopping import Stopped, exit_code

    bar = Progress(task.episodes, game.name)
    try:
        train_job(game, [task], output, bar, log=sys.stderr, keep_stale=True)
    except Stopped as error:
        checkpoint = checkpoint_path(output)
        print(f"\namg: stopped; the same command goes on from {checkpoint}", file=sys.stderr)
        return exit_code(error)
    bar.close(task.episodes)
    return 0


def _trace(game: Game, task: Task, output: Path) -> int:
    from amg.learning.train import train_traced
    from amg.results.run_file import save_runs

    if not isinstance(task.parameters, VLearning):
        raise ParameterError(f"{task.parameters.algorithm}: only v_learning records a trace")
    run = train_traced(game, task.parameters, task.episodes, task.seed, record=task.record)
    save_runs(output, [run])
    return 0


def _check_output(output: Path) -> None:
    """Check before training that the output can be written."""
    if output.is_dir():
        raise ParameterError(f"{output}: is a directory; name a file in it, as in -o run.npz")
    if len(os.fsencode(output.name)) > LONGEST:
        raise ParameterError(f"{output}: its name is longer than {LONGEST} bytes; shorten it")


def _check_size(game: Game, task: Task, trace: bool) -> None:
    """Check before training that the run fits into a file."""
    from amg.evaluation.trace import new_trace
    from amg.results.archive import LARGEST

    returns = max(min(task.record, task.episodes), 0) * game.N * 8
    episode = sum(part.nbytes for part in vars(new_trace(game, 1)).values())
    traced = max(task.episodes, 0) * episode if trace else 0
    for name, value, size in (
        ("record", task.record, returns),
        ("episodes", task.episodes, traced),
    ):
        if size > LARGEST:
            raise ParameterError(
                f"{name} = {value} makes {size >> 30} GiB for {game.N} agents, more than the "
                f"{LARGEST >> 30} GiB of the largest run file; ask for less"
            )


def _parameter_help() -> str:
    """Return every parameter of every algorithm with its default and its documentation."""
    lines = []
    for name, kind in ALGORITHMS.items():
        lines.append(f"parameters of {name}:")
        for f in dataclasses.fields(kind):
            choices = f" ({', '.join(f.metadata['choices'])})" if "choices" in f.metadata else ""
            lines.append(f"  {f.name}={f.default}{choices}: {f.metadata['doc']}")
    return "\n".join(lines)


# ===== cli/certify


def add_certify(commands: Commands) -> None:
    """Declare the command."""
    command = add_command(commands, "certify", certify)
    command.add_argument("file", metavar="RUN.npz")
    command.add_argument("--seed", help="which run, if the file holds several")
    command.add_argument("--episodes", help="which run, if the file holds several")
    command.add_argument("--json", action="store_true", help="for programs")
    command.add_argument(
        "--budget", default="1000000", help="histories to search per agent, default 1000000"
    )


def certify(options: argparse.Namespace) -> int:
    """Evaluate the policy of a run exactly."""
    from amg.results.evaluate import describe, summarise
    from amg.results.run_file import load_runs

    wanted = {
        name: whole(name, text)
        for name, text in (("seed", options.seed), ("episodes", options.episodes))
        if text is not None
    }
    budget = whole("budget", options.budget)
    names = []

    def choose(record: Mapping[str, Any]) -> bool:
        names.append(f"seed {record['seed']}, K = {record['episodes']}")
        return all(record[name] == value for name, value in wanted.items())

    runs = load_runs(Path(options.file), choose)
    if len(runs) != 1:
        raise FileError(
            f"{options.file}: {len(runs)} of its {len(names)} runs fit ({choices(names)}); choose "
            f"one with --seed and --episodes"
        )
    summary = summarise(runs[0], budget)
    print(json.dumps(summary, indent=2) if options.json else describe(summary))
    return 0
