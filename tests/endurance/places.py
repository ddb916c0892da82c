"""Places in which commands are run and disturbed."""

from __future__ import annotations

from pathlib import Path

import yaml
from commands import Place

SWEEP = """
title: Small
base: { game: fishermen, algorithm: v_learning }
axes:
  bonus: [0, 1]
  episodes: [1e7]
seeds: 1
measure: [max_gap, lemma_holds]
"""
STUDY = {
    "seeds": 2,
    "batch": 2,
    "results": "results/tiny",
    "figures": "results/tiny/figures",
    "experiments": {
        "rewards": {"learners": ["v-cv", "independent-q"], "episodes": [2000]},
        "sample-complexity": {
            "games": ["fishermen"],
            "learners": ["v-cv", "independent-q"],
            "episodes": [2000, 10_000_000],
        },
        "exploration": {"episodes": [500], "vary": {"epsilon": [0, 1]}},
        "agents": {"games": ["fishermen-2", "fishermen-4"], "episodes": [200], "seeds": 2},
        "stall": {"games": ["fishermen-4"], "learners": ["v-real"], "episodes": [200], "seeds": 2},
    },
    "mechanism": {"episodes": 500},
}


def small_sweep(directory: Path, sweep: str = SWEEP, **environment: str) -> Place:
    """A place for a sweep that takes some seconds."""
    place = Place(directory, ["-c2", "--config", "sweep=config/sweeps/small.yaml"], **environment)
    (directory / "config" / "sweeps" / "small.yaml").write_text(sweep, encoding="utf-8")
    return place


def tiny_study(directory: Path, **environment: str) -> Place:
    """A place for the whole study, every table and figure of it, at its smallest."""
    place = Place(directory, ["-c2", "--configfile", "config/tiny.yaml"], **environment)
    (directory / "config" / "tiny.yaml").write_text(yaml.safe_dump(STUDY), encoding="utf-8")
    return place
