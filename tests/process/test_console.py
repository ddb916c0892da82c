"""What is shown of Snakemake's records, on a terminal and in a log."""

from __future__ import annotations

import io
import logging
from pathlib import Path
from typing import Any

import pytest
from snakemake.settings.types import OutputSettings
from snakemake_interface_logger_plugins.common import LogEvent
from snakemake_interface_logger_plugins.tests import TestLogHandlerBase

from amg.process.console import LogHandler
from amg.process.costs import Job
from amg.process.terminal import LiveLine


class TestPlugin(TestLogHandlerBase):
    """What Snakemake asks of every plugin."""

    __test__ = True

    def get_log_handler_cls(self) -> type[LogHandler]:
        return LogHandler

    def get_log_handler_settings(self) -> None:
        return None


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(params=[Terminal, io.StringIO], ids=["terminal", "log"])
def stream(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("VERBOSE", raising=False)
    return request.param()


def on(stream: io.StringIO, **settings: Any) -> LogHandler:
    """A console that shows everything in this stream."""
    console = LogHandler(OutputSettings(**settings), None)
    console.line = LiveLine(stream)
    return console


def handler(stream: io.StringIO, **settings: Any) -> LogHandler:
    """A console that has seen the beginning of a command with two jobs."""
    console = on(stream, **settings)
    say(console, LogEvent.WORKFLOW_STARTED, "Workflow has started!")
    say(console, LogEvent.RESOURCES_INFO, cores=2)
    console.expect({1: Job("figures", 3.0), 2: Job("figures", 3.0)})
    return console


def say(
    console: LogHandler, event: LogEvent | None = None, text: str = "", level: int = logging.INFO,
    **fields: Any,
) -> None:  # fmt: skip
    record = logging.LogRecord("snakemake", level, "", 0, text, (), None)
    record.__dict__ |= {"event": event, **fields}
    console.handle(record)


def begin(console: LogHandler, number: int) -> None:
    say(console, LogEvent.JOB_INFO, jobid=number, rule_name="figure", rule_msg=f"Figure {number}")


def finish(console: LogHandler, number: int) -> None:
    say(console, LogEvent.JOB_FINISHED, job_id=number)


def fail(console: LogHandler, number: int, *logs: Path) -> None:
    error = {"jobid": number, "rule_name": "figure", "log": [str(log) for log in logs]}
    say(console, LogEvent.JOB_ERROR, level=logging.ERROR, **error)


def kept(stream: io.StringIO) -> list[str]:
    """The lines that are left."""
    lines = stream.getvalue().split("\n")
    return [line.split("\r")[-1].removeprefix("\x1b[K") for line in lines[:-1]]


def test_jobs_and_the_end(stream: io.StringIO, capsys: pytest.CaptureFixture[str]) -> None:
    console = handler(stream)
    console.ending = lambda seconds: f"the summary, {seconds is None}"
    say(console, None, "Building DAG of jobs...")
    begin(console, 1)
    begin(console, 2)
    finish(console, 1)
    finish(console, 2)
    say(console, None, "Elapsed time: 0:00:01")
    console.close()
    console.close()  # the library does so at exit
    if isinstance(stream, Terminal):
        assert kept(stream) == ["figures     2 jobs done, 0 s of work"]
        assert "1/2 jobs" in stream.getvalue()
    else:
        assert kept(stream) == ["[1/2] Figure 1: 0 s; about 5 s left", "[2/2] Figure 2: 0 s"]
    assert capsys.readouterr().out == "\nthe summary, False\n"


def test_nothing_to_do(stream: io.StringIO, capsys: pytest.CaptureFixture[str]) -> None:
    console = handler(stream)
    console.expect({})
    console.ending = lambda seconds: f"the summary, {seconds is None}"
    say(console, None, "Nothing to be done (all requested files are present and up to date).")
    console.close()
    assert kept(stream) == ["Nothing to do: everything is made already."]
    assert capsys.readouterr().out == "\nthe summary, True\n"


@pytest.mark.parametrize(
    ("log", "why"),
    [
        ("10%\nfigure: t.csv: is cut short\n", ["figure: t.csv: is cut short"]),
        ("figure: Traceback\n  File\nZero\n", ["figure: Traceback", "File", "Zero"]),
        ("a\nb\nc\nd\n", ["b", "c", "d"]),
        ("", ["Command died with <Signals.SIGKILL: 9>."]),
    ],
)
def test_a_job_that_fails(
    log: str, why: list[str], stream: io.StringIO, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    """Its error, where the rest is, and no summary."""
    path = tmp_path / "job.log"
    path.write_text(log)
    console = handler(stream)
    console.ending = lambda seconds: "the summary"
    begin(console, 1)
    cause = {"exception": "RuleException", "level": logging.ERROR}
    say(console, LogEvent.ERROR, "RuleException:\nCommand died with <Signals.SIGKILL: 9>.", **cause)
    fail(console, 1, path)
    say(console, None, "Exiting because a job failed.", logging.ERROR)
    last = {"exception": "WorkflowError", "level": logging.ERROR}
    say(console, LogEvent.ERROR, "At least one job did not complete successfully.", **last)
    console.close()
    shown = [line.strip() for line in kept(stream)]
    assert shown == [
        "failed: Figure 1", *why, f"log: {path}", "Exiting because a job failed.",
    ]  # fmt: skip
    assert capsys.readouterr().out == ""


def test_warnings_and_errors_without_a_job(stream: io.StringIO) -> None:
    console = handler(stream)
    console.expect({})
    say(console, None, "files may be lost", logging.WARNING)
    error = {"level": logging.ERROR}
    say(console, LogEvent.ERROR, "No rule to produce x", exception="MissingRuleException", **error)
    say(console, LogEvent.ERROR, "in a params function", exception="RuleException", **error)
    console.close()
    assert kept(stream) == ["files may be lost", "No rule to produce x", "in a params function"]


def test_where_no_jobs_run_everything_is_said(stream: io.StringIO) -> None:
    """`snakemake --unlock`, --lint and --report."""
    console = on(stream)
    say(console, None, "Unlocked working directory.")
    console.close()
    assert kept(stream) == ["Unlocked working directory."]


def test_after_ctrl_c_one_line(stream: io.StringIO) -> None:
    console = handler(stream)
    begin(console, 1)
    console.stop("interrupted: stopping")
    fail(console, 1)
    console.close()
    assert kept(stream) == ["interrupted: stopping"]


def test_verbose_and_dry_runs_are_left_to_snakemake(
    stream: io.StringIO, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VERBOSE", "1")
    for settings in ({}, {"dryrun": True}):
        console = handler(stream, **settings)
        console.ending = lambda seconds: "the summary"
        assert not console.writes_to_stream
        for number in (1, 2):
            begin(console, number)
            finish(console, number)
        console.close()
        assert capsys.readouterr().out == ("" if settings else "\nthe summary\n")
    assert stream.getvalue() == ""


def test_a_summary_that_cannot_be_made_is_one_line(stream: io.StringIO) -> None:
    def fails(seconds: float | None) -> str:
        return Path("/no/such/file").read_text()

    console = handler(stream)
    console.expect({})
    console.ending = fails
    console.close()
    assert kept(stream)[-1].startswith("no summary: ")
