"""Returns over episodes: block means over seeds, one run by itself, and the restart of stages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from amg.analysis.intervals import Bootstrap
from amg.run import Run

BLOCKS = 200
BINS = 40  # of a stage, from its beginning to its end
SHORTEST = 400  # stages with fewer episodes are left out of the within-stage profile


def blocks(run: Run, n: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Means of a run's returns over (at most) n blocks: last episode of each, [blocks, N]."""
    length = np.diff(run.returns_edge)[:, None]
    sums = np.vstack([np.zeros(run.game.N), np.cumsum(run.returns * length, axis=0)])
    wanted = np.linspace(0, run.episodes, n + 1)
    at = np.unique(np.searchsorted(run.returns_edge, wanted))  # only where an entry ends
    edge = run.returns_edge[at]
    return edge[1:], np.diff(sums[at], axis=0) / np.diff(edge)[:, None]


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
                "game": labels["game"], "learner": labels["learner"], "agent": agent,
                "episode": episode, "mean": mean, "low": low, "high": high, "seeds": len(runs),
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
        }
    )


def restart_table(runs: Sequence[Run], bootstrap: Bootstrap) -> pd.DataFrame:
    """How returns move within a stage of the first step: mean and spread from beginning to end.

    The paper sees rewards "fluctuate noticeably at the beginning of each stage and then stabilize".
    Stages of the starting state with at least `SHORTEST` episodes are cut into equal bins; spread is
    the standard deviation over the episodes of a bin.
    """
    profiles = [profile for profile in map(_profile, runs) if profile is not None]
    if not profiles:
        return pd.DataFrame(columns=["position", "measure", "mean", "low", "high", "seeds"])
    frames = []
    for j, measure in enumerate(("mean return", "standard deviation")):
        mean, low, high = bootstrap.mean(np.stack([profile[j] for profile in profiles]))
        frames.append(pd.DataFrame({
            "position": (np.arange(BINS) + 0.5) / BINS, "measure": measure,
            "mean": mean, "low": low, "high": high, "seeds": len(profiles),
        }))  # fmt: skip
    return pd.concat(frames, ignore_index=True)


def _profile(run: Run) -> NDArray[np.float64] | None:
    """[2, BINS] mean and standard deviation of the average return within a stage."""
    assert run.certificate is not None
    start = int(np.argmax(run.game.initial))
    single = int((np.diff(run.returns_edge) == 1).sum())
    ends = run.certificate.stage_key[run.certificate.history(0, start), 2]
    average = run.returns[:single].mean(axis=1)
    pieces: list[list[NDArray[np.float64]]] = [[] for _ in range(BINS)]
    for first, last in zip(ends[:-1], ends[1:], strict=True):
        if last - first >= SHORTEST and last <= single:
            for b, piece in enumerate(np.array_split(average[first:last], BINS)):
                pieces[b].append(piece)
    if not pieces[0]:
        return None
    return np.array([[f(np.concatenate(p)) for p in pieces] for f in (np.mean, np.std)])
