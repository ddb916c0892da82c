"""The smoke study end to end, in a scratch directory."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from crate_profile import issues
from terminal import COLUMNS, in_terminal
from workplace import ROOT, SNAKEMAKE, Workplace
from workplace import SMOKE as CONFIG

from amg.base.errors import FileError
from amg.claims.evidence import VERDICTS
from amg.claims.judgement import read_judged
from amg.cli.main import main as amg
from amg.report.crate import write_crate
from amg.report.page import digest_of
from amg.results.crate_file import METADATA, write
from amg.results.run_file import load_runs

SMOKE = "results/smoke"
FIGURES = (
    "mechanism",
    "agent_rewards",
    "average_reward",
    "three_algorithms",
    "sample_complexity",
    "baselines",
    "confidence",
)


def test_everything_is_made(finished: Workplace) -> None:
    for name in FIGURES:
        for suffix in ("pdf", "png", "csv"):
            path = finished.directory / SMOKE / "figures" / f"{name}.{suffix}"
            assert path.stat().st_size > 500, path
    gaps = pd.read_csv(finished.directory / SMOKE / "tables" / "gaps.csv")
    assert set(gaps["game"]) == {"fishermen", "inspection"}
    chain = gaps.pivot_table(
        index=["game", "learner", "episodes"], columns="measure", values="mean"
    )
    learned = chain.dropna(subset=["max_own_bound"])
    assert (learned["max_gap"] <= learned["max_informed_gap"] + 1e-9).all()
    assert (learned["max_informed_gap"] <= learned["max_own_bound"] + 1e-9).all()


def test_every_job_leaves_a_log_and_a_benchmark(finished: Workplace) -> None:
    timing = pd.read_csv(finished.directory / SMOKE / "tables" / "timing.csv")
    assert set(timing["kind"]) == {
        *("compile", "train", "trace", "certify", "table", "figure", "experiment", "claims")
    }
    assert (timing["seconds"] > 0).all()
    for job in timing.itertuples():
        assert (finished.directory / SMOKE / "logs" / job.kind / f"{job.job}.log").exists()


def test_snakemake_makes_its_report(finished: Workplace, tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    finished.snakemake("--configfile", "config/smoke.yaml", "--report", str(report))
    text = report.read_text(encoding="utf-8")
    assert all(f"{SMOKE}/figures/{name}.png" in text for name in FIGURES)


def test_where_it_ran_stands_beside_the_results(finished: Workplace) -> None:
    path = finished.directory / SMOKE / "provenance.json"
    found = json.loads(path.read_text(encoding="utf-8"))
    assert {"package", "git", "python", "libraries", "machine", "date"} == found.keys()
    files = (finished.directory / SMOKE / "runs").rglob("*.npz")
    sources = {run.algorithm: run.source for file in files for run in load_runs(file)}
    assert sources["centralized_q"] == sources["independent_q"] != sources["v_learning"]


def test_a_second_run_does_nothing(finished: Workplace) -> None:
    assert finished.planned() == {}


def test_an_experiment_of_ones_own_has_a_table_and_a_figure(copied: Workplace) -> None:
    """Its runs are there already, so that it needs no training."""
    mine = {"games": ["fishermen", "inspection"], "learners": ["v-cv", "v-stage"],
            "episodes": [1000, 10000]}  # fmt: skip
    copied.edit("config/smoke.yaml", lambda c: c["experiments"].update(mine=mine))
    jobs = copied.planned()
    assert jobs["experiment"] == {"mine"}
    assert not {"train", "certify", "figure"} & jobs.keys()
    stem = f"{SMOKE}/figures/experiments/mine"
    copied.snakemake("-c2", f"{stem}.png", "--configfile", "config/smoke.yaml")
    table = pd.read_csv(copied.directory / SMOKE / "tables/experiments/mine.csv")
    gaps = pd.read_csv(copied.directory / SMOKE / "tables/gaps.csv")
    both = table.merge(gaps, how="left", indicator=True)
    assert len(both) == len(table) == 2 * 2 * 2 * len(set(table["measure"]))
    assert set(both["_merge"]) == {"both"}
    drawn = pd.read_csv(copied.directory / f"{stem}.csv")
    wanted = table[table["measure"] == "max_gap"]
    assert drawn["y"].tolist() == wanted["mean"].tolist()
    assert set(drawn["series"]) == {"Algorithm 1 (CV)", "fixed stages"}
    for suffix in ("pdf", "png", "md"):
        assert (copied.directory / f"{stem}.{suffix}").stat().st_size > 200


def test_a_changed_parameter_reruns_what_depends_on_it(copied: Workplace) -> None:
    copied.edit(
        "config/config.yaml", lambda c: c["learners"]["explorer"].update(rate_rule="constant")
    )
    jobs = copied.planned()
    assert jobs["train"] == {"fishermen/explorer/seeds-1-3"}
    assert jobs["certify"] == {"fishermen"}
    own = {"baselines", "control", "floor", "sample-complexity", "stall"}  # of fishermen, too
    assert jobs["table"] == {"exploration", *own}
    assert jobs["figure"] == {"three_algorithms", "sample_complexity", "baselines", "confidence"}


@pytest.mark.parametrize(
    ("module", "old", "new", "some", "none"),
    [
        ("figures/mechanism.py", "4", "5", {"figure": {"mechanism"}}, {"train", "table"}),
        (
            "tables/gaps.py",
            "1e-9",
            "1e-8",
            {"table": {"sample-complexity", "agents"}},
            {"train", "certify"},
        ),
        (
            "learning/q_learning.py",
            "- q[t, s, l, o]) +",
            "- q[t, s, l, o]) + 0.0 +",
            {"train": {"fishermen/centralized-q/seeds-1-3", "fishermen/explorer/seeds-1-3"}},
            {"trace"},
        ),
        (
            "learning/tsallis.py",
            "p = 1.0 +",
            "p = 1.5 +",
            {"train": {"fishermen/v-cv/seeds-1-3", "inspection/v-stage/seeds-1-3"}},
            set(),
        ),
    ],
)
def test_a_changed_meaning_reruns_what_uses_it(
    copied: Workplace, module: str, old: str, new: str, some: dict[str, set[str]], none: set[str]
) -> None:
    path = copied.source / "amg" / module
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    jobs = copied.planned()
    for rule, names in some.items():
        assert names <= jobs[rule]
    assert not none & jobs.keys()
    if module == "learning/tsallis.py":
        assert not any("-q/" in name for name in jobs["train"])


def test_a_changed_comment_or_docstring_reruns_nothing(copied: Workplace) -> None:
    for path in copied.source.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        changed = re.sub(r'\A"""', '"""Edited. ', text)
        path.write_text(f"{changed}\n# A comment.\n", encoding="utf-8")
    assert copied.planned() == {}


@pytest.mark.slow
def test_batches_and_cores_change_no_byte(finished: Workplace, workplace: Workplace) -> None:
    """From runs to figures; tests/endurance has a sweep on one core, and the whole study."""
    patterns = ("tables/[!t]*.csv", "*.png", "*.pdf")
    workplace.edit("config/smoke.yaml", lambda c: c.update(batch=2))
    target = f"{SMOKE}/figures/sample_complexity.png"
    workplace.snakemake("-c1", target, "--configfile", "config/smoke.yaml")
    mine, theirs = workplace.digests(*patterns), finished.digests(*patterns)
    assert {Path(name).suffix for name in mine} == {".csv", ".png", ".pdf"}
    assert mine.items() <= theirs.items()


# --- the study as a crate -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def project(finished: Workplace, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished workplace with the rest of the project, and the crate of its study."""
    copy = tmp_path_factory.mktemp("crate") / "project"
    ignored = shutil.ignore_patterns("__pycache__", ".snakemake")
    shutil.copytree(finished.directory, copy, symlinks=True, ignore=ignored)
    for name in ("CITATION.cff", "LICENSE", "README.md", "pyproject.toml"):
        shutil.copy2(ROOT / name, copy / name)
    write_crate(copy, SMOKE)
    return copy


