"""Checkpoints: an unfinished run, saved beside its output, goes on to the same bits."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np

from amg.base.errors import FileError, ParameterError
from amg.learning.learner import Learner
from amg.results import archive

KIND, VERSION = "amg-checkpoint", 1
VARIABLE, SECONDS = "AMG_CHECKPOINT_SECONDS", "60"  # between two checkpoints


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
