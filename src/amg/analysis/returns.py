"""Returns over episodes: block means over seeds, one run by itself, and the restart of stages."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from amg.analysis.intervals import Bootstrap
from amg.analysis.labels import run_label
from amg.run import Run

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


def single_run_table(run: Run) -> pd.DataFrame:
    """One run's returns, episode by episode."""
    single = np.flatnonzero(np.diff(run.returns_edge) == 1)
    return pd.DataFrame(
        {
            "agent": np.repeat(run.game.agents, len(single)),
            "episode": np.tile(run.returns_edge[single + 1], run.game.N),
            "return": run.returns[single].T.ravel(),
        }
    )


def stage_table(run: Run) -> pd.DataFrame:
    """The history of stages of one run."""
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


def restart_table(runs: Sequence[Run], bootstrap: Bootstrap) -> pd.DataFrame:
    """How returns move within a stage of the first step: mean and spread from beginning to end.

    The paper sees rewards "fluctuate noticeably at the beginning of each stage and then stabilize".
    Stages of the starting state with at least `SHORTEST` episodes are cut into equal bins; spread
    is the standard deviation over the episodes of a bin, of the agents' average return and of a
    single agent's (the mean over agents).
    """
    profiles = [profile for profile in map(_profile, runs) if profile is not None]
    if not profiles:
        columns = ["position", "measure", "mean", "low", "high", "seeds", "level"]
        return pd.DataFrame(columns=columns)
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
