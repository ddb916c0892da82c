"""What the smoke study shows: on a terminal of 80 columns, in a log, and when it is run again."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest
from terminal import COLUMNS, in_terminal
from workplace import SMOKE, SNAKEMAKE, Workplace

from amg.claims.evidence import VERDICTS

NOTE = "Using workflow specific profile"  # Snakemake prints it before it knows the console
FIGURES = Path("results/smoke/figures")
PLACES = (f"{FIGURES}/", "results/smoke/claims.md", "snakemake -c all report --configfile")
REMADE = ("mechanism", "agent_rewards")


def own(lines: list[str]) -> list[str]:
    """The lines without Snakemake's note."""
    return [line for line in lines if not line.startswith(NOTE)]


def test_a_screen_shows_phases_and_the_summary(finished: Workplace) -> None:
    screen = finished.screen
    lines = own(screen.lines)
    assert len(lines) <= 60
    assert max(map(len, lines)) <= COLUMNS
    assert max(map(len, own(screen.states))) <= COLUMNS
    for phase in ("compile", "train", "certify", "tables", "figures", "claims"):
        assert sum(line.startswith(f"{phase} ") and " done, " in line for line in lines) == 1
    last = lines[-20:]
    assert any(re.match(r"\d+ claims: \d+ reproduced", line) for line in last)
    assert any(line.startswith("  fishermen ") for line in last)
    assert any(line.startswith("time ") for line in last)
    assert all(any(place in line for line in last) for place in PLACES)


def test_the_live_line_tells_jobs_share_and_time_left(finished: Workplace) -> None:
    shown = " ".join(finished.screen.states)
    jobs = len(pd.read_csv(finished.directory / "results/smoke/tables/timing.csv")) + 2
    assert f"/{jobs} jobs  " in shown
    assert re.search(r"\d% +\d+/\d+ jobs  about \d+ s left  (Train|Compile) ", shown)
    first = next(state for state in finished.screen.states if " jobs  " in state)
    assert "left" not in first  # nothing is known yet


def test_a_rerun_says_that_nothing_is_to_do_and_the_summary(finished: Workplace) -> None:
    done = finished.snakemake("-c2", *SMOKE)
    assert own(done.stderr.splitlines()) == ["Nothing to do: everything is made already."]
    assert re.search(r"^\d+ claims: ", done.stdout, re.M)
    assert done.stdout.count("\n") <= 20
    assert all(place in done.stdout for place in PLACES)


def test_the_claims_alone_are_a_table_of_verdicts(finished: Workplace) -> None:
    done = finished.snakemake("-c2", f"{FIGURES}/claims.json", *SMOKE)
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= COLUMNS
    assert lines[1].split() == ["claim", "verdict"]
    verdicts = [line for line in lines[2:-2] if line.endswith(VERDICTS)]
    assert len(verdicts) == int(lines[-1].split()[0])  # "13 claims: …"


@pytest.fixture
def damaged(copied: Workplace) -> Workplace:
    """A study of which two figures are gone."""
    for name in REMADE:
        (copied.directory / FIGURES / f"{name}.png").unlink()
    return copied


def test_a_log_has_a_line_for_each_job(damaged: Workplace) -> None:
    done = damaged.snakemake("-c2", *SMOKE)
    assert "\x1b" not in done.stderr + done.stdout
    assert "\r" not in done.stderr + done.stdout
    jobs = own(done.stderr.splitlines())
    assert [line.split()[0] for line in jobs] == ["[1/3]", "[2/3]", "[3/3]"]
    assert all(any(f"] Figure {name}: " in line for line in jobs) for name in REMADE)
    # A line for each job, its beginning and the summary: so much for the whole study.
    timing = pd.read_csv(damaged.directory / "results/smoke/tables/timing.csv")
    assert len(timing) + 2 + done.stdout.count("\n") + 1 <= 150


def test_a_job_that_fails_is_named_with_its_error(damaged: Workplace) -> None:
    table = damaged.directory / "results/smoke/tables/mechanism.csv"
    text = table.read_text(encoding="utf-8")
    table.write_text(text.replace("\n0,", "\nzero,", 1), encoding="utf-8")
    code, screen = in_terminal(
        [*SNAKEMAKE, "-c2", "-k", *SMOKE, "--rerun-triggers", "mtime"],
        damaged.directory,
        damaged.variables,
    )
    assert code == 1
    lines = own(screen.lines)
    at = lines.index("failed: Figure mechanism")
    assert lines[at + 1].startswith("  figure: results/smoke/tables/mechanism.csv: line 2, column ")
    assert lines[at + 2] == "  log: results/smoke/logs/figure/mechanism.log"
    assert "Traceback" not in screen.text
    assert "claims:" not in screen.text  # no summary of what is not there


def test_verbose_shows_snakemake_s_own_words(
    finished: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERBOSE", "1")
    done = finished.snakemake("-c2", *SMOKE)
    assert "Building DAG of jobs..." in done.stderr
    assert "Nothing to be done" in done.stderr
    assert "Nothing to do:" not in done.stderr
    assert all(place in done.stdout for place in PLACES)
