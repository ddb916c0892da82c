"""What a figure of one run calls it.

---
Returns over episodes: block means over seeds, one run by itself, and the restart of stages.

---
The adaptive stage mechanism of one run: the aggregate signal, λ, boundaries and lengths.

---
The confidence lemma over the episodes of one run, and its coverage over all runs.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from amg.evaluation.evaluation import check_confidence, evaluate_controller
from amg.results.evaluate import controller_of
from amg.results.run import Run
from amg.tables.intervals import Bootstrap


def run_label(run: Run) -> str:
    """One line that names the run: algorithm, game, episodes, seed."""
    rule = run.parameters.get("fluctuation")
    algorithm = f"{run.algorithm} ({rule})" if rule else run.algorithm
    return f"{algorithm} on {run.game.name}, K = {run.episodes:,}, seed {run.seed}"


# ===== tables/returns

BLOCKS = 200
BINS = 40  # of a stage, from its beginning to its end
PROFILE = ("mean return", "standard deviation", "standard deviation of an agent")
SHORTEST = 400  # stages with fewer episodes are left out of the within-stage profile


def blocks(run: Run, n: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Means of a run's returns over (at most) n blocks: last episode of each, [blocks, N]."""
    length = np.diff(run.returns_edge)[:, None]
    wanted = np.linspace(0, run.episodes, n + 1)
    at = np.unique(np.searchsorted(run.returns_edge, wanted))  # only where an entry ends
    edge = run.returns_edge[at]
    # each block by itself: of differences of running sums, large early returns take the digits
    sums = np.add.reduceat(run.returns * length, at[:-1], axis=0)
    return edge[1:], sums / np.diff(edge)[:, None]


def returns_table(
    groups: Sequence[tuple[Mapping[str, Any], Sequence[Run]]], bootstrap: Bootstrap
) -> pd.DataFrame:
    """Mean return of all agents, and of each, over blocks of episodes with intervals over seeds.

    A group is the labels of a series and its runs, which differ in their seed.
    """
    frames = []
    for labels, runs in groups:
        episode = blocks(runs[0], BLOCKS)[0]
        means = np.stack([blocks(run, BLOCKS)[1] for run in runs])  # [seeds, blocks, N]
        lines = {"average": means.mean(axis=2)}
        lines |= {agent: means[:, :, i] for i, agent in enumerate(runs[0].game.agents)}
        for agent, values in lines.items():
            mean, low, high = bootstrap.mean(values)
            frames.append(pd.DataFrame({
                "game": labels["game"], "learner": labels["learner"],
                "algorithm": runs[0].algorithm, "agent": agent,
                "episode": episode, "mean": mean, "low": low, "high": high, "seeds": len(runs),
                "level": bootstrap.level,
            }))  # fmt: skip
    return pd.concat(frames, ignore_index=True)


def single_run_table(single: Sequence[Run]) -> pd.DataFrame:
    """Return the first run's returns, episode by episode."""
    run = single[0]
    entries = np.flatnonzero(np.diff(run.returns_edge) == 1)
    return pd.DataFrame(
        {
            "agent": np.repeat(run.game.agents, len(entries)),
            "episode": np.tile(run.returns_edge[entries + 1], run.game.N),
            "return": run.returns[entries].T.ravel(),
        }
    )


def stage_table(single: Sequence[Run]) -> pd.DataFrame:
    """Return the history of stages of the first run."""
    run = single[0]
    assert run.certificate is not None
    key = run.certificate.stage_key
    return pd.DataFrame(
        {
            "step": key[:, 0] + 1,
            "state": [run.game.states[t][s] for t, s in key[:, :2]],
            "episode": key[:, 2],
            "length": key[:, 3],
            "coefficient": run.certificate.stage_coefficient,
            "run": run_label(run),
        }
    )


