"""Run files: one archive with a game and any number of runs side by side (docs/run-files.md).

The header describes the game and the runs. The arrays of the game are `game_effort`, …; the arrays
of run j are `j.returns`, `j.cell_key`, …. Reading checks everything: shapes, indices,
probabilities, sums. It needs no training code.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from amg.base.errors import AmgError, FileError
from amg.base.rational import exact
from amg.base.text import choices
from amg.evaluation.certificate import Certificate
from amg.evaluation.online import PARTS, OnlineCertificate, online_shapes
from amg.evaluation.sampler import Trace, new_trace
from amg.game.model import Game
from amg.results import archive
from amg.results.archive import Arrays, require
from amg.results.run import Run

KIND, VERSION = "amg-runs", 2
ROUNDING = 1e-9  # of means of returns, relative to their range; 1e-12 relative to themselves
TABLES = ("effort", "reward", "transition", "initial")  # of a game
NAMES = ("name", "digest", "agents", "states", "actions", "reward_range", "aggregator")
RATIONALS = ("origin", "unit", "aggregate_scale")
KEYS = ("cell_key", "cell_visits", "stage_key")  # the arrays of whole numbers in a certificate
RECORD = {"algorithm": str, "parameters": dict, "episodes": int, "seed": int, "package": str,
          "source": str}  # fmt: skip


def save_runs(path: Path, runs: Sequence[Run]) -> None:
    """Write runs of one game to one file, wholly or not at all."""
    game = runs[0].game
    assert all(run.game.digest == game.digest for run in runs), "one file holds one game"
    described = {name: getattr(game, name) for name in NAMES}
    described |= {name: str(getattr(game, name)) for name in RATIONALS}
    described["builder_parameters"] = dict(game.parameters)
    records = [{name: getattr(run, name) for name in RECORD} for run in runs]
    header = {"kind": KIND, "version": VERSION, "game": described, "runs": records}
    arrays = {f"game_{name}": getattr(game, name) for name in TABLES}
    for j, run in enumerate(runs):
        parts = {"returns_edge": run.returns_edge, "returns": run.returns}
        if run.certificate is not None:
            names = _certificate_shapes(game, 0, 0)
            parts |= {name: getattr(run.certificate, name) for name in names}
        if run.online is not None:
            parts |= {f"online_{name}": getattr(run.online, name) for name in PARTS}
        if run.policy is not None:
            parts["policy"] = run.policy
        if run.trace is not None:
            parts |= {f"trace_{name}": array for name, array in vars(run.trace).items()}
        arrays |= {f"{j}.{name}": array for name, array in parts.items()}
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
    """
    every = load_runs(path)
    runs = [run for run in every if seed is None or run.seed == seed]
    if len(runs) != 1:
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
        Takes the header of a run (algorithm, parameters, …) and returns whether to read the run.

    Returns
    -------
    list of Run
    """
    path = Path(path)
    header, arrays = archive.read(path, KIND, VERSION)
    try:
        game = _game(header["game"], arrays)
        records = [_checked(record) for record in header["runs"]]
        own: list[Arrays] = [{} for _ in records]
        for name, array in arrays.items():
            j, _, part = name.partition(".")
            if part:
                own[int(j)][part] = array
        return [
            _run(game, record, own[j])
            for j, record in enumerate(records)
            if choose is None or choose(record)
        ]
    except AmgError as error:
        raise FileError(f"{path}: {error}") from None
    except Exception as error:  # a header can be malformed in many ways
        raise FileError(f"{path}: has an unreadable header ({error!r}); make it again") from None


def _checked(record: dict[str, Any]) -> dict[str, Any]:
    """Return the header of a run; refuse wrong types, and text that a terminal would obey."""
    for name, kind in RECORD.items():
        if type(record[name]) is not kind:
            raise TypeError(f"{name} is not {kind.__name__}")
    settings = record["parameters"]
    if not all(isinstance(value, float | int | str) for value in settings.values()):
        raise TypeError("parameters are neither numbers nor text")
    values = (*record.values(), *settings, *settings.values())
    if not all(value.isprintable() for value in values if isinstance(value, str)):
        raise ValueError("it has text that cannot be printed")
    return record


def _run(game: Game, record: dict[str, Any], own: Arrays) -> Run:
    """Return a run after checking its arrays."""
    T, S, N, A, D = game.reward.shape
    K = record["episodes"]
    edge = require(own, "returns_edge", np.int64, (None,))
    if len(edge) < 2 or edge[0] != 0 or edge[-1] != K or (np.diff(edge) < 1).any():
        raise FileError(f"returns_edge does not run from 0 to {K} episodes")
    returns = require(own, "returns", np.float64, (len(edge) - 1, N))
    low, high = (T * bound for bound in game.reward_range)
    slack = ROUNDING * (high - low) + 1e-12 * max(abs(low), abs(high))
    if (returns < low - slack).any() or (returns > high + slack).any():
        raise FileError(f"array 'returns' leaves what {T} steps can pay, [{low}, {high}]")
    parts: dict[str, Any] = {name: record[name] for name in RECORD}
    if "cell_key" in own:
        shapes = _certificate_shapes(game, len(own["cell_key"]), len(own.get("stage_key", ())))
        read = {
            name: require(own, name, np.int64 if name in KEYS else np.float64, shape)
            for name, shape in shapes.items()
        }
        parts["certificate"] = Certificate(game=game, episodes=K, **read)
    elif "online_value" in own:
        shapes = online_shapes(game)
        read = {name: require(own, f"online_{name}", np.float64, shapes[name]) for name in PARTS}
        parts["online"] = OnlineCertificate(game, **read)
    else:
        parts["policy"] = policy = require(own, "policy", np.float64, (T, S, N, A))
        wrong = (policy < 0).any() or policy[game.effort < 0].any()
        if wrong or not np.allclose(policy.sum(axis=3)[game.exists], 1.0, rtol=0, atol=1e-12):
            raise FileError(f"array 'policy' is not a policy of game {game.name!r}")
    if "trace_state" in own:
        read = {
            name: require(own, f"trace_{name}", like.dtype.type, (K, *like.shape[1:]))
            for name, like in vars(new_trace(game, 0)).items()
        }
        parts["trace"] = Trace(**read)
    return Run(game=game, returns_edge=edge, returns=returns, **parts)


def _certificate_shapes(game: Game, cells: int, stages: int) -> dict[str, tuple[int, ...]]:
    """Return the names and shapes of the arrays of a certificate."""
    _, S, N, A, D = game.reward.shape
    return {
        "cell_key": (cells, 3 + S),
        "cell_visits": (cells,),
        "cell_law": (cells, N, A, D),
        "stage_key": (stages, 4),
        "stage_coefficient": (stages,),
        "stage_v_bar": (stages, N),
        "stage_v_low": (stages, N),
    }


def _game(header: dict[str, Any], arrays: Arrays) -> Game:
    """Return the game of a file; its constructor checks names and tables."""
    effort = require(arrays, "game_effort", np.int64, (None,) * 4)
    low, high = header["reward_range"]
    game = Game(
        name=header["name"],
        agents=_tuples(header["agents"]),
        states=_tuples(header["states"]),
        actions=_tuples(header["actions"]),
        effort=effort,
        reward=require(arrays, "game_reward", np.float64, (*effort.shape, None)),
        transition=require(arrays, "game_transition", np.float64, (None,) * 4),
        initial=require(arrays, "game_initial", np.float64, (None,)),
        reward_range=(float(low), float(high)),
        aggregator=str(header["aggregator"]),
        parameters=dict(header["builder_parameters"]),
        **{name: exact(header[name]) for name in RATIONALS},
    )
    if game.digest != header["digest"]:
        raise FileError("the game's tables do not match their digest; make it again")
    return game


def _tuples(value: Any) -> Any:
    """Return nested lists as nested tuples."""
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
