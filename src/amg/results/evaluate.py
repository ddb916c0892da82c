"""The exact evaluation of a policy or a run; what it says as a dict, as text, as a table row."""

from __future__ import annotations

import csv
import io
import math
import textwrap
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np

from amg.base.errors import FileError, ParameterError, PolicyError
from amg.base.files import write_text
from amg.base.text import columns_of_numbers, text_table
from amg.evaluation.best_response import BUDGET
from amg.evaluation.controller import Controller, from_certificate, from_policies
from amg.evaluation.evaluation import (
    Evaluation,
    check_confidence,
    evaluate_controller,
    evaluate_online,
)
from amg.game.model import Game
from amg.results.run import Run
from amg.results.run_file import load_runs

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

RUN = ("algorithm", "parameters", "episodes", "seed", "package", "source")
GAPS = ("gap", "gap_low", "informed_gap")
BEST = ("value", "best_response", "best_response_low", "exact", "histories")
EVALUATION = (*BEST, *GAPS, "mean_gap")
COLUMNS = ("mean_return", "value", "best_response", "gap", "informed_gap", "own_bound")
LEMMA = {  # columns, and fields of Confidence
    "lemma_holds": "holds", "lower_coverage": "lower", "upper_coverage": "upper",
    "bounds_tested": "tested",
}  # fmt: skip
MEASURES = (*(f"max_{gap}" for gap in GAPS), "max_own_bound", *LEMMA, "stages", "cells", "nodes")
GROWTH = ("ratio", "not_grown", "visits_stuck", "stuck")  # of the lengths of stages
ROUNDING = 1e-13  # of all that can be earned: a smaller gap is a rounding error
WIDTH = 99  # characters of a line of text for the terminal
DEVIATORS = {  # what a deviator sees, in words
    "history": "the history",
    "sums": "its own actions, the states and the sum of the others' efforts",
}
LOG_SECONDS = 10.0  # between two reports of progress
Groups = Sequence[tuple[Mapping[str, Any], int]]  # labels of some runs, and how many there are


