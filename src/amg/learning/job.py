"""A training job: several runs of one game, into one file.

Runs that differ in their seed alone are made together, others one after another. An interrupted job
leaves two files beside its output: the runs it has finished, and a checkpoint of the group it was
working on. The same job goes on from there, to the same bytes.
"""

import json
import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import numpy as np

from amg.base.errors import FileError, ParameterError
from amg.base.files import delete_leftovers
from amg.game.model import Game
from amg.learning.group import Group, most_together, together
from amg.learning.learner import Learner
from amg.learning.parameters import Parameters
from amg.learning.train import advance, new_learner
from amg.process.stopping import Stopped, requests_wait
from amg.results import archive
from amg.results.run import Run
from amg.results.run_file import load_runs, save_runs

KIND, VERSION = "amg-checkpoint", 2
AFRESH = "delete it to start afresh"  # of checkpoints, which nobody else has written
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
    existing = _readable(output, game)
    state = _State(output, [*existing, *_readable(finished_path(output), game)])
    keys: list[str] = []
    done_before = kept = 0
    for _, alike in groupby(tasks, key=lambda task: task._replace(seed=0)):
        learners = [new_learner(game, *task) for task in alike]
        keys += [_key(learner.run) for learner in learners]
        there = sum(map(state.has, learners))
        kept += there
        done_before += there * learners[0].episodes
        learners = [learner for learner in learners if not state.has(learner)]
        while learners:
            size = most_together(learners[0])
            group, learners = together(learners[:size]), learners[size:]
            _resume(group, output, log, keep_stale)
            for done in _train(group, state):
                report(done_before + done * len(group.learners))
            state.add(group.finish())
            done_before += group.episodes * len(group.learners)
        report(done_before)
    runs = [state.runs[key] for key in keys]
    if runs != existing:  # also if only their order or number has changed
        save_runs(output, runs)
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

    def __init__(self, output: Path, runs: Sequence[Run]) -> None:
        self.output, self.seconds = output, interval()
        self.runs = {_key(run): run for run in runs}
        self.new: list[Run] = []  # not saved yet
        self.last_save = time.monotonic()

    def has(self, learner: Learner) -> bool:
        """Return whether this run is there; one with other returns does not count."""
        run = self.runs.get(_key(learner.run))
        return run is not None and np.array_equal(run.returns_edge, learner.returns.edge)

    def add(self, runs: Sequence[Run]) -> None:
        """Keep these runs; refuse more than a file can hold before they fill the memory."""
        self.runs |= {_key(run): run for run in runs}
        self.new += runs
        laws = (run.certificate.cell_law.nbytes for run in self.runs.values() if run.certificate)
        if sum(laws) > archive.LARGEST:
            raise ParameterError(
                f"{self.output}: its runs have more cells than a file can hold, because their "
                f"stages hardly grow; use stage_rule = real, a smaller limit of the fluctuation, "
                f"fewer episodes, or fewer seeds in a job (batch)"
            )

    def save(self, group: Group) -> None:
        if self.new:
            save_runs(finished_path(self.output), list(self.runs.values()))
            self.new = []
        save_checkpoint(group, checkpoint_path(self.output))
        self.last_save = time.monotonic()


def _train(group: Group, state: _State) -> Iterator[int]:
    """Train to the end; yield the episodes done. A request to stop saves the job first."""
    steps = advance(group)
    next(steps, None)  # one episode; a request to stop need not wait while the kernel is compiled
    with requests_wait() as requests:
        for done in steps:
            yield done
            if requests or time.monotonic() - state.last_save >= state.seconds:
                state.save(group)
            if requests:
                raise Stopped(requests.pop())


def _readable(path: Path, game: Game) -> list[Run]:
    """Return a file's runs of this game; none if it is missing, damaged or of another version."""
    try:
        runs = load_runs(path) if path.exists() else []
    except FileError:
        return []
    return [run for run in runs if run.game.digest == game.digest]


def _key(run: Run) -> str:
    """Return what the numbers of a run depend on, as text."""
    return json.dumps([run.identity, run.source], sort_keys=True)


def _resume(group: Group, output: Path, log: TextIO, keep_stale: bool) -> None:
    """Put the group where its checkpoint was saved, if there is one."""
    path = checkpoint_path(output)
    if not path.exists():
        return
    try:
        load_checkpoint(group, path)
    except FileError as error:
        if keep_stale:
            raise
        print(f"{error}: deleted", file=log)
        path.unlink(missing_ok=True)
    else:
        seeds = ", ".join(str(learner.run.seed) for learner in group.learners)
        place = f"episode {group.done:,} of seed{'s' * (len(group.learners) > 1)} {seeds}"
        print(f"{output}: goes on from {place}", file=log)


def checkpoint_path(output: Path) -> Path:
    """Return the path of the checkpoint of an output."""
    return output.with_name(f"{output.name}.checkpoint")


def save_checkpoint(group: Group, path: Path) -> None:
    """Write the state of a group, wholly or not at all."""
    archive.write(path, _header(group), group.state())


def load_checkpoint(group: Group, path: Path) -> None:
    """Put a new group where the checkpoint was saved; refuse the checkpoint of other runs."""
    header, arrays = archive.read(path, KIND, VERSION, archive.LARGEST, AFRESH)
    expected = _header(group)
    if header["source"] != expected["source"]:
        raise FileError(f"{path}: was written by other sources; {AFRESH}")
    state = group.state()
    other_returns = not np.array_equal(arrays.get("0.returns.edge", ()), state["0.returns.edge"])
    if header["runs"] != expected["runs"] or other_returns:
        raise FileError(f"{path}: belongs to other runs; {AFRESH}")
    for name, new in state.items():
        saved = arrays.get(name, np.zeros(0))
        # Records grow, so a saved array may be longer than that of a new learner.
        if saved.dtype != new.dtype or saved[: len(new)].shape != new.shape:
            raise FileError(f"{path}: array {name!r} does not fit; {AFRESH}")
    group.resume(arrays)


def _header(group: Group) -> dict[str, Any]:
    """Return what a checkpoint belongs to."""
    runs = [learner.run for learner in group.learners]
    identities = [run.identity for run in runs]
    return {"kind": KIND, "version": VERSION, "source": runs[0].source, "runs": identities}


def interval() -> float:
    """Return the seconds between two checkpoints; the environment may set them."""
    text = os.environ.get(VARIABLE, SECONDS)
    if not re.fullmatch(r"\d+(\.\d*)?", text):
        raise ParameterError(f"{VARIABLE} = {text!r} is not a number of seconds; unset it")
    return float(text)
