"""Generated parts of the documentation are what the code says."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest
from sample import ROOT, all_claims, judgement

from amg.base.errors import FileError
from amg.base.text import raised
from amg.claims.findings import headlines
from amg.claims.judgement import read_judged, to_json
from amg.report.docs import (
    blocks,
    claims_block,
    cost_block,
    cost_by_episodes,
    cost_sentence,
    machine_block,
    pages,
    refresh,
    schemas,
    write_pages,
)
from amg.study.account import provenance

PAGE = Path("page.md")


def test_no_page_has_drifted() -> None:
    measured = {ROOT / "README.md", ROOT / "ARTIFACT.md", ROOT / "docs" / "sweeps.md"}
    for path, text in pages(ROOT).items():
        if path not in measured:
            assert path.read_text(encoding="utf-8") == text, f"{path}: run `make docs`"


def test_no_schema_has_drifted() -> None:
    for path, text in schemas(ROOT).items():
        assert path.read_text(encoding="utf-8") == text, f"{path}: run `make docs`"


def test_the_shipped_files_name_their_schema() -> None:
    """An editor that knows YAML schemas then completes keys and marks mistakes."""
    kinds = {"sweeps": "sweep", "games": "game", "claims": "claims", "multiverse": "multiverse"}
    for path in (ROOT / "config").rglob("*.yaml"):
        kind = kinds.get(path.parent.name) or kinds.get(path.stem, "config")
        first = path.read_text(encoding="utf-8").splitlines()[0]
        schema = first.removeprefix("# yaml-language-server: $schema=")
        assert (path.parent / schema).resolve() == ROOT / f"config/schemas/{kind}.schema.json"


def test_the_readme_holds_the_findings_and_claims_of_the_study() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    written = (ROOT / "figures" / "findings.md").read_text(encoding="utf-8")
    for line in headlines(written).splitlines():
        assert raised(line) in text, "run `make docs`"
    for claim in read_judged(ROOT / "figures" / "claims.json").claims:
        assert raised(claim.title) in text, "run `make docs`"


def test_tables_of_claims(tmp_path: Path) -> None:
    path = tmp_path / "claims.json"
    path.write_text(to_json(judgement(all_claims())), encoding="utf-8")
    short, full = claims_block(path, "pictures"), claims_block(path, "pictures", full=True)
    for table, columns in ((short, 4), (full, 5)):
        lines = [line for line in table.splitlines() if line.startswith("|")]
        assert len(lines) == 2 + len(all_claims())
        assert {line.replace("\\|", "").count("|") for line in lines} == {columns + 1}
        assert "](pictures/average_reward.png)" in table
    (beyond,) = [line for line in full.splitlines() if "beyond the study" in line]
    assert beyond.split(" | ")[1:4] == ["✓ reproduced", "not reproduced", "25% of 40 [20%, 30%]"]
    assert "Status of the confirmation: confirmatory." in full


def test_blocks_are_replaced_and_nothing_else() -> None:
    page = "a\n<!-- generated: x -->\nold\n<!-- end -->\nb\n<!-- generated: y -->\n<!-- end -->\n"
    text = refresh(page, {"x": lambda: "new", "y": lambda: "1\n2"}, PAGE)
    assert text == (
        "a\n<!-- generated: x -->\nnew\n<!-- end -->\nb\n"
        "<!-- generated: y -->\n1\n2\n<!-- end -->\n"
    )
    assert refresh(text, {"x": lambda: "new", "y": lambda: "1\n2"}, PAGE) == text


def test_a_block_that_cannot_be_generated_now_stays_as_it_is() -> None:
    page = "<!-- generated: x -->\nold\n<!-- end -->\n"
    assert refresh(page, {"x": lambda: None}, PAGE) == page


def test_an_unknown_block_is_an_error() -> None:
    with pytest.raises(FileError, match=r"page\.md: nothing generates 'z'; there are x"):
        refresh("<!-- generated: z -->\n<!-- end -->", {"x": lambda: ""}, PAGE)


def test_without_a_study_measured_blocks_stay(tmp_path: Path) -> None:
    own = blocks(tmp_path)
    assert own[tmp_path / "README.md"]["cost"]() is None
    assert own[tmp_path / "ARTIFACT.md"]["experiments"]() is None
    assert own[tmp_path / "docs" / "sweeps.md"]["reach memory"]() is None


def test_only_drifted_pages_are_written(tmp_path: Path) -> None:
    for path in pages(ROOT):
        copy = tmp_path / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text(encoding="utf-8")
        copy.write_text(text.replace("Every CCE pays 19.2", "Every CCE pays 20"), encoding="utf-8")
    shutil.copytree(ROOT / "config", tmp_path / "config", dirs_exist_ok=True)
    for name in ("figures", "CITATION.cff", "pyproject.toml"):
        (tmp_path / name).symlink_to(ROOT / name)
    game = Path("docs/games/fishermen.md")
    assert tmp_path / game in write_pages(tmp_path)
    assert (tmp_path / game).read_text(encoding="utf-8") == (ROOT / game).read_text(
        encoding="utf-8"
    )
    assert write_pages(tmp_path) == []


def test_costs_are_summed() -> None:
    jobs = pd.DataFrame(
        [("train", "a", 90, 1, 200), ("train", "b", 20, 1, 300), ("table", "c", 10, 1, 100)],
        columns=["kind", "job", "seconds", "startup", "peak_mib"],
    )
    assert cost_block(jobs) == (
        "The study took 2.0 core minutes (train 110 s, table 10 s; of it 3 s start-up of 3 jobs). "
        "More cores share them; the longest job took 90 s. A job needs 300 MiB at most."
    )
    sweep = pd.DataFrame(
        [("train", 1000, 4, 12, 2, 200), ("train", 9000, 1, 90, 1, 300),
         ("certify", 9000, 2, 6, 1, 250)],
        columns=["kind", "episodes", "jobs", "seconds", "startup", "peak_mib"],
    )  # fmt: skip
    rows = ["| 1,000 | 4 | 12 | 200 |", "| 9,000 | 1 | 90 | 300 |"]
    assert cost_by_episodes(sweep).splitlines()[2:] == rows
    assert cost_sentence(sweep) == (
        "It took 1.8 minutes of one core (training 102 s, evaluation 6 s; of it 4 s start-up of 7 "
        "jobs) and 300 MiB at most."
    )


def test_the_machine_and_the_disk(tmp_path: Path) -> None:
    assert machine_block(tmp_path) is None
    (tmp_path / "results" / "sweeps").mkdir(parents=True)
    facts = provenance(tmp_path)
    facts["machine"] |= {"cpu": "Fast", "cores": 8, "memory_bytes": 2**34, "system": "Linux-1"}
    for path, text in (("provenance.json", json.dumps(facts)), ("sweeps/x", "x" * 2**22)):
        (tmp_path / "results" / path).write_text(text, encoding="utf-8")
    (tmp_path / "results" / "runs").write_bytes(bytes(3 * 2**20))
    text = machine_block(tmp_path)
    assert text == (
        f"Measured on Fast (8 cores, 16 GiB, Linux, {facts['python']}). On the disk afterwards: "
        "3 MiB in `results/`."
    )


def test_with_a_study_measured_blocks_are_written(tmp_path: Path) -> None:
    timing = tmp_path / "results" / "tables" / "timing.csv"
    timing.parent.mkdir(parents=True)
    timing.write_text("kind,job,seconds,startup,peak_mib\ntrain,a,90,1,200\n", encoding="utf-8")
    cost = blocks(tmp_path)[tmp_path / "README.md"]["cost"]()
    assert cost
    assert "1.5 core minutes (train 90 s" in cost
