"""Checkpoints: an unfinished run, saved beside its output, goes on to the same bits."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from amg import archive
from amg.errors import FileError, ParameterError
from amg.learning.learner import Learner
from amg.learning.seeds import identity
from amg.learning.training import chunks
from amg.run import Run
from amg.stopping import Stopped, requests_wait

KIND, VERSION = "amg-checkpoint", 1
VARIABLE, SECONDS = "AMG_CHECKPOINT_SECONDS", 60.0  # between two checkpoints
LONG = 5.0  # a run of so many seconds is worth keeping until the job that makes it is done


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


def interval() -> float:
    """Seconds between two checkpoints, of the environment if it says so."""
    text = os.environ.get(VARIABLE, str(SECONDS))
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not seconds >= 0:
        raise ParameterError(f"{VARIABLE} = {text!r} is not a number of seconds; unset it")
    return seconds


def train_resumable(learner: Learner, output: Path, progress: Callable[[int], None]) -> Run:
    """Train to the end, with a checkpoint beside `output` every so often.

    An interruption (Ctrl-C, SIGTERM) leaves one behind, and so does the end of a long run; `forget`
    deletes it once the output is safe.
    """
    path, seconds = checkpoint_path(output), interval()
    begun = saved = time.monotonic()
    rest = chunks(learner)
    next(rest, None)  # an episode, before which the kernel may be compiled: no time to wait
    with requests_wait() as asked:
        for done in rest:
            progress(done)
            now, over = time.monotonic(), done == learner.episodes
            if now - saved >= seconds or (over and now - begun >= LONG):
                save_checkpoint(learner, path)
                saved = now
            if asked:
                save_checkpoint(learner, path)
                raise Stopped(asked.pop())
    return learner.finish()


def forget(output: Path) -> None:
    """The output is safe: its checkpoint is no longer needed, nor what is half written of one."""
    path = checkpoint_path(output)
    path.unlink(missing_ok=True)
    archive.clear_leftovers(path)
