"""The exact evaluation of a policy or a run; what it says as a dict and as a table row."""

from __future__ import annotations

import csv
import io
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np

from amg.base.errors import FileError, ParameterError, PolicyError
from amg.base.files import write_text
from amg.evaluation.best_response import BUDGET
from amg.evaluation.controller import Controller, from_certificate, from_joint, from_policies
from amg.evaluation.evaluation import (
    Evaluation,
    check_confidence,
    evaluate_controller,
    evaluate_online,
)
from amg.evaluation.policies import PolicyFunction
from amg.game.model import Game
from amg.kernels.sums import Floats
from amg.results.run import Run
from amg.results.run_file import load_runs

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

RUN = ("algorithm", "parameters", "episodes", "seed", "package", "source")
GAPS = ("gap", "gap_low", "informed_gap")
BEST = ("value", "best_response", "best_response_low", "exact", "histories")
EVALUATION = (*BEST, *GAPS, "mean_gap")
LEMMA = {  # columns, and fields of Confidence
    "lemma_holds": "holds", "lower_coverage": "lower", "upper_coverage": "upper",
    "bounds_tested": "tested",
}  # fmt: skip
MEASURES = (*(f"max_{gap}" for gap in GAPS), "max_own_bound", *LEMMA, "stages", "cells", "nodes")
GROWTH = ("ratio", "not_grown", "visits_stuck", "stuck")  # of the lengths of stages
ROUNDING = 1e-13  # of all that can be earned: a smaller gap is a rounding error
LOG_SECONDS = 10.0  # between two reports of progress
Groups = Sequence[tuple[Mapping[str, Any], int]]  # labels of some runs, and how many there are


def evaluate(
    game: Game,
    policy: ArrayLike | PolicyFunction | Run,
    weights: ArrayLike | None = None,
    *,
    joint: bool = False,
    budget: int = BUDGET,
) -> Evaluation:
    """Return what a policy earns, and what each agent could gain by deviating from it.

    Parameters
    ----------
    game : Game
    policy : array [T, S, N, A], array [J, T, S, N, A], array [T, S, A, …, A], callable or Run
        ``policy[t, s, i, a]`` is the probability that agent i takes action a at step t in state s.
        Of a stack of J such policies one is drawn before the first step and then followed by all
        agents. With ``joint=True``, ``policy[t, s, a_1, …, a_N]`` is the probability of a joint
        action. A function of t, s and i returns the probabilities of agent i's actions. A run
        stands for the policy that it learned; its game must be this one. Entries of states that a
        step does not have are ignored, but must be finite.
    weights : array [J], optional
        Probability of each policy of a stack; without it all are equally likely.
    joint : bool
        Whether the array is a law of joint actions.
    budget : int
        Histories that the search for one agent's best response may visit. If they do not suffice,
        `best_response` and `gap` are upper bounds and ``exact`` is False.

    Returns
    -------
    Evaluation
        Value, best response, gap and informed gap of each agent. Values and best responses are
        averages over the law of the first state. A gap is the largest over the first states.

    Raises
    ------
    PolicyError
        If this is not a policy of this game, the weights do not fit, or the run is of another
        game. The message says what is wrong and where.

    Examples
    --------
    >>> import amg, numpy as np
    >>> game = amg.build_game("fishermen")
    >>> policy = np.zeros((game.T, game.S, game.N, game.A_max))
    >>> policy[..., 0] = 1  # everyone fishes intensively
    >>> amg.evaluate(game, policy).value.round(6).tolist()
    [19.2, 19.2]
    """
    if not isinstance(game, Game):
        raise ParameterError(
            f"game must be a Game, from build_game or load_game, not {type(game).__name__}"
        )
    if isinstance(budget, bool) or not isinstance(budget, int) or budget < 0:
        raise ParameterError(f"budget = {budget!r} is not a whole number of at least 0")
    if not isinstance(policy, Run):
        if not joint:
            return evaluate_controller(game, from_policies(game, policy, weights), budget)
        if callable(policy) or weights is not None:
            raise PolicyError("joint goes with one array; it takes no weights and no function")
        return evaluate_controller(game, from_joint(game, policy), budget)
    if weights is not None or joint:
        raise PolicyError("weights and joint go with arrays; a run has none, leave them out")
    if policy.game.digest != game.digest:
        raise PolicyError(
            f"the run is of another game ({policy.game.name!r}) than the one to evaluate it on "
            f"({game.name!r}); use run.game, or run.evaluate()"
        )
    if policy.online is not None:
        return evaluate_online(policy.online)
    return evaluate_controller(game, controller_of(policy), budget)