@pytest.fixture(scope="module")
def graph(project: Path) -> dict[str, Any]:
    """The entities of the crate's metadata by their names."""
    with zipfile.ZipFile(project / SMOKE / "crate.zip") as crate:
        return {one["@id"]: one for one in json.loads(crate.read(METADATA))["@graph"]}


def test_every_result_is_in_the_crate(project: Path, graph: dict[str, Any]) -> None:
    apart = {"logs", "benchmarks", "compiled", "crate.zip"}
    made = {
        path.relative_to(project).as_posix()
        for path in (project / SMOKE).rglob("*")
        if path.is_file() and path.relative_to(project / SMOKE).parts[0] not in apart
    }
    described = {name for name, one in graph.items() if "File" in one["@type"]}
    assert made == {name for name in described if name.startswith("results/")}
    assert {"Snakefile", "LICENSE", "src/amg/__init__.py", "config/claims.yaml"} <= described
    facts = {f"{SMOKE}/{name}" for name in ("config.yaml", "provenance.json", "tables/timing.csv")}
    assert {one["@id"] for one in graph["#run"]["result"]} == made - facts


def test_the_crate_conforms_to_its_profile(project: Path, tmp_path: Path) -> None:
    crate = project / SMOKE / "crate.zip"
    assert issues(crate, tmp_path) == []
    shutil.unpack_archive(crate, tmp_path / "spoilt")
    metadata = tmp_path / "spoilt" / METADATA
    text = metadata.read_text(encoding="utf-8")
    metadata.write_text(text.replace('"ComputationalWorkflow",', ""), encoding="utf-8")
    assert any("ComputationalWorkflow" in issue for issue in issues(tmp_path / "spoilt", tmp_path))


