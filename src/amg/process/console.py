"""What Snakemake shows while it works: one live line and a line for each phase; in a log, for jobs.

This is a handler of Snakemake's log records, found through the package snakemake_logger_plugin_amg.
Snakemake's own words are kept in .snakemake/log, and shown in place of ours if VERBOSE is set.
"""

import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

from amg.base.errors import AmgError
from amg.base.text import duration
from amg.process.costs import Job, Jobs
from amg.process.terminal import LiveLine, bar

VERBOSE = "VERBOSE"  # in the environment: Snakemake shows its own words
TICK = 0.5  # seconds between two looks of the live line
BAR = 12  # characters
LONGEST = 20  # lines of the log of a failed job that are shown


class LogHandler(LogHandlerBase):
    """Shows jobs as they run and end, errors and warnings, and a summary at the end."""

    def __post_init__(self) -> None:
        """Begin with nothing known; Snakemake calls this first."""
        settings = self.common_settings
        self.dry = bool(settings.dryrun)
        self.mute = bool(self.dry or os.environ.get(VERBOSE) or settings.verbose)
        self.line = LiveLine(sys.stderr)
        self.guard = threading.RLock()
        self.jobs, self.begun = Jobs(), time.monotonic()
        self.messages: dict[int, str] = {}  # of running jobs
        self.early: list[str] = []  # remarks before it is known whether jobs are to be run
        self.cause: str | None = None  # why a job failed, until its log says it better
        self.failures = 0  # of jobs
        self.started = self.failed = self.ended = False
        self.ending: Callable[[float | None], str] | None = None
        self.stopped = threading.Event()
        if self.line.terminal and not self.mute:
            threading.Thread(target=self._tick, daemon=True).start()

    @property
    def writes_to_stream(self) -> bool:
        """Whether this takes the place of Snakemake's own words."""
        return not self.mute

    @property
    def writes_to_file(self) -> bool:
        """Snakemake itself writes its log file."""
        return False

    @property
    def has_filter(self) -> bool:
        """Snakemake's filter heeds --quiet."""
        return False

    @property
    def has_formatter(self) -> bool:
        """Records are shown by their events."""
        return True

    @property
    def needs_rulegraph(self) -> bool:
        """No."""
        return False

    # --- what the workflow tells ------------------------------------------------------------------

    def expect(self, jobs: Mapping[int, Job]) -> None:
        """Tell which jobs will run."""
        with self.guard:
            self.jobs.by_id = dict(jobs)

    def stop(self, message: str) -> None:
        """Say that the command was interrupted, and nothing after that."""
        with self.guard:
            self.line.print(message)
            self.ended = True

    # --- records ----------------------------------------------------------------------------------

    def emit(self, record: logging.LogRecord) -> None:
        """Take note of an event and show what follows from it."""
        with self.guard:
            if self.ended:
                return
            match getattr(record, "event", None):
                case LogEvent.WORKFLOW_STARTED:
                    self.started, self.early = True, []
                    self._draw()
                case LogEvent.RESOURCES_INFO:
                    self.jobs.cores = getattr(record, "cores", self.jobs.cores)
                case LogEvent.JOB_INFO:
                    self._begin(record.__dict__)
                case LogEvent.JOB_FINISHED:
                    self._finish(record.__dict__["job_id"])
                case LogEvent.JOB_ERROR:
                    self._fail(record.__dict__)
                case LogEvent.GROUP_ERROR:
                    self._say(f"failed: the submission of {record.__dict__['groupid']}")
                    self._say("\n".join(f"  log: {log}" for log in record.__dict__["aux_logs"]))
                case LogEvent.ERROR if record.__dict__.get("exception") == "RuleException":
                    self.cause, self.failed = record.getMessage(), True
                case _:
                    self._remark(record)

    def _begin(self, job: Mapping[str, object]) -> None:
        number = job["jobid"]
        assert isinstance(number, int)
        if number in self.jobs.by_id:
            self.jobs.by_id[number].begun = time.monotonic()
            self.messages[number] = str(job["rule_msg"] or job["rule_name"])
            self._draw()

    def _finish(self, number: int) -> None:
        job = self.jobs.by_id.get(number)
        if job is None:
            return
        job.taken = job.run_for()
        message = self.messages.pop(number, "")
        if not self.line.terminal:
            left = self._left("; ")
            done = f"[{len(self.jobs.done)}/{len(self.jobs.by_id)}]"
            self._say(f"{done} {message}: {duration(job.taken)}{left}")
        else:
            self._end_phase(job.phase)
        self._draw()

    def _end_phase(self, name: str) -> None:
        """Print a line when the last job of a phase is done."""
        jobs = [job for job in self.jobs.by_id.values() if job.phase == name]
        if name and all(job.taken is not None for job in jobs):
            work = duration(sum(job.taken or 0.0 for job in jobs))
            self._say(
                f"{name:8}  {len(jobs):3} job{'s' if len(jobs) > 1 else ''} done, {work} of work"
            )

    def _fail(self, job: Mapping[str, object]) -> None:
        """Say which job has failed, and why: what its log ends with, or what Snakemake says."""
        number, rule, logs = job["jobid"], str(job["rule_name"]), job["log"]
        assert isinstance(number, int)
        assert isinstance(logs, list)
        message = self.messages.pop(number, rule)
        why = [line for log in logs for line in tail(Path(log), rule)]
        if not why and self.cause:
            why = self.cause.splitlines()[-1:]
        self.cause = None
        logged = [f"log: {log}" for log in logs]
        self._say("\n  ".join([f"failed: {message}", *why, *logged]))
        self.failures += 1

    def _remark(self, record: logging.LogRecord) -> None:
        """Show warnings and errors, and where no jobs are run everything."""
        text = record.getMessage()
        if record.levelno >= logging.ERROR:
            if self.failures and record.__dict__.get("exception") == "WorkflowError":
                return  # that a job has failed, which was said
            self.failed = True
        if record.levelno >= logging.WARNING:
            self._say(text)
        elif not self.started and text and record.levelno == logging.INFO:
            self.early.append(text)

    # --- the screen -------------------------------------------------------------------------------

    def _say(self, text: str) -> None:
        """Print lines that stay."""
        if text and not self.mute:
            self.line.print(text)

    def _draw(self) -> None:
        """Show how far the work is, what runs and the time left."""
        if self.mute:
            return
        if not self.jobs.by_id:
            self.line.show("finding out what is to be done")
            return
        done, share = f"{len(self.jobs.done)}/{len(self.jobs.by_id)}", self.jobs.share()
        running = ", ".join(self.messages.values())
        self.line.show(f"{bar(share, BAR)} {share:4.0%}  {done} jobs{self._left('  ')}  {running}")

    def _left(self, separator: str) -> str:
        """Return the time left after a separator, or nothing if it is not known."""
        left = self.jobs.left()
        if left is None or len(self.jobs.done) == len(self.jobs.by_id):
            return ""
        return f"{separator}about {duration(rounded(left))} left"

    def _tick(self) -> None:
        """Keep the live line up to date as long as jobs run."""
        while not self.stopped.wait(TICK):
            with self.guard:
                if self.messages and not self.ended:
                    self._draw()

    def close(self) -> None:
        """Say how it ended; Snakemake calls this last, maybe more than once."""
        with self.guard:
            if not self.ended:
                self.ended = True
                self.stopped.set()
                self.line.clear()
                self._end()
        super().close()

    def _end(self) -> None:
        """Print what has not been said yet, and the summary if all is done."""
        self._say("\n".join([*self.early, *([self.cause] if self.cause else [])]))
        done, total = len(self.jobs.done), len(self.jobs.by_id)
        if self.dry or not self.started or done < total or (self.failed and not total):
            return
        if not total:
            self._say("Nothing to do: everything is made already.")
        if self.ending is not None:
            try:
                text = self.ending(time.monotonic() - self.begun if total else None)
                if text:
                    print(f"\n{text}", flush=True)
            except (AmgError, OSError) as error:
                self._say(f"no summary: {error}")


def tail(log: Path, rule: str) -> list[str]:
    """Return what the log of a failed job ends with: its error, or its last lines."""
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    errors = [j for j, line in enumerate(lines) if line.startswith(f"{rule}: ")]
    return lines[errors[-1] if errors else -3 :][-LONGEST:]


def rounded(seconds: float) -> float:
    """Return seconds as exact as an estimate deserves: in steps of 5 s, and of 30 s if many."""
    step = 5 if seconds < 120 else 30
    return max(step, step * round(seconds / step))
