"""A run: what training leaves behind, as one self-describing file that needs no training code."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amg import __version__, archive
from amg.archive import Arrays, require
from amg.certification.certificate import Certificate
from amg.errors import FileError, GameError
from amg.game import Game
from amg.numbers import exact
from amg.trace import Trace, new_trace

KIND, VERSION = "amg-run", 1
ROUNDING = 1e-9  # of means of returns, relative to their range; 1e-12 relative to themselves
CERTIFICATE_PARTS = [f.name for f in dataclasses.fields(Certificate) if "_" in f.name]


@dataclass(frozen=True, eq=False)
class Run:
    """A pure function of (game, algorithm, parameters, episodes, seed) and of the sources."""

    game: Game
    algorithm: str
    parameters: dict[str, float | str]
    episodes: int  # K
    seed: int
    returns_edge: NDArray[np.int64]  # [entries + 1]
    returns: NDArray[np.float64]  # [entries, N] mean over episodes edge[j]+1 … edge[j+1], raw units
    certificate: Certificate | None = None  # of V-learning: its certified policy
    policy: NDArray[np.float64] | None = None  # [T, S, N, A] of Q-learning: its greedy policy
    trace: Trace | None = field(default=None, repr=False)
    package: str = __version__  # the version that made it
    source: str = ""  # SHA-256 of the sources that made it; empty if that is not known

    def save(self, path: Path) -> None:
        header = {
            "kind": KIND,
            "version": VERSION,
            "package": self.package,
            "source": self.source,
            "game": _game_header(self.game),
            "algorithm": self.algorithm,
            "parameters": self.parameters,
            "episodes": self.episodes,
            "seed": self.seed,
        }
        archive.write(path, header, self._arrays())

    def _arrays(self) -> Arrays:
        game = self.game
        arrays: Arrays = {
            "game_effort": game.effort,
            "game_reward": game.reward,
            "game_transition": game.transition,
            "game_initial": game.initial,
            "returns_edge": self.returns_edge,
            "returns": self.returns,
        }
        if self.certificate is not None:
            arrays |= {part: getattr(self.certificate, part) for part in CERTIFICATE_PARTS}
        if self.policy is not None:
            arrays["policy"] = self.policy
        if self.trace is not None:
            arrays |= {f"trace_{k}": v for k, v in vars(self.trace).items()}
        return arrays


def load(path: Path) -> Run:
    """Read a run and check that it is one: shapes, indices, probabilities, sums."""
    header, arrays = archive.read(path, KIND, VERSION)
    try:
        return _run(path, header, arrays)
    except (GameError, FileError) as error:
        message = str(error)
        raise FileError(message if message.startswith(str(path)) else f"{path}: {error}") from None
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise FileError(f"{path}: has an unreadable header ({error!r})") from None


def _check_header(header: dict[str, Any]) -> None:
    """Plain values of the right types, and nothing that a terminal would obey."""
    kinds = {"episodes": int, "seed": int, "algorithm": str, "package": str, "source": str}
    for name, kind in {**kinds, "parameters": dict, "game": dict}.items():
        if type(header.get(name, "" if name == "source" else None)) is not kind:
            raise TypeError(f"{name} is not {kind.__name__}")
    if not all(isinstance(value, float | int | str) for value in header["parameters"].values()):
        raise TypeError("parameters are neither numbers nor text")
    waiting: list[Any] = [header]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting += [*value.keys(), *value.values()]
        elif isinstance(value, list):
            waiting += value
        elif isinstance(value, str) and not value.isprintable():
            raise ValueError("it has text that cannot be printed")


def _run(path: Path, header: dict[str, Any], arrays: Arrays) -> Run:
    _check_header(header)
    game = _game(path, header["game"], arrays)
    T, S, N, A, D = game.reward.shape
    episodes, seed = header["episodes"], header["seed"]
    edge = require(path, arrays, "returns_edge", np.int64, (None,))
    if len(edge) < 2 or edge[0] != 0 or edge[-1] != episodes or (np.diff(edge) < 1).any():
        raise FileError(f"{path}: returns_edge does not run from 0 to {episodes} episodes")
    returns = require(path, arrays, "returns", np.float64, (len(edge) - 1, N))
    low, high = (T * bound for bound in game.reward_range)
    slack = ROUNDING * (high - low) + 1e-12 * max(abs(low), abs(high))
    if (returns < low - slack).any() or (returns > high + slack).any():
        raise FileError(f"{path}: array 'returns' leaves what {T} steps can pay, [{low}, {high}]")
    certificate = policy = trace = None
    if "cell_key" in arrays:
        certificate = _certificate(path, game, episodes, arrays)
    else:
        policy = require(path, arrays, "policy", np.float64, (T, S, N, A))
        _check_policy(path, game, policy)
    if "trace_state" in arrays:
        shapes = new_trace(game, 0)
        trace = Trace(
            **{
                name: require(
                    path, arrays, f"trace_{name}", array.dtype.type, (episodes, *array.shape[1:])
                )
                for name, array in vars(shapes).items()
            }
        )
    return Run(
        game=game,
        algorithm=header["algorithm"],
        parameters=header["parameters"],
        episodes=episodes,
        seed=seed,
        returns_edge=edge,
        returns=returns,
        certificate=certificate,
        policy=policy,
        trace=trace,
        package=header["package"],
        source=header.get("source", ""),
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


def _check_policy(path: Path, game: Game, policy: NDArray[np.float64]) -> None:
    wrong = (policy < 0).any() or policy[game.effort < 0].any()
    if wrong or not np.allclose(policy.sum(axis=3)[game.exists], 1.0, rtol=0, atol=1e-12):
        raise FileError(f"{path}: array 'policy' is not a policy of game {game.name!r}")


def _game_header(game: Game) -> dict[str, Any]:
    """The names and numbers of a game that are not tables."""
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
    """The game of a file; the constructor checks the tables, the digest that they are the same."""
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
        raise FileError(f"{path}: the game's tables do not match their digest")
    return game