def test_the_crate_has_the_same_bytes_each_time(project: Path) -> None:
    before = (project / SMOKE / "crate.zip").read_bytes()
    assert write_crate(project, SMOKE).read_bytes() == before


def test_a_reader_finds_what_a_number_was_made_from(project: Path, graph: dict[str, Any]) -> None:
    """From the digest that the claims page prints, to the table, to the runs."""
    digest = digest_of(project / SMOKE / "tables" / "gaps.csv")
    (table,) = [name for name, one in graph.items() if one.get("sha256", "").startswith(digest)]
    makers = {
        one["@id"]: action
        for action in graph.values()
        if action["@type"] == "CreateAction" and action["@id"] != "#run"
        for one in listed(action["result"])
    }
    assert table == f"{SMOKE}/tables/gaps.csv"
    evaluations = {one["@id"] for one in listed(makers[table]["object"])}
    assert f"{SMOKE}/evaluations/inspection.csv" in evaluations
    runs = listed(makers[f"{SMOKE}/evaluations/inspection.csv"]["object"])
    assert {"@id": f"{SMOKE}/runs/inspection/v-cv/seeds-1-3.npz"} in runs
    assert all(graph[one["@id"]]["sha256"] for one in runs)


def test_every_claim_and_its_verdict_are_in_the_crate(project: Path, graph: dict[str, Any]) -> None:
    claims = read_judged(project / SMOKE / "figures" / "claims.json").claims
    assert len(claims) == sum(one["@type"] == "Claim" for one in graph.values())
    for claim in claims:
        review = graph[f"#verdict-{claim.id}"]
        assert review["itemReviewed"] == {"@id": f"#claim-{claim.id}"}
        assert graph[review["reviewRating"]["@id"]]["alternateName"] == claim.verdict
        assert claim.result in review["reviewBody"]
        assert review["isBasedOn"]["@id"] == f"{SMOKE}/tables/{claim.table}.csv"


def test_references_in_the_crate_lead_somewhere(graph: dict[str, Any]) -> None:
    for one in graph.values():
        for value in one.values():
            for part in listed(value):
                if isinstance(part, dict) and not part["@id"].startswith("https://"):
                    assert part["@id"] in graph, one["@id"]


