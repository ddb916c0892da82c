"""A training job: runs that differ only in their seed, made one after another in one process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from amg.game import Game
from amg.learning.checkpoint import forget, train_resumable
from amg.learning.parameters import make_parameters
from amg.learning.training import new_learner
from amg.progress import Progress


def train_batch(
    game: Game, spec: Mapping[str, Any], label: str, outputs: Sequence[Path], log: TextIO
) -> None:
    """Make the runs of a batch; finished seeds of an interrupted job are not trained again."""
    parameters = make_parameters(spec["algorithm"], spec["parameters"])
    episodes = spec["episodes"]
    progress = Progress(episodes * len(outputs), label, log)
    for j, (seed, output) in enumerate(zip(spec["seeds"], outputs, strict=True)):
        learner = new_learner(game, parameters, episodes, seed, spec["record"])
        train_resumable(learner, output, partial(_report, progress, j * episodes)).save(output)
    for output in outputs:
        forget(output)
    progress.close(episodes * len(outputs))


def _report(progress: Progress, before: int, done: int) -> None:
    """Episodes of this run, after those of the runs before it."""
    progress(before + done)
