"""Checkpoints: an unfinished run, saved beside its output, goes on to the same bits.

---
A training job: several runs of one game, made one after another, into one file.

An interrupted job leaves two files beside its output: the runs it has finished, and a checkpoint of
the one it was working on. The same job goes on from there, to the same bytes.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TextIO

import numpy as np

from amg.base.errors import FileError, ParameterError
from amg.base.files import delete_leftovers
from amg.game.model import Game
from amg.learning.learner import Learner
from amg.learning.parameters import Parameters
from amg.learning.train import advance, new_learner
from amg.process.stopping import Stopped, requests_wait
from amg.results import archive
from amg.results.run import Run
from amg.results.run_file import load_runs, save_runs

KIND, VERSION = "amg-checkpoint", 1
VARIABLE, SECONDS = "AMG_CHECKPOINT_SECONDS", 60.0  # between two checkpoints


def checkpoint_path(output: Path) -> Path:
    """Return the path of the checkpoint of an output."""
    return output.with_name(f"{output.name}.checkpoint")


def finished_path(output: Path) -> Path:
    """Return the path of the runs that an unfinished job has finished."""
    return output.with_name(f"{output.name}.finished")


def save_checkpoint(learner: Learner, path: Path) -> None:
    """Write the state of a learner, wholly or not at all."""
    header = {"kind": KIND, "version": VERSION, "source": learner.source, "run": _run(learner)}
    archive.write(path, header, learner.state())


def load_checkpoint(learner: Learner, path: Path) -> None:
    """Put a new learner where the checkpoint was saved; refuse the checkpoint of another run."""
    own = sum(array.nbytes for array in learner.state().values())
    header, arrays = archive.read(path, KIND, VERSION, room=max(archive.ROOM, 2 * own))
    if header.get("source") != learner.source:
        raise FileError(f"{path}: was written by other sources; delete it to start this run afresh")
    if header.get("run") != _run(learner):
        raise FileError(f"{path}: belongs to another run; delete it to start this one afresh")
    try:
        learner.resume(arrays)
    except (FileError, KeyError, ValueError) as error:
        raise FileError(f"{path}: cannot be resumed ({error}); delete it to start afresh") from None


def delete_checkpoint(output: Path) -> None:
    """Delete the checkpoint of an output, its finished runs and partial files of both."""
    for path in (checkpoint_path(output), finished_path(output)):
        path.unlink(missing_ok=True)
        delete_leftovers(path)


def interval() -> float:
    """Return the seconds between two checkpoints; the environment may set them."""
    text = os.environ.get(VARIABLE, str(SECONDS))
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not seconds >= 0:
        raise ParameterError(f"{VARIABLE} = {text!r} is not a number of seconds; unset it")
    return seconds


def _run(learner: Learner) -> dict[str, object]:
    return {**learner.identity, "record": learner.record}


# ===== learning/job

Report = Callable[[int], None]  # is told the episodes of the job that are done


@dataclass(frozen=True)
class Task:
    """One run to make."""

    parameters: Parameters
    episodes: int
    seed: int
    record: int


def train_job(
    game: Game,
    tasks: Sequence[Task],
    output: Path,
    report: Report,
    log: TextIO,
    *,
    keep_stale: bool = False,
) -> None:
    """Write the runs of all tasks to `output`, in their order.

    Parameters
    ----------
    game, tasks
        What to train.
    output : Path
        The file to write. Runs that are in it already, made from the same sources, are kept.
    report : callable
        Is told how many episodes of all tasks are done, a few times a second.
    log : text stream
        Is told what was kept and where a run goes on.
    keep_stale : bool
        Refuse to start beside the checkpoint of another run, instead of deleting it.
    """
    existing = _readable(output)
    left = [*existing, *_readable(finished_path(output))]  # by an earlier, perhaps stopped, job
    finished = {_key(run.identity): run for run in left}
    progress = _Progress(output, interval())
    runs: list[Run] = []
    kept = before = 0
    for task in tasks:
        learner = new_learner(game, task.parameters, task.episodes, task.seed, task.record)
        run = finished.get(_key(learner.identity))
        if run is not None and _same(run, learner):
            kept += 1
        else:
            learner = _resumed(learner, task, output, log, keep_stale)
            run = _train(learner, runs, progress, partial(_report, report, before))
        runs.append(run)
        before += task.episodes
        report(before)
    if runs != existing:  # also if only their order or number has changed
        save_runs(output, runs)
    delete_checkpoint(output)
    if kept:
        print(f"{kept} of {len(runs)} runs exist already and are kept", file=log)


def _report(report: Report, before: int, done: int) -> None:
    report(before + done)


def _train(learner: Learner, runs: list[Run], progress: _Progress, report: Report) -> Run:
    """Train one run to its end; a request to stop saves everything first."""
    steps = advance(learner)
    next(steps, None)  # one episode, before which the kernel may be compiled: no time to wait
    with requests_wait() as requests:
        for done in steps:
            report(done)
            progress.save_now_and_then(learner, runs)
            if requests:
                progress.save(learner, runs)
                raise Stopped(requests.pop())
    return learner.finish()


class _Progress:
    """Saves the state of a job beside its output."""

    def __init__(self, output: Path, seconds: float) -> None:
        self.output, self.seconds = output, seconds
        self.saved = time.monotonic()
        self.runs = 0  # finished ones that are saved

    def save_now_and_then(self, learner: Learner, runs: list[Run]) -> None:
        if time.monotonic() - self.saved >= self.seconds:
            self.save(learner, runs)
            self.saved = time.monotonic()

    def save(self, learner: Learner, runs: list[Run]) -> None:
        if len(runs) > self.runs:
            save_runs(finished_path(self.output), runs)
            self.runs = len(runs)
        save_checkpoint(learner, checkpoint_path(self.output))


def _readable(path: Path) -> list[Run]:
    """Return the runs of a file; none if it is missing, damaged or of another version."""
    try:
        return load_runs(path) if path.exists() else []
    except FileError:
        return []  # made again


def _key(identity: dict[str, object]) -> str:
    return json.dumps(identity, sort_keys=True)


def _same(run: Run, learner: Learner) -> bool:
    """Return whether the run is what the learner would make, from the same sources."""
    same_returns = np.array_equal(run.returns_edge, learner.returns.edge)
    return run.source == learner.source and same_returns


def _resumed(learner: Learner, task: Task, output: Path, log: TextIO, keep_stale: bool) -> Learner:
    """Return the learner where its checkpoint was saved, or at its beginning."""
    path = checkpoint_path(output)
    if not path.exists():
        return learner
    try:
        load_checkpoint(learner, path)
    except FileError as error:
        if keep_stale:
            raise
        print(f"{error}: deleted", file=log)
        path.unlink(missing_ok=True)
        return new_learner(learner.game, task.parameters, task.episodes, task.seed, task.record)
    print(f"{output}: goes on from episode {learner.done:,} of seed {task.seed}", file=log)
    return learner