def test_the_crate_is_verified(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    crate = project / SMOKE / "crate.zip"
    assert amg(["verify", str(crate)]) == 0
    page, errors = capsys.readouterr()
    assert re.match(rf"{re.escape(str(crate))}: ([\d,]+) of \1 files have the recorded", page)
    assert " ok" in page
    assert not errors


def test_what_was_changed_in_a_crate_is_found(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    crate, name = tmp_path / "changed.zip", f"{SMOKE}/evaluations/inspection.csv"
    with zipfile.ZipFile(project / SMOKE / "crate.zip") as whole:
        files = {one: whole.read(one) for one in whole.namelist()}
    lines = files[name].decode().splitlines(keepends=True)
    write(crate, {**files, name: "".join([lines[0], *lines[2:]]).encode()})
    assert amg(["verify", str(crate)]) == 1
    page, errors = capsys.readouterr()
    first, *others = errors.splitlines()
    assert first.startswith(f"{crate}/{name}: differs: has SHA-256 ")
    assert others  # the runs are not as the changed table says
    assert all(line.startswith(f"{crate}/{SMOKE}/runs/inspection/") for line in others)
    assert tempfile.gettempdir() + "/amg-" not in page + errors


def test_an_unfinished_study_makes_no_crate(project: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(project, copy)
    (copy / SMOKE / "crate.zip").unlink()
    (copy / SMOKE / "tables" / "gaps.csv").unlink()
    with pytest.raises(FileError, match=r"gaps\.csv: does not exist; finish the study first"):
        write_crate(copy, SMOKE)
    shutil.move(copy / SMOKE, copy / "results/moved")
    with pytest.raises(FileError, match="is the directory of another study"):
        write_crate(copy, "results/moved")
    assert not list(copy.rglob("crate.zip"))


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


# --- what it shows ------------------------------------------------------------------------------

NOTE = "Using workflow specific profile"  # Snakemake prints it before it knows the console
PLACES = (f"{SMOKE}/figures/", "results/smoke/claims.md", "snakemake -c all report --configfile")
REMADE = ("mechanism", "agent_rewards")


def own(lines: list[str]) -> list[str]:
    """The lines without Snakemake's note."""
    return [line for line in lines if not line.startswith(NOTE)]


def test_a_screen_shows_phases_and_the_summary(finished: Workplace) -> None:
    screen = finished.screen
    lines = screen.lines
    assert len(lines) <= 60
    assert max(map(len, lines)) <= COLUMNS
    assert max(map(len, screen.states)) <= COLUMNS
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
    done = finished.snakemake("-c2", *CONFIG)
    assert own(done.stderr.splitlines()) == ["Nothing to do: everything is made already."]
    assert re.search(r"^\d+ claims: ", done.stdout, re.M)
    assert done.stdout.count("\n") <= 20
    assert all(place in done.stdout for place in PLACES)


def test_the_claims_alone_are_a_table_of_verdicts(finished: Workplace) -> None:
    done = finished.snakemake("-c2", f"{SMOKE}/figures/claims.json", *CONFIG)
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= COLUMNS
    assert lines[1].split() == ["claim", "verdict"]
    verdicts = [line for line in lines[2:-2] if line.endswith(VERDICTS)]
    assert len(verdicts) == int(lines[-1].split()[0])  # "13 claims: …"


@pytest.fixture
def damaged(copied: Workplace) -> Workplace:
    """A study of which two figures are gone."""
    for name in REMADE:
        (copied.directory / SMOKE / "figures" / f"{name}.png").unlink()
    return copied


def test_a_log_has_a_line_for_each_job(damaged: Workplace) -> None:
    done = damaged.snakemake("-c2", *CONFIG)
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
        [*SNAKEMAKE, "-c2", "-k", *CONFIG, "--rerun-triggers", "mtime"],
        damaged.directory,
        damaged.variables,
    )
    assert code == 1
    lines = screen.lines
    at = lines.index("failed: Figure mechanism")
    assert lines[at + 1].startswith("  figure: results/smoke/tables/mechanism.csv: line 2, column ")
    assert lines[at + 2] == "  log: results/smoke/logs/figure/mechanism.log"
    assert "Traceback" not in screen.text
    assert "claims:" not in screen.text  # no summary of what is not there


def test_verbose_shows_snakemake_s_own_words(
    finished: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERBOSE", "1")
    done = finished.snakemake("-c2", *CONFIG)
    assert "Building DAG of jobs..." in done.stderr
    assert "Nothing to be done" in done.stderr
    assert "Nothing to do:" not in done.stderr
    assert all(place in done.stdout for place in PLACES)
