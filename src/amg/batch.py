"""A training job: several runs, made one after another in one process."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from amg.errors import FileError
from amg.game import Game
from amg.learning.checkpoint import forget, resume, train_resumable
from amg.learning.learner import Learner
from amg.learning.parameters import make_parameters
from amg.learning.training import new_learner
from amg.progress import Progress
from amg.run import load


def train_batch(
    items: Sequence[tuple[Game, Mapping[str, Any]]],
    label: str,
    outputs: Sequence[Path],
    log: TextIO,
) -> None:
    """Make the runs of all items, seed by seed; those that are there already are kept.

    A finished run is there because the job was interrupted, or because others were added to it.
    """
    total = sum(spec["episodes"] * len(spec["seeds"]) for _, spec in items)
    progress, before, kept, rest = Progress(total, label, log), 0, 0, iter(outputs)
    for game, spec in items:
        parameters = make_parameters(spec["algorithm"], spec["parameters"])
        for seed in spec["seeds"]:
            output = next(rest)
            new = partial(new_learner, game, parameters, spec["episodes"], seed, spec["record"])
            if is_made(new(), output):
                kept += 1
            else:
                learner = begun(new, output, log)
                report = partial(_report, progress, before)
                train_resumable(learner, output, report).save(output)
            before += spec["episodes"]
    for output in outputs:
        forget(output)
    progress.close(total)
    if kept:
        print(f"{kept} of {len(outputs)} runs were there already and are kept", file=log)


def begun(new: Callable[[], Learner], output: Path, log: TextIO) -> Learner:
    """A learner where its checkpoint left off, or a new one: a checkpoint of no use is dropped."""
    learner = new()
    try:
        resume(learner, output)
    except FileError as error:
        print(f"{error}: deleted", file=log)
        forget(output)
        return new()
    if learner.done:
        print(f"{output}: goes on from episode {learner.done:,}", file=log)
    return learner


def is_made(learner: Learner, output: Path) -> bool:
    """Whether this file is, whole and from these sources, the run that the learner would make."""
    if not output.exists():
        return False
    try:
        run = load(output)
    except FileError:
        return False  # made anew
    return (
        (run.source, run.algorithm) == (learner.source, learner.parameters.algorithm)
        and run.parameters == learner.parameters.as_dict()
        and (run.episodes, run.seed) == (learner.episodes, learner.seed)
        and run.game.digest == learner.game.digest
        and np.array_equal(run.returns_edge, learner.returns.edge)
    )


def _report(progress: Progress, before: int, done: int) -> None:
    """Episodes of this run, after those of the runs before it."""
    progress(before + done)
