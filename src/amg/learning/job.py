"""A training job: several runs of one game, made one after another, into one file.

An interrupted job leaves two files beside its output: the runs it has finished, and a checkpoint of
the one it was working on. The same job goes on from there, to the same bytes.
"""

import json
import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TextIO

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
VARIABLE, SECONDS = "AMG_CHECKPOINT_SECONDS", "60"  # between two checkpoints


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

    Runs that are in it already, made from the same sources, are kept. `report` is called a few
    times a second with the number of episodes done, `log` says which runs are kept or go on. The
    checkpoint of another run is deleted, or refused with an error if `keep_stale` is set.
    """
    existing = _readable(output)
    finished = {_key(run): run for run in [*existing, *_readable(finished_path(output))]}
    state = _State(output)
    kept = done_before = 0
    for task in tasks:
        learner = new_learner(game, *task)
        run = finished.get(_key(learner.run))
        if run is not None and np.array_equal(run.returns_edge, learner.returns.edge):
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


def _key(run: Run) -> str:
    """Return what the numbers of a run depend on, as text."""
    return json.dumps([run.identity, run.source], sort_keys=True)


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
        place = f"episode {learner.done:,} of seed {learner.run.seed}"
        print(f"{output}: goes on from {place}", file=log)


def checkpoint_path(output: Path) -> Path:
    """Return the path of the checkpoint of an output."""
    return output.with_name(f"{output.name}.checkpoint")


def save_checkpoint(learner: Learner, path: Path) -> None:
    """Write the state of a learner, wholly or not at all."""
    run = learner.run
    header = {"kind": KIND, "version": VERSION, "source": run.source, "run": run.identity}
    archive.write(path, header, learner.state())


def load_checkpoint(learner: Learner, path: Path) -> None:
    """Put a new learner where the checkpoint was saved; refuse the checkpoint of another run."""
    header, arrays = archive.read(path, KIND, VERSION, room=archive.LARGEST)
    if header["source"] != learner.run.source:
        raise FileError(f"{path}: was written by other sources; delete it to start this run afresh")
    other_returns = not np.array_equal(arrays.get("returns.edge", ()), learner.returns.edge)
    if header["run"] != learner.run.identity or other_returns:
        raise FileError(f"{path}: belongs to another run; delete it to start this one afresh")
    for name, new in learner.state().items():
        saved = arrays.get(name, np.zeros(0))
        # Records grow, so a saved array may be longer than that of a new learner.
        if saved.dtype != new.dtype or saved[: len(new)].shape != new.shape:
            raise FileError(f"{path}: array {name!r} does not fit; delete it to start afresh")
    learner.resume(arrays)


def interval() -> float:
    """Return the seconds between two checkpoints; the environment may set them."""
    text = os.environ.get(VARIABLE, SECONDS)
    if not re.fullmatch(r"\d+(\.\d*)?", text):
        raise ParameterError(f"{VARIABLE} = {text!r} is not a number of seconds; unset it")
    return float(text)
