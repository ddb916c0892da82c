"""Generated parts of the documentation are what the code says."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pandas as pd
import pytest
import yaml

from amg.artifact import (
    EXPERIMENTS,
    HEADER,
    claims_by_experiment,
    experiment_table,
    read_study,
    seconds,
)
from amg.claims.entries import Claim
from amg.errors import FileError
from amg.figures import FIGURES
from amg.pages import BLOCK, artifact, game_pages, readme, refresh

ROOT = Path(__file__).resolve().parents[1]


def test_game_pages_have_not_drifted() -> None:
    for path, text in game_pages(ROOT).items():
        assert path.read_text(encoding="utf-8") == text, f"{path}: run `make docs`"


def test_the_readme_says_what_the_study_found() -> None:
    (path, _), *_ = readme(ROOT).items()
    for name in ("findings", "claims"):
        written = (ROOT / "figures" / f"{name}.md").read_text(encoding="utf-8").strip()
        assert written in path.read_text(encoding="utf-8"), "run `make docs`"


def test_blocks_are_replaced_and_nothing_else() -> None:
    page = "a\n<!-- generated: x -->\nold\n<!-- end -->\nb\n<!-- generated: y -->\n<!-- end -->\n"
    made = refresh(page, {"x": lambda: "new", "y": lambda: "1\n2"}, "page")
    assert made == (
        "a\n<!-- generated: x -->\nnew\n<!-- end -->\nb\n"
        "<!-- generated: y -->\n1\n2\n<!-- end -->\n"
    )
    assert refresh(made, {"x": lambda: "new", "y": lambda: "1\n2"}, "page") == made


def test_an_unknown_block_is_an_error() -> None:
    with pytest.raises(FileError, match="'z'"):
        refresh("<!-- generated: z -->\n<!-- end -->", {}, "page")


# --- the evaluator's page -------------------------------------------------------------------------


def made_up_timing() -> pd.DataFrame:
    """A second for each job of the study."""
    study = read_study(ROOT)
    jobs = [("train", batch.name) for batch in study.batches()]
    jobs += [("train", "mechanism"), *(("certify", series.name) for series in study.series)]
    jobs += [("figure", name) for name in FIGURES]
    return pd.DataFrame([{"kind": kind, "job": job, "seconds": 1.0} for kind, job in jobs])


def cells(table: str) -> list[list[str]]:
    """Without what was measured."""
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]
    return [row[:3] + row[4:] for row in rows]


def test_the_experiments_of_the_artifact_have_not_drifted() -> None:
    text = (ROOT / "ARTIFACT.md").read_text(encoding="utf-8")
    (block,) = [match["body"] for match in BLOCK.finditer(text) if match["name"] == "experiments"]
    assert HEADER[3] == "computing"
    assert cells(block) == cells(experiment_table(ROOT, made_up_timing())), "run `make docs`"


def test_every_experiment_figure_and_claim_is_in_the_artifact() -> None:
    study = read_study(ROOT)
    named = {experiment.name for experiment in EXPERIMENTS}
    assert named == {"no training", "mechanism", *(series.experiment for series in study.series)}
    assert {figure for experiment in EXPERIMENTS for figure in experiment.figures} == set(FIGURES)
    text = (ROOT / "ARTIFACT.md").read_text(encoding="utf-8")
    claims = yaml.safe_load((ROOT / "config" / "claims.yaml").read_text(encoding="utf-8"))
    assert not [claim["title"] for claim in claims["claims"] if claim["title"] not in text]


def test_a_claim_from_an_unknown_table_is_an_error() -> None:
    claim = Claim("x", "X", *[""] * 5, table="gaps", figure=None, rule="", thresholds={})
    assert claims_by_experiment([claim]) == {"sample-complexity": ["X"]}
    with pytest.raises(FileError, match=r"claim x: .* table 'y'"):
        claims_by_experiment([dataclasses.replace(claim, table="y")])


def test_every_job_is_counted_and_shared_ones_in_both() -> None:
    study, timing = read_study(ROOT), made_up_timing()
    taken = {experiment.name: seconds(experiment, study, timing) for experiment in EXPERIMENTS}
    assert taken["mechanism"] == 1 + 1  # a run and a figure
    wanted = [(series.place, K) for series in study.series for K in series.episodes]
    shared = len(wanted) - len(set(wanted))  # batches here are of all seeds
    assert shared > 0
    assert sum(taken.values()) == len(timing) + shared + 1  # and a figure of two experiments


def test_without_results_the_artifact_keeps_its_times(tmp_path: Path) -> None:
    page = "<!-- generated: experiments -->\nkept\n<!-- end -->\n"
    (tmp_path / "ARTIFACT.md").write_text(page, encoding="utf-8")
    assert artifact(tmp_path) == {tmp_path / "ARTIFACT.md": page}
