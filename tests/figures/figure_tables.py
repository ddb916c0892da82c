"""Small made-up tables with the columns of the real ones, and a command that draws from them."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd

from amg.figures import FIGURES
from amg.tables.tidy import write_table

SEEDS = {"seeds": 20, "level": 0.95}
RUN = "v_learning (cv) on fishermen, K = 4,000, seed 1"
K = [1000, 3162, 10_000, 31_623, 100_000]
LEARNERS = {"v-cv": "v_learning", "v-mad": "v_learning", "v-stage": "v_learning",
            "independent-q": "independent_q"}  # fmt: skip


def small_tables() -> dict[str, pd.DataFrame]:
    """Every table that some figure needs."""
    ends = [2, 4, 7, 12, 20, 33, 54, 88, 140, 220, 340, 520, 790, 1190, 1770, 2600, 3700]
    return {
        "references": _references(),
        "returns": _returns(),
        "exploration": _exploration(),
        "single_run": _single_run(4000),
        "stages": pd.DataFrame([
            {"step": step, "state": state, "episode": end + shift, "length": 2,
             "coefficient": 1.0, "run": RUN}
            for step, state, shift in ((1, "high", 0), (2, "high", 9), (2, "low", 40))
            for end in ends
        ]),
        "restart": _restart(),
        "signal": _signal(1000),
        "mechanism": _mechanism(ends[:14]),
        "confidence": _confidence(ends),
        **_gaps(),
        **_baselines(),
        "coverage": _coverage(("v-cv", "v-mad", "v-stage"), holding=19),
        "control": _coverage(("v-no-bonus",), holding=0),
    }  # fmt: skip


def _with_interval(frame: pd.DataFrame, width: float) -> pd.DataFrame:
    return frame.assign(low=frame["mean"] - width, high=frame["mean"] + width, **SEEDS)


def _references() -> pd.DataFrame:
    values = {"uniform play": 19.625, "team optimum": 20.75, "every CCE": 19.25}
    rows = [{"game": "fishermen", "reference": name, "agent": agent, "value": value}
            for name, value in values.items() for agent in ("average", "fisher 1")]  # fmt: skip
    return pd.DataFrame(rows)


def _returns() -> pd.DataFrame:
    episode = np.arange(20, 4001, 20)
    passed = episode / 4000
    lines = {
        ("v-cv", "v_learning"): 19.3 + 0.3 * np.exp(-12 * passed),
        ("v-mad", "v_learning"): 19.31 + 0.3 * np.exp(-10 * passed),
        ("centralized-q", "centralized_q"): 20.7 - np.exp(-4 * passed),
        ("independent-q", "independent_q"): 19.3 + 0.4 * np.exp(-3 * passed),
    }
    frames = [
        pd.DataFrame({"game": "fishermen", "learner": learner, "algorithm": algorithm,
                      "episodes": 4000, "agent": agent, "episode": episode, "mean": mean})
        for (learner, algorithm), mean in lines.items()
        for agent in ("average", "fisher 1")
    ]  # fmt: skip
    return _with_interval(pd.concat(frames, ignore_index=True), 0.02)


def _exploration() -> pd.DataFrame:
    means = {0.0: (19.7, 19.7, 8.0), 0.1: (19.35, 19.25, 0.0), 1.0: (19.6, 19.25, 0.0)}
    rows = [
        {"game": "fishermen", "learner": "explorer", "epsilon": epsilon, "measure": measure,
         "mean": mean}
        for epsilon, values in means.items()
        for measure, mean in zip(("mean_return", "mean_value", "max_gap"), values, strict=True)
    ]  # fmt: skip
    return _with_interval(pd.DataFrame(rows), 0.05)


def _single_run(episodes: int) -> pd.DataFrame:
    first = np.random.default_rng(1).choice([10.0, 19.0, 28.0], size=episodes)
    return pd.DataFrame({
        "agent": np.repeat(["fisher 1", "fisher 2"], episodes),
        "episode": np.tile(np.arange(1, episodes + 1), 2),
        "return": np.concatenate([first, 38.0 - first]),
    })  # fmt: skip


def _restart() -> pd.DataFrame:
    position = (np.arange(40) + 0.5) / 40
    names = ("mean return", "standard deviation", "standard deviation of an agent")
    frames = [
        pd.DataFrame({"position": position, "measure": name, "mean": scale * (1 - position / 2)})
        for name, scale in zip(names, (20.0, 0.5, 4.0), strict=True)
    ]
    return _with_interval(pd.concat(frames, ignore_index=True), 0.1)


def _signal(episodes: int) -> pd.DataFrame:
    aggregate = np.random.default_rng(2).choice([6.0, 8.0, 10.0], size=episodes)
    return pd.DataFrame({"episode": np.arange(1, episodes + 1), "aggregate": aggregate, "stage": 0})


def _mechanism(ends: list[int]) -> pd.DataFrame:
    stages = np.arange(len(ends))
    return pd.DataFrame({
        "stage": stages, "last_episode": ends, "length": np.diff([0, *ends]),
        "coefficient": 1 - 0.005 * stages, "mean": 8 + 0.1 * stages, "deviation": 1.0,
        "cv": 0.1, "run": RUN,
    })  # fmt: skip


def _confidence(ends: list[int]) -> pd.DataFrame:
    values = {"upper": 36.0, "informed": 25.0, "value": 19.5, "lower": 4.0}
    return pd.DataFrame([
        {"agent": agent, "bound": bound, "episode": end, "run": RUN,
         "value": 19.5 + (value - 19.5) / (1 + j / 4) + shift}
        for agent, shift in (("fisher 1", 0.0), ("fisher 2", 0.2))
        for bound, value in values.items()
        for j, end in enumerate(ends)
    ])  # fmt: skip


def _gaps() -> dict[str, pd.DataFrame]:
    """Gaps, slopes and theory: independent Q's gap is 0 in one game, exact = informed there too."""
    gaps, slopes, theory = [], [], []
    for game in ("fishermen", "inspection"):
        for learner, algorithm in LEARNERS.items():
            learned = algorithm == "v_learning"
            zero = game == "fishermen" and not learned
            informed = 1.4 if game == "inspection" and learned else 1.0
            scales = {"max_gap": 0.0 if zero else 100.0, "max_informed_gap": 100.0 * informed}
            scales |= {"max_own_bound": 3000.0} if learned else {}
            for measure, scale in scales.items():
                key = {"game": game, "learner": learner, "measure": measure}
                gaps += [{**key, "episodes": k, "mean": scale / k**0.5} for k in K]
                theory += [{**key, "episodes": k, "rate": 600 / k**0.5, "constant": scale / 600,
                            "p": 0.05, "mean": scale / k**0.5, "bound": 9000 / k**0.5,
                            "range": 32} for k in K]  # fmt: skip
                if scale > 0:
                    slopes.append({**key, "slope": -0.5, "low": -0.55, "high": -0.45,
                                   "from": K[0], "to": K[-1], "chi2": 2.0, "freedom": 3,
                                   "p_value": 0.5, "level": 0.95})  # fmt: skip
    frame = pd.DataFrame(gaps)
    frame = frame.assign(low=0.9 * frame["mean"], high=1.1 * frame["mean"], **SEEDS)
    return {"gaps": frame, "slopes": pd.DataFrame(slopes), "theory": pd.DataFrame(theory)}


