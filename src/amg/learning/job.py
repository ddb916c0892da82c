"""A training job: several runs of one game, made one after another, into one file.

An interrupted job leaves two files beside its output: the runs it has finished, and a checkpoint of
the one it was working on. The same job goes on from there, to the same bytes.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TextIO

import numpy as np

from amg.base.errors import FileError
from amg.base.files import delete_leftovers
from amg.game.model import Game
from amg.learning.checkpoint import checkpoint_path, interval, load_checkpoint, save_checkpoint
from amg.learning.learner import Learner
from amg.learning.parameters import Parameters
from amg.learning.train import advance, new_learner
from amg.process.stopping import Stopped, requests_wait
from amg.results.run import Run
from amg.results.run_file import load_runs, save_runs


class Task(NamedTuple):
    """One run to make."""

    parameters: Parameters
    episodes: int
    seed: int
    record: int


def train_job(
    game: Game,
    tasks: Sequence[Task],
    output: Path,
    report: Callable[[int], None],
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
        Is called with the episodes of all tasks that are done, a few times a second.
    log : text stream
        Gets lines about runs that are kept or go on.
    keep_stale : bool
        Refuse to start beside the checkpoint of another run, instead of deleting it.
    """
    existing = _readable(output)
    earlier = [*existing, *_readable(finished_path(output))]  # of a job that was stopped, perhaps
    finished = {_key(run): run for run in earlier}
    state = _State(output)
    kept = done_before = 0
    for task in tasks:
        learner = new_learner(game, *task)
        run = finished.get(_key(learner))
        if run is not None and _same(run, learner):
            kept += 1
        else:
            _resume(learner, output, log, keep_stale)
            for done in _train(learner, state):
                report(done_before + done)
            run = learner.finish()
        state.runs.append(run)
        done_before += task.episodes
        report(done_before)
    if state.runs != existing:  # also if only their order or number has changed
        save_runs(output, state.runs)
    for path in (checkpoint_path(output), finished_path(output)):
        path.unlink(missing_ok=True)
        delete_leftovers(path)
    if kept:
        print(f"{kept} of {len(tasks)} runs exist already and are kept", file=log)


def finished_path(output: Path) -> Path:
    """Return the path of the runs that an unfinished job has finished."""
    return output.with_name(f"{output.name}.finished")


class _State:
    """What a job has done so far; it is saved beside the output."""

    def __init__(self, output: Path) -> None:
        self.output, self.seconds = output, interval()
        self.runs: list[Run] = []
        self.runs_saved, self.last_save = 0, time.monotonic()

    def save(self, learner: Learner) -> None:
        if len(self.runs) > self.runs_saved:
            save_runs(finished_path(self.output), self.runs)
            self.runs_saved = len(self.runs)
        save_checkpoint(learner, checkpoint_path(self.output))
        self.last_save = time.monotonic()


def _train(learner: Learner, state: _State) -> Iterator[int]:
    """Train one run to its end; yield the episodes done. A request to stop saves the job first."""
    steps = advance(learner)
    next(steps, None)  # one episode; a request to stop need not wait while the kernel is compiled
    with requests_wait() as requests:
        for done in steps:
            yield done
            if requests or time.monotonic() - state.last_save >= state.seconds:
                state.save(learner)
            if requests:
                raise Stopped(requests.pop())


def _readable(path: Path) -> list[Run]:
    """Return the runs of a file; none if it is missing, damaged or of another version."""
    try:
        return load_runs(path) if path.exists() else []
    except FileError:
        return []


def _key(one: Run | Learner) -> str:
    return json.dumps(one.identity, sort_keys=True)


def _same(run: Run, learner: Learner) -> bool:
    """Return whether the run is what the learner would make, from the same sources."""
    same_returns = np.array_equal(run.returns_edge, learner.returns.edge)
    return run.source == learner.source and same_returns


def _resume(learner: Learner, output: Path, log: TextIO, keep_stale: bool) -> None:
    """Put the learner where its checkpoint was saved, if there is one."""
    path = checkpoint_path(output)
    if not path.exists():
        return
    try:
        load_checkpoint(learner, path)
    except FileError as error:
        if keep_stale:
            raise
        print(f"{error}: deleted", file=log)
        path.unlink(missing_ok=True)
    else:
        print(f"{output}: goes on from episode {learner.done:,} of seed {learner.seed}", file=log)