def evaluate(
    game: Game, policy: ArrayLike | Run, weights: ArrayLike | None = None, *, budget: int = BUDGET
) -> Evaluation:
    """Return what a policy earns, and what each agent could gain by deviating from it.

    Parameters
    ----------
    game : Game
    policy : array [T, S, N, A], array [J, T, S, N, A] or Run
        ``policy[t, s, i, a]`` is the probability that agent i takes action a at step t in state s.
        Of a stack of J such policies one is drawn before the first step and then followed by all
        agents. A run stands for the policy that it learned; its game must be this one. Entries of
        states that a step does not have are ignored, but must be finite.
    weights : array [J], optional
        Probability of each policy of a stack; without it all are equally likely.
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
        If the array is not a policy of this game, the weights do not fit, or the run is of another
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
        return evaluate_controller(game, from_policies(game, policy, weights), budget)
    if weights is not None:
        raise PolicyError("weights go with a stack of policies; a run has none, leave them out")
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
        "game": run.game.name,
        "game_digest": run.game.digest,
        **{name: getattr(run, name) for name in RUN},
        "agents": list(run.game.agents),
        "policy": "greedy" if run.policy is not None else "certified",
        **{name: getattr(evaluation, name).tolist() for name in EVALUATION},
        **{f"max_{name}": float(getattr(evaluation, name).max()) for name in GAPS},
        "deviator": deviator(run.game),
        **_by_initial_state(run.game, evaluation),
        "mean_return": [math.fsum(column) / run.episodes for column in returns.T],
        "nodes": len(evaluation.node_value),
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


def deviator(game: Game) -> str:
    """Return what the deviator of the exact best response sees, a key of `DEVIATORS`.

    It sees the states, its own actions and the sum of the others' efforts. That is the whole
    history if there is one other agent, whose actions at each step and state differ in effort.
    """
    effort = np.sort(game.effort, axis=-1)  # −1 where there is no action
    alike = (np.diff(effort) == 0) & (effort[..., 1:] >= 0)
    return "sums" if game.N > 2 or (game.N == 2 and alike.any()) else "history"


def _by_initial_state(game: Game, evaluation: Evaluation) -> dict[str, Any]:
    """Return ρ and the gaps of each agent by the name of the initial state."""
    states, law = evaluation.initial_states, game.initial[game.initial > 0].tolist()
    gaps = {
        f"{name}_by_initial_state": {
            state: dict(zip(game.agents, of_agents, strict=True))
            for state, of_agents in zip(states, values.tolist(), strict=True)
        }
        for name, values in (
            ("gap", evaluation.gap_by_initial_state),
            ("informed_gap", evaluation.informed_gap_by_initial_state),
        )
    }
    return {"initial_law": dict(zip(states, law, strict=True)), **gaps}


def describe(summary: dict[str, Any]) -> str:
    """Return the summary as text for the terminal, with a table of one row per agent."""
    settings = ", ".join(f"{name}={value}" for name, value in summary["parameters"].items())
    columns = [name for name in COLUMNS if name in summary]
    titles = [name.replace("_", " ") for name in columns]
    titles[titles.index("value")] = f"{summary['policy']} value"
    numbers = columns_of_numbers(list(zip(*(summary[name] for name in columns), strict=True)))
    rows = [[agent, *row] for agent, row in zip(summary["agents"], numbers, strict=True)]
    lines = [
        f"{summary['game']}: {summary['algorithm']}, K = {summary['episodes']:,}, "
        f"seed {summary['seed']} ({settings})",
        "",
        *text_table(["agent", *titles], rows),
        "",
        *_gaps_by_state(summary),
        *_largest_gaps(summary),
    ]
    if "own_bound" in summary:
        lines += [
            *_wrapped(_lemma(summary)),
            f"{summary['stages']} stages, {summary['cells']} cells",
        ]
    return "\n".join(lines)


def _lemma(summary: dict[str, Any]) -> str:
    """Return how often the bounds of the confidence lemma hold, where they say something."""
    if not summary["bounds_tested"]:
        return "confidence lemma: not tested; every V̲ is 0 and every V̄ all that can be earned"
    shares = {"V̲ ≤ V": summary["lower_coverage"], "U ≤ V̄": summary["upper_coverage"]}
    held = [f"{bound} at {share:.2%}" for bound, share in shares.items() if share is not None]
    return (
        f"confidence lemma: {' and '.join(held)} of the nodes where the bound says something "
        f"({summary['bounds_tested']:.2%} of all bounds do)"
    )


def _gaps_by_state(summary: dict[str, Any]) -> list[str]:
    """Return a table of the gap from each initial state and their mean, if there are several."""
    law, gaps = summary["initial_law"], summary["gap_by_initial_state"]
    if len(law) == 1:
        return []
    numbers = columns_of_numbers([*(list(gaps[s].values()) for s in law), summary["mean_gap"]])
    heads = [*([state, f"{p:.6g}"] for state, p in law.items()), ["mean", ""]]
    rows = [[*head, *row] for head, row in zip(heads, numbers, strict=True)]
    bound = "" if all(summary["exact"]) else ", an upper bound"
    return [
        *_wrapped(
            "values and best responses are means over the initial states, each gap is the largest; "
            f"the gap from each initial state{bound}:"
        ),
        "",
        *text_table(["initial state", "probability", *summary["agents"]], rows),
        "",
    ]


def _largest_gaps(summary: dict[str, Any]) -> list[str]:
    """Return the largest gap, what its deviator sees, and the gap of one who may see more."""
    exact = all(summary["exact"])
    where = "agents and initial states" if len(summary["initial_law"]) > 1 else "agents"
    lines = _wrapped(
        f"equilibrium gap ({'exact' if exact else 'upper bound'}; the deviator sees "
        f"{DEVIATORS[summary['deviator']]}), maximum over {where}: {summary['max_gap']:.6g}"
    )
    if not exact:
        lines += _wrapped(
            f"the tree of histories exceeds the budget: the gap lies between "
            f"{summary['max_gap_low']:.6g} and {summary['max_gap']:.6g}"
        )
    if summary["deviator"] == "sums":
        lines += _wrapped(
            f"informed gap (an upper bound for a deviator who sees joint actions), maximum over "
            f"{where}: {summary['max_informed_gap']:.6g}"
        )
    return lines


def _wrapped(text: str) -> list[str]:
    """Return the text as lines for the terminal; 1e-300 stays in one piece."""
    return textwrap.wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False)


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