def controller_of(run: Run) -> Controller:
    """Return the policy of a run: the certified one of V-learning, the greedy one of Q-learning."""
    if run.certificate is not None:
        return from_certificate(run.certificate)
    assert run.policy is not None
    return from_policies(run.game, run.policy)


def summarise(run: Run, budget: int = BUDGET) -> dict[str, Any]:
    """Evaluate the policy of a run exactly; all values are in the game's own units."""
    if run.online is None:
        controller = controller_of(run)
        evaluation = evaluate_controller(run.game, controller, budget)
    else:
        evaluation = evaluate_online(run.online)
    returns = np.diff(run.returns_edge)[:, None] * run.returns
    summary: dict[str, Any] = {
        **{name: getattr(run, name) for name in RUN},
        "policy": "greedy" if run.policy is not None else "certified",
        **_found(run.game, evaluation),
        "mean_return": [math.fsum(column) / run.episodes for column in returns.T],
    }
    if run.certificate is not None:
        own = run.certificate.own_bound()
        confidence = check_confidence(run.certificate, controller, evaluation)
        summary |= {
            "own_bound": own.tolist(),
            "max_own_bound": float(own.max()),
            "cells": len(run.certificate.cell_key),
            "stages": len(run.certificate.stage_key),
            **{name: getattr(confidence, part) for name, part in LEMMA.items()},
        }
    return summary


def summarise_policy(game: Game, given: Mapping[str, Any], budget: int = BUDGET) -> dict[str, Any]:
    """Evaluate a policy exactly; `given` are the arguments of `evaluate`."""
    evaluation = evaluate(game, **given, budget=budget)
    one = "independent" if np.ndim(given["policy"]) == game.effort.ndim else "mixture"
    return {"policy": "joint" if given.get("joint") else one, **_found(game, evaluation)}


def _found(game: Game, evaluation: Evaluation) -> dict[str, Any]:
    """Return what was found, in the game's units and as shares of the range of a return."""
    law = game.initial[game.initial > 0].tolist()
    total, gaps = game.T * game.scale, evaluation.gap_by_initial_state
    markov = len(evaluation.node_value) == game.exists.sum()  # one node for each state
    return {
        "game": game.name,
        "game_digest": game.digest,
        "agents": list(game.agents),
        **{name: getattr(evaluation, name).tolist() for name in EVALUATION},
        **{f"max_{name}": float(getattr(evaluation, name).max()) for name in GAPS},
        "return_range": total,
        "gap_share": (evaluation.gap / total).tolist(),
        "max_gap_share": float(evaluation.gap.max()) / total,
        "deviator": "history" if markov else deviator(game),
        "initial_law": dict(zip(evaluation.initial_states, law, strict=True)),
        "gap_by_initial_state": _named(game, evaluation, gaps),
        "gap_share_by_initial_state": _named(game, evaluation, gaps / total),
        "informed_gap_by_initial_state": _named(
            game, evaluation, evaluation.informed_gap_by_initial_state
        ),
        "nodes": len(evaluation.node_value),
    }


def _named(game: Game, evaluation: Evaluation, values: Floats) -> dict[str, dict[str, float]]:
    """Return values by the names of the initial state and the agent."""
    return {
        state: dict(zip(game.agents, of_agents, strict=True))
        for state, of_agents in zip(evaluation.initial_states, values.tolist(), strict=True)
    }


