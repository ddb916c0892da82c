"""Run files: one archive with a game and any number of runs side by side (docs/run-files.md).

The header names the game and the runs. The arrays of the game are `game_effort`, …; the arrays of
run j are `j.returns`, `j.cell_key`, …. Reading checks everything: shapes, indices, probabilities,
sums. A file needs no training code to be read.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amg.base.errors import AmgError, FileError
from amg.base.rational import exact
from amg.base.text import choices
from amg.evaluation.certificate import Certificate
from amg.evaluation.trace import Trace, new_trace
from amg.game.model import Game
from amg.results import archive
from amg.results.archive import Arrays, require
from amg.results.run import Run

KIND, VERSION = "amg-runs", 2
ROUNDING = 1e-9  # of means of returns, relative to their range; 1e-12 relative to themselves
CERTIFICATE = [f.name for f in dataclasses.fields(Certificate) if "_" in f.name]
RECORD = {  # what the header says of each run
    "algorithm": str,
    "parameters": dict,
    "episodes": int,
    "seed": int,
    "package": str,
    "source": str,
}


def save_runs(path: Path, runs: Sequence[Run]) -> None:
    """Write runs of one game to one file, wholly or not at all."""
    game = runs[0].game
    assert all(run.game.digest == game.digest for run in runs), "one file holds one game"
    header = {
        "kind": KIND,
        "version": VERSION,
        "game": _game_header(game),
        "runs": [{name: getattr(run, name) for name in RECORD} for run in runs],
    }
    arrays = {
        "game_effort": game.effort,
        "game_reward": game.reward,
        "game_transition": game.transition,
        "game_initial": game.initial,
    }
    for j, run in enumerate(runs):
        arrays |= {f"{j}.{name}": array for name, array in _run_arrays(run).items()}
    archive.write(path, header, arrays)


def load_run(path: str | Path, seed: int | None = None) -> Run:
    """Read the one run in a file, or the one with this seed.

    Parameters
    ----------
    path : str or Path
        A file written by `amg train` or by the workflow.
    seed : int, optional
        Needed if the file holds several runs.

    Returns
    -------
    Run

    Examples
    --------
    >>> run = amg.load_run("run.npz")  # doctest: +SKIP
    """
    runs = load_runs(path, lambda record: seed is None or record["seed"] == seed)
    if len(runs) != 1:
        every = load_runs(path)
        names = choices(f"seed {run.seed}, K = {run.episodes:,}" for run in every)
        wanted = "" if seed is None else f" with seed {seed}"
        raise FileError(
            f"{path}: holds {len(runs)} runs{wanted} of {len(every)} ({names}); name the seed of "
            f"one, or read all of them with load_runs"
        )
    return runs[0]


def load_runs(
    path: str | Path, choose: Callable[[Mapping[str, Any]], bool] | None = None
) -> list[Run]:
    """Read the runs in a file, in the order in which they were written.

    Parameters
    ----------
    path : str or Path
        A file written by `amg train` or by the workflow.
    choose : callable, optional
        Takes the header of a run (algorithm, parameters, episodes, seed) and returns whether the
        run is wanted. Others are not read.

    Returns
    -------
    list of Run
    """
    path = Path(path)
    header, arrays = archive.read(path, KIND, VERSION)
    try:
        _check_header(header)
        game = _game(path, header["game"], arrays)
        return [
            _run(path, game, j, record, arrays)
            for j, record in enumerate(header["runs"])
            if choose is None or choose(record)
        ]
    except AmgError as error:
        message = str(error)
        raise FileError(message if message.startswith(str(path)) else f"{path}: {error}") from None
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise FileError(f"{path}: has an unreadable header ({error!r}); make it again") from None


def _run_arrays(run: Run) -> Arrays:
    arrays: Arrays = {"returns_edge": run.returns_edge, "returns": run.returns}
    if run.certificate is not None:
        arrays |= {part: getattr(run.certificate, part) for part in CERTIFICATE}
    if run.policy is not None:
        arrays["policy"] = run.policy
    if run.trace is not None:
        arrays |= {f"trace_{name}": array for name, array in vars(run.trace).items()}
    return arrays


def _check_header(header: dict[str, Any]) -> None:
    """Refuse values of wrong types, and text that a terminal would obey."""
    if type(header["game"]) is not dict or type(header["runs"]) is not list:
        raise TypeError("game or runs are not what they should be")
    for record in header["runs"]:
        for name, kind in RECORD.items():
            if type(record[name]) is not kind:
                raise TypeError(f"{name} is not {kind.__name__}")
        if not all(isinstance(value, float | int | str) for value in record["parameters"].values()):
            raise TypeError("parameters are neither numbers nor text")
    if not all(text.isprintable() for text in _texts(header)):
        raise ValueError("it has text that cannot be printed")


def _texts(value: Any) -> Iterable[str]:
    """Yield every text in nested lists and mappings."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting += [*value.keys(), *value.values()]
        elif isinstance(value, list):
            waiting += value
        elif isinstance(value, str):
            yield value


