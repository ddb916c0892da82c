"""Checkpoints: an unfinished run, saved beside its output, goes on to the same bits."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from amg import archive
from amg.errors import FileError
from amg.learning.learner import Learner
from amg.learning.seeds import identity
from amg.learning.training import chunks
from amg.run import Run

KIND, VERSION = "amg-checkpoint", 1
SECONDS = float(os.environ.get("AMG_CHECKPOINT_SECONDS", 60))  # between two checkpoints
LONG = 5.0  # a run of so many seconds is worth keeping until its output is safe


def checkpoint_path(output: Path) -> Path:
    """Where the checkpoint of an output lives while it is being made."""
    return output.with_name(f"{output.name}.checkpoint")


def save_checkpoint(learner: Learner, path: Path) -> None:
    header = {"kind": KIND, "version": VERSION, "source": learner.source, "run": _what(learner)}
    archive.write(path, header, learner.state())


def load_checkpoint(learner: Learner, path: Path) -> None:
    """Put a fresh learner where the checkpoint left off; refuse one of another run."""
    own = sum(array.nbytes for array in learner.state().values())
    header, arrays = archive.read(path, KIND, VERSION, room=max(archive.ROOM, 2 * own))
    if header.get("source") != learner.source:
        raise FileError(f"{path}: was left by other sources; delete it to start this run afresh")
    if header.get("run") != _what(learner):
        raise FileError(f"{path}: belongs to another run; delete it to start this one afresh")
    try:
        learner.resume(arrays)
    except (FileError, KeyError, ValueError) as error:
        raise FileError(f"{path}: cannot be resumed ({error}); delete it to start afresh") from None


def _what(learner: Learner) -> dict[str, object]:
    what = identity(learner.game, learner.parameters, learner.episodes, learner.seed)
    return {**what, "record": learner.record}


def resume(learner: Learner, output: Path) -> None:
    """Put a fresh learner where it was when the making of `output` was interrupted, if it was."""
    path = checkpoint_path(output)
    if path.exists():
        load_checkpoint(learner, path)


def train_resumable(
    learner: Learner,
    output: Path,
    progress: Callable[[int], None],
    seconds: float = SECONDS,
) -> Run:
    """Train to the end, with a checkpoint beside `output` every so often.

    An interruption (Ctrl-C, SIGTERM) leaves one behind, and so does the end of a long run; `forget`
    deletes it once the output is safe.
    """
    path = checkpoint_path(output)
    begun = saved = time.monotonic()
    try:
        for done in chunks(learner):
            progress(done)
            now, over = time.monotonic(), done == learner.episodes
            if now - saved >= seconds or (over and now - begun >= LONG):
                save_checkpoint(learner, path)
                saved = now
    except KeyboardInterrupt:
        save_checkpoint(learner, path)
        raise
    return learner.finish()


def forget(output: Path) -> None:
    """The output is safe: its checkpoint is no longer needed, nor what is half written of one."""
    path = checkpoint_path(output)
    path.unlink(missing_ok=True)
    archive.clear_leftovers(path)