def deviator(game: Game) -> str:
    """Return what the deviator of the exact best response sees, a key of `DEVIATORS`.

    It sees the states, its own actions and the sum of the others' efforts. That is the whole
    history if there is one other agent, whose actions at each step and state differ in effort.
    Against a Markov policy more would not help it.
    """
    effort = np.sort(game.effort, axis=-1)  # −1 where there is no action
    alike = (np.diff(effort) == 0) & (effort[..., 1:] >= 0)
    return "sums" if game.N > 2 or (game.N == 2 and alike.any()) else "history"


def measures(run: Run) -> dict[str, Any]:
    """Return one row. Measures that do not apply are None; values are averages over agents."""
    summary = summarise(run)
    for name in (f"max_{gap}" for gap in GAPS):
        if abs(summary[name]) <= ROUNDING * run.game.T * run.game.scale:
            summary[name] = 0.0  # a logarithmic axis would show the rounding
    grown = {} if run.certificate is None else growth(run)
    return {
        "episodes": run.episodes,
        "seed": run.seed,
        "exact": all(summary["exact"]),
        **{name: summary.get(name) for name in MEASURES},
        **{name: grown.get(name) for name in GROWTH},
        "relative_gap": summary["max_gap"] / run.game.scale,
        "mean_value": sum(summary["value"]) / run.game.N,
        "mean_return": sum(summary["mean_return"]) / run.game.N,
    }


def evaluate_files(
    files: Sequence[Path], jobs: Sequence[tuple[str, Groups]], output: Path, log: TextIO
) -> None:
    """Write the exact evaluation of the runs of some training jobs as a table, one row a run.

    A job has a name and groups of runs; each group has labels, which come first in its rows.
    """
    rows: list[dict[str, Any]] = []
    reported, total = time.monotonic(), sum(size for _, groups in jobs for _, size in groups)
    for path, (job, groups) in zip(files, jobs, strict=True):
        for row in _evaluations(path, groups):
            rows.append({"job": job, **row})
            if time.monotonic() - reported >= LOG_SECONDS:
                reported = time.monotonic()
                print(f"{len(rows)} of {total} runs evaluated", file=log, flush=True)
    labels = [name for _, groups in jobs for labels, _ in groups for name in labels]
    columns = list(dict.fromkeys(["job", *labels, *rows[0]]))
    text = io.StringIO()
    table = csv.DictWriter(text, columns, lineterminator="\n")
    table.writeheader()
    for row in rows:
        table.writerow({name: "" if value != value else value for name, value in row.items()})
    write_text(output, text.getvalue())


def _evaluations(path: Path, groups: Groups) -> Iterator[dict[str, Any]]:
    """Yield a row for each run in a file."""
    labels = [labels for labels, size in groups for _ in range(size)]
    runs = load_runs(path)
    if len(runs) != len(labels):
        raise FileError(f"{path}: holds {len(runs)} runs, expected {len(labels)}; make it again")
    for first, run in zip(labels, runs, strict=True):
        yield {**first, **measures(run)}


def growth(run: Run) -> dict[str, float]:
    """Return how the lengths of stages L̃_m grow, over all steps and states.

    `ratio` is the geometric mean of L̃_{m+1} / L̃_m, `not_grown` the share of these ratios that are
    not above 1, `visits_stuck` the share of visits in stages of the first length L̃ = T, and `stuck`
    the largest number of such stages at one step and state.
    """
    assert run.certificate is not None
    place, length = run.certificate.stage_key[:, :2], run.certificate.stage_key[:, 3]
    follows = (place[1:] == place[:-1]).all(axis=1)
    ratio = (length[1:] / length[:-1])[follows]
    logs = [math.log(grown) for grown in ratio.tolist()]
    first = place[length == run.game.T]
    stuck = np.unique(first, axis=0, return_counts=True)[1]
    return {
        "ratio": math.exp(math.fsum(logs) / len(logs)) if logs else float("nan"),
        "not_grown": float((ratio <= 1).mean()) if len(ratio) else float("nan"),
        "visits_stuck": len(first) / run.episodes,  # T visits each, of K T in all
        "stuck": float(stuck.max(initial=0)),
    }
