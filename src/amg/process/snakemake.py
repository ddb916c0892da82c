"""One Snakemake command: its config, its lock on the results, and its answer to Ctrl-C.

Snakemake's own lock outlives a killed command and then refuses the same command. So our profiles
turn it off (nolock), and a lock of the operating system takes its place: it ends with its process.
"""

import fcntl
import logging
import os
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import IO, Any
from urllib.parse import quote

import psutil

from amg.base.errors import FileError
from amg.base.files import write_bytes
from amg.process.console import LogHandler
from amg.process.costs import expected
from amg.process.job import COMMAND

LOCKS = Path(".snakemake/commands")
NO_DEPLOYMENT = (
    "Snakemake cannot make this workflow's environment; make it with `make env` or from "
    "environment.yml, run Snakemake in it, and leave out --sdm"
)
ROOM = 1 << 18  # bytes of a file that shows whether Snakemake's directory can be written

_consoles: list[LogHandler] = []  # what this command shows; none without our profiles
_locks: list[IO[str]] = []  # held as long as this process lives


def config_sources(
    workflow: Any, config: Mapping[str, Any], root: Path, path: Path
) -> dict[str, Any]:
    """Return the arguments of `read_config` for this workflow; its config is at `path` in `root`.

    As the main workflow: its config, over it the one of the working directory (such as .test) if
    there is one, each --configfile and --config (--replace-workflow-config leaves out the first
    two). As a module: its config and the `config:` of the module.
    """
    if not workflow.modifier.is_main_snakefile():
        return {"files": [root / path], "given": config}
    settings = workflow.config_settings
    shipped = dict.fromkeys([root / path, path] if path.exists() else [root / path])
    first = [] if settings.replace_workflow_config else list(shipped)
    workflow.configfiles.extend(first)  # so that Snakemake's report has it
    files = [*first, *map(Path, workflow.overwrite_configfiles)]
    return {"files": files, "settings": settings.config_args or []}


def begin(workflow: Any) -> None:
    """Prepare this process: its jobs end with it, Ctrl-C is one line, and so is a full disk.

    Snakemake cannot make the environment (--sdm): our rules import the package when it reads them.
    """
    os.environ[COMMAND] = str(os.getpid())
    if not workflow.is_main_process:
        return
    handlers = workflow.logger_manager.get_log_handlers()
    _consoles[:] = [handler for handler in handlers if isinstance(handler, LogHandler)]
    if methods := workflow.deployment_settings.deployment_method:
        sys.exit(f"error: --sdm {' '.join(sorted(map(str, methods)))}: {NO_DEPLOYMENT}")
    if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:  # ignored in a background script
        signal.signal(signal.SIGINT, _interrupt)
    logging.raiseExceptions = False  # no traceback for a log that cannot be written
    try:
        write_bytes(LOCKS / "probe", bytes(ROOM))
    except FileError as error:
        sys.exit(f"error: {error}")


def announce(workflow: Any, estimates: Mapping[str, float]) -> None:
    """Tell the console which jobs will run; `estimates` are their seconds, by benchmark file."""
    dag = workflow.dag
    jobs = {dag.jobid(job): job for job in dag.needrun_jobs() if not job.is_norun}
    for console in _consoles:
        console.expect(
            {
                number: expected(job.rule.name, str(job.benchmark), estimates)
                for number, job in jobs.items()
            }
        )


def end_with(workflow: Any, ending: Callable[[list[str], float | None], str]) -> None:
    """Let the console print a text when all is made: of the targets and the seconds it took."""
    for console in _consoles:
        if workflow.modifier.is_main_snakefile():
            console.ending = lambda seconds: ending([*workflow.dag_settings.targets], seconds)


def claim(results: str) -> None:
    """Lock the results for this command before any job starts, or exit."""
    file = (LOCKS / f"{quote(results, safe='')}.lock").open("a+", encoding="utf-8")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        sys.exit(
            f"error: {results}: another command works here (process {file.read().strip()}); wait "
            f"until it has finished, or stop it first"
        )
    except OSError:
        pass  # not every file system has locks
    file.truncate(0)
    print(os.getpid(), file=file, flush=True)
    _locks.append(file)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Answer Ctrl-C: ask the jobs to stop, in one line; a second Ctrl-C stops at once.

    Jobs do not receive Ctrl-C (see the shell prefix in common.smk): while Python starts, it would
    answer with a traceback.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    message = "interrupted: stopping; the same command goes on from here"
    for console in _consoles:
        console.stop(message)
    if not _consoles:
        print(f"\n{message}", file=sys.stderr)
    logging.disable()  # Snakemake would report each job that is stopped
    sys.excepthook = lambda *_: None
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):  # it has ended meanwhile
            if not process.children():
                process.terminate()
    raise KeyboardInterrupt