def restart_table(single: Sequence[Run], bootstrap: Bootstrap) -> pd.DataFrame:
    """How returns move within a stage of the first step: mean and spread from beginning to end.

    The paper sees rewards "fluctuate noticeably at the beginning of each stage and then stabilize".
    Stages of the starting state with at least `SHORTEST` episodes are cut into equal bins; spread
    is the standard deviation over the episodes of a bin, of the agents' average return and of a
    single agent's (the mean over agents).
    """
    profiles = [profile for profile in map(_profile, single) if profile is not None]
    if not profiles:
        return pd.DataFrame()
    frames = []
    for j, measure in enumerate(PROFILE):
        mean, low, high = bootstrap.mean(np.stack([profile[j] for profile in profiles]))
        frames.append(pd.DataFrame({
            "position": (np.arange(BINS) + 0.5) / BINS, "measure": measure,
            "mean": mean, "low": low, "high": high, "seeds": len(profiles),
            "level": bootstrap.level,
        }))  # fmt: skip
    return pd.concat(frames, ignore_index=True)


def _profile(run: Run) -> NDArray[np.float64] | None:
    """[3, BINS] the measures of `PROFILE` within a stage."""
    assert run.certificate is not None
    start = int(np.argmax(run.game.initial))
    single = int((np.diff(run.returns_edge) == 1).sum())
    ends = run.certificate.stage_key[run.certificate.history(0, start), 2]
    unit = run.game.scale  # squares of very small or large pay would leave the doubles
    returns = run.returns[:single] / unit
    pieces: list[list[NDArray[np.float64]]] = [[] for _ in range(BINS)]
    for first, last in itertools.pairwise(ends):
        if last - first >= SHORTEST and last <= single:
            for b, piece in enumerate(np.array_split(returns[first:last], BINS)):
                pieces[b].append(piece)
    if not pieces[0]:
        return None
    bins = [np.concatenate(piece) for piece in pieces]  # [episodes, N] each
    profile = [
        [bin.mean() for bin in bins],
        [bin.mean(axis=1).std() for bin in bins],
        [bin.std(axis=0).mean() for bin in bins],
    ]
    return np.array(profile) * unit


# ===== tables/mechanism


def signal_table(traced: Run) -> pd.DataFrame:
    """The aggregate at every visit to the starting state, and the stage of the visit."""
    assert traced.trace is not None
    t, s = 0, int(np.argmax(traced.game.initial))
    visits = np.flatnonzero(traced.trace.state[:, t] == s)
    return pd.DataFrame(
        {
            "episode": visits + 1,
            "aggregate": traced.trace.aggregate[visits, t],
            "stage": traced.trace.stage[visits, t, s],
        }
    )


def mechanism_table(traced: Run) -> pd.DataFrame:
    """Each completed stage of the starting state: its end, length, fluctuation and λ."""
    assert traced.certificate is not None
    rows = traced.certificate.history(0, int(np.argmax(traced.game.initial)))
    signal = signal_table(traced)
    stages = []
    for m, (episode, length, coefficient) in enumerate(
        zip(
            traced.certificate.stage_key[rows, 2],
            traced.certificate.stage_key[rows, 3],
            traced.certificate.stage_coefficient[rows],
            strict=True,
        )
    ):
        inside = signal[signal["stage"] == m]["aggregate"]
        deviation = inside.std()  # not a number for a single visit
        stages.append({
            "stage": m, "last_episode": episode, "length": length, "coefficient": coefficient,
            "mean": inside.mean(), "deviation": deviation,
            # nothing fluctuates, also where all are idle: 0, as in Algorithm 2
            "cv": deviation / inside.mean() if deviation > 0 else deviation, "run": run_label(traced),
        })  # fmt: skip
    return pd.DataFrame(stages)


# ===== tables/confidence


def confidence_table(largest: Run) -> pd.DataFrame:
    """V̄, U, V and V̲ of the starting state after each of its stages, raw units, per agent."""
    assert largest.certificate is not None
    game, certificate = largest.game, largest.certificate
    controller = controller_of(largest)
    confidence = check_confidence(certificate, controller, evaluate_controller(game, controller))
    rows = certificate.history(0, int(np.argmax(game.initial)))
    floor = game.T * game.reward_range[0]
    bounds = {
        "upper": certificate.stage_v_bar[rows],
        "informed": confidence.informed[rows],
        "value": confidence.value[rows],
        "lower": certificate.stage_v_low[rows],
    }
    episode = certificate.stage_key[rows, 2]
    return pd.concat(
        [
            pd.DataFrame({
                "agent": agent, "bound": name, "episode": episode,
                "value": floor + game.scale * values[:, i], "run": run_label(largest),
            })
            for i, agent in enumerate(game.agents)
            for name, values in bounds.items()
        ],
        ignore_index=True,
    )  # fmt: skip
