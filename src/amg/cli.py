"""The command line: `amg games`, `amg train`, `amg certify`."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from amg import __version__, game_file
from amg.archive import LARGEST, reason
from amg.certification.evaluation import BUDGET
from amg.errors import AmgError, ParameterError
from amg.game import Game
from amg.games import BUILDERS, build
from amg.learning.checkpoint import checkpoint_path, forget, resume, train_resumable
from amg.learning.parameters import ALGORITHMS, VLearning, make_parameters
from amg.learning.tracing import train_traced
from amg.learning.training import RECORD, new_learner
from amg.numbers import exact
from amg.progress import Progress
from amg.references import references
from amg.run import load
from amg.stopping import Stopped, exit_code
from amg.summary import describe, summarise
from amg.tables import aligned, decimals
from amg.terminal import take_any_text
from amg.trace import new_trace

LONGEST = 200  # bytes of a run's name; a checkpoint's and a half-written file's are longer


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; a mistake of the user's is one line and exit code 2."""
    options = _parser().parse_args(arguments)
    take_any_text()
    try:
        options.run(options)
        sys.stdout.flush()
    except AmgError as error:
        print(f"amg: error: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader has seen enough, as in `amg games | head`
        _discard_output()
    except MemoryError:
        print("amg: error: needs more memory than there is; ask for less", file=sys.stderr)
        return 2
    except OSError as error:
        print(
            f"amg: error: {error.filename or 'standard output'}: {reason(error)}", file=sys.stderr
        )
        _discard_output()
        return 2
    return 0


def _discard_output() -> None:
    """Or Python would try once more to write what is left of it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


# --- amg games --------------------------------------------------------------------------------


def games(options: argparse.Namespace) -> None:
    """List the games, or one, with sizes and exact reference values."""
    if options.yaml:
        if not options.game:
            raise ParameterError("--yaml writes one game: name it, as in `amg games fishermen`")
        game_file.dump(resolve(options.game, options.with_), sys.stdout)
        return
    names = [options.game] if options.game else list(BUILDERS)
    entries = [describe_game(resolve(name, options.with_)) for name in names]
    print(json.dumps(entries, indent=2) if options.json else "\n\n".join(map(_page, entries)))


def describe_game(game: Game) -> dict[str, Any]:
    """Sizes and reference values of a game."""
    return {
        "name": game.name,
        "parameters": dict(game.parameters),
        "agents": list(game.agents),
        "horizon": game.T,
        "states": [list(step) for step in game.states],
        "most_actions": game.A.tolist(),
        "reward_range": list(game.reward_range),
        "digest": game.digest,
        "references": [
            {"label": row.label, "per_agent": row.per_agent.tolist(), "average": row.average}
            for row in references(game).rows()
        ],
    }


def _page(entry: dict[str, Any]) -> str:
    settings = ", ".join(f"{name}={value}" for name, value in entry["parameters"].items())
    low, high = entry["reward_range"]
    states = " → ".join(str(len(step)) for step in entry["states"])
    shown = 4  # agents with columns of their own
    header = ["reference value", "average", *entry["agents"][:shown]]
    numbers = decimals([[x["average"], *x["per_agent"][:shown]] for x in entry["references"]])
    labels = [row["label"] for row in entry["references"]]
    rows = [[label, *row] for label, row in zip(labels, numbers, strict=True)]
    return "\n".join(
        [
            f"{entry['name']}({settings})",
            f"  {len(entry['agents'])} agents, horizon {entry['horizon']}, states {states}, "
            f"at most {max(entry['most_actions'])} actions, rewards in [{low:g}, {high:g}]",
            *(f"  {line}" for line in aligned(header, rows)),
        ]
    )


# --- amg train --------------------------------------------------------------------------------


def train(options: argparse.Namespace) -> None:
    """Train, with a progress bar and a checkpoint, and write the run."""
    game = resolve(options.game, options.with_)
    parameters = make_parameters(options.algorithm, dict(map(setting, options.set)))
    episodes = whole("episodes", options.episodes)
    seed, record = whole("seed", options.seed), whole("record", options.record)
    output = Path(options.output)
    _check_output(output)
    _check_room(game, episodes, record, options.trace)
    if options.trace:
        if not isinstance(parameters, VLearning):
            raise ParameterError(f"{parameters.algorithm}: only v_learning records a trace")
        result = train_traced(game, parameters, episodes, seed, record=record)
    else:
        learner = new_learner(game, parameters, episodes, seed, record)
        resume(learner, output)
        bar = Progress(episodes, game.name, done=learner.done)
        try:
            result = train_resumable(learner, output, bar)
        except Stopped as error:
            kept = f"stopped; the same command goes on from {checkpoint_path(output)}"
            print(f"\namg: {kept}", file=sys.stderr)
            raise SystemExit(exit_code(error)) from None
        bar.close(episodes)
    result.save(output)
    forget(output)
    print(f"{output}: {parameters.algorithm} on {game.name}, {episodes:,} episodes, seed {seed}")


def _check_output(output: Path) -> None:
    """Hours of training should not end in a name that cannot be written."""
    if output.is_dir():
        raise ParameterError(f"{output}: is a directory; name a file in it, as in -o run.npz")
    if len(os.fsencode(output.name)) > LONGEST:
        raise ParameterError(f"{output}: its name is longer than {LONGEST} bytes; shorten it")


def _check_room(game: Game, episodes: int, record: int, trace: bool) -> None:
    """Nor should it end in a file that is larger than can be read, or than the memory."""
    kept = max(min(record, episodes), 0) * game.N * 8
    traced = max(episodes, 0) * sum(part.nbytes for part in vars(new_trace(game, 1)).values())
    for name, value, size in (
        ("record", record, kept),
        ("episodes", episodes, traced if trace else 0),
    ):
        if size > LARGEST:
            raise ParameterError(
                f"{name} = {value} makes {size >> 30} GiB for {game.N} agents, more than the "
                f"{LARGEST >> 30} GiB of the largest run file; ask for less"
            )


# --- amg certify ------------------------------------------------------------------------------


def certify(options: argparse.Namespace) -> None:
    """Evaluate the policy of a run exactly."""
    summary = summarise(load(Path(options.file)), whole("budget", options.budget))
    print(json.dumps(summary, indent=2) if options.json else describe(summary))


# --- arguments --------------------------------------------------------------------------------


def resolve(name: str, settings: Sequence[str]) -> Game:
    """A game by its builder's name and parameters, or from a data file."""
    if not name.endswith((".yaml", ".yml")):
        return build(name, {key: _value(text) for key, text in map(setting, settings)})
    if settings:
        raise ParameterError(f"{name}: a game file takes no parameters; edit the file instead")
    return game_file.load(Path(name))


def setting(text: str) -> tuple[str, str]:
    """'name=value' as a pair."""
    name, equals, value = text.partition("=")
    if not (name.strip() and equals and value.strip()):
        raise ParameterError(f"setting {text!r} is not of the form name=value")
    return name.strip(), value.strip()


def _value(text: str) -> int | str:
    """Whole numbers as int, the rest as text, which builders read as exactly as a game file."""
    try:
        number = exact(text)
    except ValueError:
        return text
    return int(number) if number.denominator == 1 else text


def whole(name: str, text: str) -> int:
    """A whole number however it is written: 1000000, 1e6."""
    try:
        number = exact(text)
    except ValueError:
        raise ParameterError(f"{name} = {text!r} is not a number") from None
    if number.denominator != 1:
        raise ParameterError(f"{name} = {text} is not a whole number")
    return int(number)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="amg", description="Learn in aggregative Markov games and certify what was learned."
    )
    parser.add_argument("--version", action="version", version=f"amg {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    command = commands.add_parser("games", help=games.__doc__, description=games.__doc__)
    command.add_argument("game", nargs="?", metavar="GAME|FILE.yaml", help="only this one")
    _with(command)
    command.add_argument("--json", action="store_true", help="for programs")
    command.add_argument("--yaml", action="store_true", help="write the game as a data file")
    command.set_defaults(run=games)

    command = commands.add_parser(
        "train",
        help=train.__doc__,
        description=train.__doc__,
        epilog=_parameter_help(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("game", metavar="GAME|FILE.yaml", help="a game's name or a data file")
    _with(command)
    command.add_argument("--algorithm", default="v_learning", help=", ".join(ALGORITHMS))
    command.add_argument("--episodes", required=True, help="K, as 1000000 or 1e6")
    command.add_argument("--seed", default="1", help="default 1")
    command.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter, see below"
    )
    command.add_argument(
        "--record", default=str(RECORD), help=f"returns kept one by one, default {RECORD}"
    )
    command.add_argument("--trace", action="store_true", help="record everything (short runs)")
    command.add_argument("-o", "--output", required=True, metavar="RUN.npz")
    command.set_defaults(run=train)

    command = commands.add_parser("certify", help=certify.__doc__, description=certify.__doc__)
    command.add_argument("file", metavar="RUN.npz")
    command.add_argument("--json", action="store_true", help="for programs")
    command.add_argument(
        "--budget", default=str(BUDGET), help=f"histories searched an agent, default {BUDGET}"
    )
    command.set_defaults(run=certify)
    return parser


def _with(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--with",
        dest="with_",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a parameter of the game's builder, as agents=4",
    )


def _parameter_help() -> str:
    """Every parameter of every algorithm with its default and its line of documentation."""
    lines = []
    for name, kind in ALGORITHMS.items():
        lines.append(f"parameters of {name}:")
        for f in dataclasses.fields(kind):
            choices = f" ({', '.join(f.metadata['choices'])})" if "choices" in f.metadata else ""
            lines.append(f"  {f.name}={f.default}{choices}: {f.metadata['doc']}")
    return "\n".join(lines)
