"""Returns over episodes: block means over seeds, one run by itself, and the restart of stages."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from amg.results.run import Run
from amg.tables.intervals import Intervals

BLOCKS = 200
LATE = 10  # the last tenth of the episodes is what an agent earns in the end
BINS = 40  # of a stage, from its beginning to its end
PROFILE = ("mean return", "standard deviation", "standard deviation of an agent")
SHORTEST = 400  # episodes of the stages that the profile within a stage uses


def returns_table(
    runs: Sequence[tuple[Mapping[str, Any], Sequence[Run]]], intervals: Intervals
) -> pd.DataFrame:
    """Return the return over blocks of episodes, of each agent and on average.

    `runs` holds the labels of each series and its runs, which differ only in their seed.
    """
    frames = []
    for labels, own in runs:
        episode = blocks(own[0], BLOCKS)[0]
        means = np.stack([blocks(run, BLOCKS)[1] for run in own])  # [seeds, blocks, N]
        curves = {"average": means.mean(axis=2)}
        curves |= {agent: means[:, :, i] for i, agent in enumerate(own[0].game.agents)}
        for agent, values in curves.items():
            frames.append(pd.DataFrame({
                "game": labels["game"], "learner": labels["learner"],
                "algorithm": own[0].algorithm, "episodes": own[0].episodes, "agent": agent,
                "episode": episode,
                **intervals.summary(values),
            }))  # fmt: skip
    return pd.concat(frames, ignore_index=True)


def late_returns_table(
    runs: Sequence[tuple[Mapping[str, Any], Sequence[Run]]], intervals: Intervals
) -> pd.DataFrame:
    """Return the mean return over the last tenth of the episodes, of each agent and on average."""
    rows = []
    for labels, own in runs:
        means = np.stack([blocks(run, LATE)[1][-1] for run in own])  # [seeds, N]
        values = {"average": means.mean(axis=1)}
        values |= {agent: means[:, i] for i, agent in enumerate(own[0].game.agents)}
        names = {"game": labels["game"], "learner": labels["learner"]}
        rows += [
            {**names, "episodes": own[0].episodes, "agent": agent, **intervals.summary(of_agent)}
            for agent, of_agent in values.items()
        ]
    return pd.DataFrame(rows)


def blocks(run: Run, n: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the last episodes of (at most) n blocks, and the mean returns in them [blocks, N]."""
    length = np.diff(run.returns_edge)[:, None]
    wanted = np.linspace(0, run.episodes, n + 1)
    at = np.unique(np.searchsorted(run.returns_edge, wanted))  # only where an entry ends
    edge = run.returns_edge[at]
    # sum each block by itself: differences of running sums lose digits to large early returns
    sums = np.add.reduceat(run.returns * length, at[:-1], axis=0)
    return edge[1:], sums / np.diff(edge)[:, None]


def single_run_table(single: Sequence[Run]) -> pd.DataFrame:
    """Return the returns of the first run, episode by episode."""
    run = single[0]
    entries = np.flatnonzero(np.diff(run.returns_edge) == 1)
    return pd.DataFrame(
        {
            "agent": np.repeat(run.game.agents, len(entries)),
            "episode": np.tile(run.returns_edge[entries + 1], run.game.N),
            "return": run.returns[entries].T.ravel(),
        }
    )


def restart_table(single: Sequence[Run], intervals: Intervals) -> pd.DataFrame:
    """Return mean and spread of the returns within a stage of the first step.

    The paper sees rewards "fluctuate noticeably at the beginning of each stage and then stabilize".
    Stages of the starting state with at least `SHORTEST` episodes are cut into equal bins. Spread
    is the standard deviation over the episodes of a bin, of the agents' average return and of a
    single agent's (the mean over agents).
    """
    profiles = [profile for profile in map(_profile, single) if profile is not None]
    if not profiles:
        return pd.DataFrame()
    position = (np.arange(BINS) + 0.5) / BINS
    summaries = (intervals.summary(values) for values in np.stack(profiles, axis=1))
    return pd.concat(
        [
            pd.DataFrame({"position": position, "measure": measure, **summary})
            for measure, summary in zip(PROFILE, summaries, strict=True)
        ],
        ignore_index=True,
    )


def _profile(run: Run) -> NDArray[np.float64] | None:
    """Return [3, BINS]: the measures of `PROFILE` within a stage; None without a long stage."""
    assert run.certificate is not None
    start = int(np.argmax(run.game.initial))
    recorded = int((np.diff(run.returns_edge) == 1).sum())  # episode by episode
    ends = run.certificate.stage_key[run.certificate.history(0, start), 2]
    returns = run.returns[:recorded] / run.game.scale  # so that squares stay within the doubles
    stages = [
        np.array_split(returns[first:last], BINS)
        for first, last in pairwise(ends)
        if last - first >= SHORTEST and last <= recorded
    ]
    if not stages:
        return None
    bins = [np.concatenate(pieces) for pieces in zip(*stages, strict=True)]  # [episodes, N] each
    profile = [
        [bin.mean() for bin in bins],
        [bin.mean(axis=1).std() for bin in bins],
        [bin.std(axis=0).mean() for bin in bins],
    ]
    return np.array(profile) * run.game.scale
