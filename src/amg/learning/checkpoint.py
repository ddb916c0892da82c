"""Checkpoints: an unfinished run, saved beside its output, goes on to the same bits."""

from __future__ import annotations

import os
from pathlib import Path

from amg.base.errors import FileError, ParameterError
from amg.learning.learner import Learner
from amg.results import archive

KIND, VERSION = "amg-checkpoint", 1
VARIABLE, SECONDS = "AMG_CHECKPOINT_SECONDS", 60.0  # between two checkpoints


def checkpoint_path(output: Path) -> Path:
    """Return the path of the checkpoint of an output."""
    return output.with_name(f"{output.name}.checkpoint")


def save_checkpoint(learner: Learner, path: Path) -> None:
    """Write the state of a learner, wholly or not at all."""
    run = {**learner.identity, "record": learner.record}
    header = {"kind": KIND, "version": VERSION, "source": learner.source, "run": run}
    archive.write(path, header, learner.state())


def load_checkpoint(learner: Learner, path: Path) -> None:
    """Put a new learner where the checkpoint was saved; refuse the checkpoint of another run."""
    header, arrays = archive.read(path, KIND, VERSION, room=archive.LARGEST)
    if header["source"] != learner.source:
        raise FileError(f"{path}: was written by other sources; delete it to start this run afresh")
    if header["run"] != {**learner.identity, "record": learner.record}:
        raise FileError(f"{path}: belongs to another run; delete it to start this one afresh")
    try:
        learner.resume(arrays)
    except FileError as error:
        raise FileError(f"{path}: cannot be resumed: {error}; delete it to start afresh") from None


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