def _baselines() -> dict[str, pd.DataFrame]:
    """Gaps of earlier V-learning, of one only between bounds, and of a known model."""
    scales = {"v-cv": 100, "v-stage": 110, "v-incremental": 300, "v-stage-exponential": 250,
              "v-incremental-tsallis": 60}  # fmt: skip
    gaps = _with_interval(pd.DataFrame([
        {"game": game, "learner": learner, "episodes": k, "measure": measure, "mean": mean}
        for game in ("fishermen", "congestion") for learner, scale in scales.items() for k in K
        for measure, mean in {
            "max_gap": scale / k**0.5,
            "max_gap_low": (0.5 if learner == "v-incremental" else 1.0) * scale / k**0.5,
        }.items()
    ]), 0.01)  # fmt: skip
    known = gaps[gaps["learner"] == "v-cv"].assign(learner="known-model", seeds=1)
    return {"baselines": gaps, "floor": known.assign(mean=known["mean"] / 50)}


def _coverage(learners: tuple[str, ...], holding: int) -> pd.DataFrame:
    """How often the lemma holds; at the least K no bound says anything."""
    return pd.DataFrame([
        {"game": game, "learner": learner, "episodes": k, "lower": 1.0, "upper": 0.97,
         "tested": 0.5 if k > min(K) else 0.0, "runs": 20, "runs_tested": 20 if k > min(K) else 0,
         "runs_holding": holding if k > min(K) else 0, "stages": 9.0}
        for game in ("fishermen", "inspection") for learner in learners for k in K
    ])  # fmt: skip


def write_tables(directory: Path) -> dict[str, Path]:
    """The tables as files."""
    paths = {name: directory / f"{name}.csv" for name in small_tables()}
    for name, table in small_tables().items():
        write_table(table, paths[name])
    return paths


if __name__ == "__main__":  # draw every figure into a directory
    target = Path(sys.argv[1])
    tables = write_tables(target / "tables")
    for name, figure in FIGURES.items():
        figure.make(tables, target / name)