def _run(path: Path, game: Game, j: int, record: dict[str, Any], arrays: Arrays) -> Run:
    """Return run j of the file after checking its arrays."""
    own = {name.removeprefix(f"{j}."): a for name, a in arrays.items() if name.startswith(f"{j}.")}
    episodes = record["episodes"]
    T, S, N, A, D = game.reward.shape
    edge = require(path, own, "returns_edge", np.int64, (None,))
    if len(edge) < 2 or edge[0] != 0 or edge[-1] != episodes or (np.diff(edge) < 1).any():
        raise FileError(f"{path}: returns_edge does not run from 0 to {episodes} episodes")
    returns = require(path, own, "returns", np.float64, (len(edge) - 1, N))
    low, high = (T * bound for bound in game.reward_range)
    slack = ROUNDING * (high - low) + 1e-12 * max(abs(low), abs(high))
    if (returns < low - slack).any() or (returns > high + slack).any():
        raise FileError(f"{path}: array 'returns' leaves what {T} steps can pay, [{low}, {high}]")
    certificate = policy = None
    if "cell_key" in own:
        certificate = _certificate(path, game, episodes, own)
    else:
        policy = require(path, own, "policy", np.float64, (T, S, N, A))
        _check_policy(path, game, policy)
    return Run(
        game=game,
        returns_edge=edge,
        returns=returns,
        certificate=certificate,
        policy=policy,
        trace=_trace(path, game, episodes, own) if "trace_state" in own else None,
        **{name: record[name] for name in RECORD},
    )


def _certificate(path: Path, game: Game, episodes: int, arrays: Arrays) -> Certificate:
    _, S, N, A, D = game.reward.shape
    cells = len(require(path, arrays, "cell_key", np.int64, (None, 3 + S)))
    stages = len(require(path, arrays, "stage_key", np.int64, (None, 4)))
    floats = {
        "cell_law": (cells, N, A, D),
        "stage_coefficient": (stages,),
        "stage_v_bar": (stages, N),
        "stage_v_low": (stages, N),
    }
    return Certificate(
        game=game,
        episodes=episodes,
        cell_key=arrays["cell_key"],
        cell_visits=require(path, arrays, "cell_visits", np.int64, (cells,)),
        stage_key=arrays["stage_key"],
        **{name: require(path, arrays, name, np.float64, shape) for name, shape in floats.items()},
    )


def _trace(path: Path, game: Game, episodes: int, arrays: Arrays) -> Trace:
    def read(name: str, like: NDArray[Any]) -> NDArray[Any]:
        shape = (episodes, *like.shape[1:])
        return require(path, arrays, f"trace_{name}", like.dtype.type, shape)

    return Trace(**{name: read(name, like) for name, like in vars(new_trace(game, 0)).items()})


def _check_policy(path: Path, game: Game, policy: NDArray[np.float64]) -> None:
    wrong = (policy < 0).any() or policy[game.effort < 0].any()
    if wrong or not np.allclose(policy.sum(axis=3)[game.exists], 1.0, rtol=0, atol=1e-12):
        raise FileError(f"{path}: array 'policy' is not a policy of game {game.name!r}")


def _game_header(game: Game) -> dict[str, Any]:
    """Return the names and numbers of a game that are not tables."""
    return {
        "name": game.name,
        "builder_parameters": dict(game.parameters),
        "digest": game.digest,
        "agents": game.agents,
        "states": game.states,
        "actions": game.actions,
        "reward_range": game.reward_range,
        "origin": str(game.origin),
        "unit": str(game.unit),
        "aggregator": game.aggregator,
        "aggregate_scale": str(game.aggregate_scale),
    }


def _game(path: Path, header: dict[str, Any], arrays: Arrays) -> Game:
    """Return the game of a file; its constructor checks the tables."""
    effort = require(path, arrays, "game_effort", np.int64, (None,) * 4)
    low, high = header["reward_range"]
    game = Game(
        name=str(header["name"]),
        agents=tuple(map(str, header["agents"])),
        states=tuple(tuple(map(str, step)) for step in header["states"]),
        actions=tuple(
            tuple(tuple(tuple(map(str, menu)) for menu in state) for state in step)
            for step in header["actions"]
        ),
        effort=effort,
        reward=require(path, arrays, "game_reward", np.float64, (*effort.shape, None)),
        transition=require(path, arrays, "game_transition", np.float64, (None,) * 4),
        initial=require(path, arrays, "game_initial", np.float64, (None,)),
        reward_range=(float(low), float(high)),
        origin=exact(header["origin"]),
        unit=exact(header["unit"]),
        aggregator=str(header["aggregator"]),
        aggregate_scale=exact(header["aggregate_scale"]),
        parameters=dict(header["builder_parameters"]),
    )
    if game.digest != header["digest"]:
        raise FileError(f"{path}: the game's tables do not match their digest; make it again")
    return game
